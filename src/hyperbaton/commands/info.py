"""`hyperbaton info`: describes the distortion models, a system or its parse features."""

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from hyperbaton.commands.parameters import (
    POSITIVE,
    Command,
    argument,
    command,
    option,
    plugins_option,
)
from hyperbaton.console import say
from hyperbaton.foundation.errors import DataError, counted

SIDES = {"left": -1, "right": 1}
OF_TREES = ("coverage", "sibling")  # families of features that need a tree
ALL = "all"


@dataclass(frozen=True, kw_only=True)
class Info(Command):
    """Describe the distortion models or a system.

    \b
    hyperbaton info
    hyperbaton info system
    hyperbaton info system --learned sibling --tag VV --node PP
    hyperbaton info system --learned sibling --source-word de --target-word e_0

    Without SYSTEM: lists every distortion model that --distortion accepts, with its features (and
    initial weights), its settings (and defaults), whether it learns, and which layers of a sentence
    it needs. With a system: shows its parts, models, weights and settings.

    --learned lists the features of the parse model as factors α = e^λ: a factor above 1 makes its
    translation and jump more likely, below 1 less likely. The other options select features.
    """

    system: Path | None = argument(metavar="[SYSTEM]")
    learned: str | None = option(
        "List the parse features of this family: lexical, context, history, tags, words, coverage, "
        "sibling or all.",
        metavar="FAMILY",
    )
    source_word: str | None = option("Only this source word (or words, as one phrase).")
    tag: str | None = option("Only source words with this tag.")
    node: str | None = option("Only parse nodes with this label.")
    target_word: str | None = option("Only these target words or this tag; e_0: no translation.")
    jump: int | None = option("Only this jump; 1 is monotone.", type=click.IntRange(-5, 5))
    coverage: int | None = option(
        "Only this coverage of the node: 0 uncovered, 1 covered, 2 partly covered.",
        type=click.IntRange(0, 2),
    )
    side: str | None = option("Only nodes or words on this side.", type=click.Choice(list(SIDES)))
    sort: str = option(
        "count: most frequent first; alpha: farthest from 1 first.",
        default="count",
        type=click.Choice(["count", "alpha"]),
    )
    rows: int = option("Maximum features to list.", default=20, type=POSITIVE)
    form: str = option(
        "Output format.", "--format", default="table", type=click.Choice(["table", "csv", "json"])
    )
    allow_plugins: bool = plugins_option()

    def run(self) -> None:
        filters = (
            "learned", "source_word", "tag", "node", "target_word", "jump", "coverage", "side"
        )  # fmt: skip
        if any(getattr(self, name) is not None for name in filters):
            if self.system is None:
                raise click.UsageError("--learned needs a SYSTEM")
            self.list_features(self.system)
            return
        if self.form == "csv":
            raise click.UsageError("--format csv needs --learned")
        from hyperbaton.views.known_models import describe, known_models
        from hyperbaton.views.system_text import describe_system, system_blocks
        from hyperbaton.views.text_tables import print_blocks

        if self.system is None:
            known = list(known_models())
            content: Any = [asdict(entry) for entry in known]
            blocks: Iterable[Any] = map(describe, known)
        else:
            content = describe_system(self.system, allow_plugins=self.allow_plugins)
            blocks = system_blocks(content)
        if self.form == "json":
            click.echo(json.dumps(content, ensure_ascii=False, indent=1))
        else:
            print_blocks(blocks)

    def list_features(self, system: Path) -> None:
        from hyperbaton.models.distortion.parse.listing import Wanted, list_features
        from hyperbaton.models.distortion.parse.model import Parse
        from hyperbaton.models.system.folder import load_distortion
        from hyperbaton.tuning.evaluation.tables import as_csv
        from hyperbaton.views.system_text import COLUMNS, feature_table, feature_values

        loaded = load_distortion(system, allow_plugins=self.allow_plugins)
        parse_models = [model for model in loaded if isinstance(model, Parse)]
        if not parse_models:
            raise DataError(
                "the system has no distortion model parse",
                where=str(system),
                advice="train the system again, with --distortion parse added to its models",
            )
        family = None if self.learned == ALL else self.learned
        wanted = Wanted(
            family, self.source_word, self.tag, self.node, self.target_word, self.jump,
            self.coverage, SIDES[self.side] if self.side else None,
        )  # fmt: skip
        learned = parse_models[0].learned_
        n_sentences = int(learned.report["sentences"])
        n_trees = n_sentences - int(learned.report["without_tree"])
        about_trees = family in OF_TREES or self.node is not None or self.coverage is not None
        if about_trees and not n_trees:
            raise DataError(
                "the model has no tree features",
                where=str(system),
                expected=f"none of its {counted(n_sentences, 'training sentence')} had a tree",
                advice="train it with --source-tree FILE, or choose another family",
            )
        rows, n_matching = list_features(learned, wanted, self.rows, self.sort)
        if not rows:
            raise DataError(
                f"none of the model's {counted(len(learned.counts), 'feature')} matches",
                where=str(system),
                advice="remove some of the options",
            )
        if self.form == "json":
            for row in rows:
                click.echo(json.dumps(asdict(row), ensure_ascii=False))
        elif self.form == "csv":
            click.echo(as_csv(COLUMNS, map(feature_values, rows)))
        else:
            click.echo(feature_table(rows))
        say(
            f"{n_matching:,} of {len(learned.counts):,} features; learned from "
            f"{int(learned.report['events']):,} visits in {n_sentences:,} sentences, "
            f"{n_trees:,} with a tree"
        )


info = command(Info)
