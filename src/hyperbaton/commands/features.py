"""`hyperbaton features`: what a maximum-entropy model has learned, feature by feature."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from hyperbaton.commands.parameters import (
    POSITIVE,
    REQUIRED,
    Command,
    argument,
    command,
    option,
    plugins_option,
)
from hyperbaton.console import say
from hyperbaton.foundation.errors import DataError, counted

SIDES = {"left": -1, "right": 1}
OF_TREES = ("coverage", "sibling")  # families


@dataclass(frozen=True, kw_only=True)
class Features(Command):
    """List what a parse model has learned, as factors α = e^λ.

    \b
    hyperbaton features model --show sibling --tag VV --node PP
    hyperbaton features model --show sibling --word de --target e_0

    MODEL is a system with the distortion model parse. A factor above 1 makes its translation and
    jump more likely, one below 1 less.
    """

    model: Path = argument(default=REQUIRED)
    family: str | None = option(
        "Only this family: lexical, context, history, tags, words, coverage, sibling.", "--show"
    )
    word: str | None = option("Only features of this source word (or words, as one phrase).")
    tag: str | None = option("Only features of source words with this tag.")
    node: str | None = option("Only features about parse nodes with this label.")
    target: str | None = option("Only these target words or this target tag; e_0: no translation.")
    jump: int | None = option("Only this jump; 1 is monotone.", type=click.IntRange(-5, 5))
    coverage: int | None = option(
        "Only this coverage of the node: 0 open, 1 covered, 2 partly.", type=click.IntRange(0, 2)
    )
    side: str | None = option("Only nodes or words on this side.", type=click.Choice(list(SIDES)))
    order: str = option(
        "Most frequent first, or farthest from 1.",
        "--sort",
        default="count",
        type=click.Choice(["count", "alpha"]),
    )
    limit: int = option(default=20, type=POSITIVE)
    form: str = option("", "--format", default="table", type=click.Choice(["table", "tsv", "json"]))
    allow_plugins: bool = plugins_option()

    def run(self) -> None:
        from hyperbaton.models.distortion.parse.listing import Wanted, list_features
        from hyperbaton.models.distortion.parse.model import Parse
        from hyperbaton.models.system.folder import load_distortion
        from hyperbaton.views.system_text import COLUMNS, feature_table, feature_values

        loaded = load_distortion(self.model, allow_plugins=self.allow_plugins)
        found = [model for model in loaded if isinstance(model, Parse)]
        if not found:
            raise DataError(
                "the system has no distortion model parse",
                where=str(self.model),
                advice="train the system again, with --distortion parse beside its other models",
            )
        wanted = Wanted(
            self.family, self.word, self.tag, self.node, self.target, self.jump, self.coverage,
            SIDES[self.side] if self.side else None,
        )  # fmt: skip
        learned = found[0].learned_
        n_sentences = int(learned.report["sentences"])
        n_trees = n_sentences - int(learned.report["without_tree"])
        about_trees = self.family in OF_TREES or self.node is not None or self.coverage is not None
        if about_trees and not n_trees:
            raise DataError(
                "the model has no features of parse trees",
                where=str(self.model),
                expected=f"none of its {counted(n_sentences, 'training sentence')} had a tree",
                advice="train it with --source-tree FILE, or ask for another family with --show",
            )
        rows, n_matching = list_features(learned, wanted, self.limit, self.order)
        if not rows:
            raise DataError(
                f"none of the model's {counted(len(learned.counts), 'feature')} is like that",
                where=str(self.model),
                advice="leave out some of the options",
            )
        if self.form == "json":
            for row in rows:
                click.echo(json.dumps(asdict(row), ensure_ascii=False))
        elif self.form == "tsv":
            click.echo("\t".join(COLUMNS))
            for row in rows:
                click.echo("\t".join(feature_values(row)))
        else:
            click.echo(feature_table(rows))
        say(
            f"{n_matching:,} of {len(learned.counts):,} features; learned from "
            f"{int(learned.report['events']):,} visits in {n_sentences:,} sentences, "
            f"{n_trees:,} with a tree"
        )


features = command(Features)
