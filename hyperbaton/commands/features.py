"""`hyperbaton features`: what a maximum-entropy model has learned, feature by feature."""

from pathlib import Path

import click

from hyperbaton.commands.options import FILE

SIDES = {"left": -1, "right": 1}


@click.command()
@click.argument("model", type=FILE)
@click.option(
    "--show",
    "family",
    help="Only this family: lexical, context, history, tags, words, coverage, sibling.",
)
@click.option("--word", help="Only features of this source word (or words, as one phrase).")
@click.option("--tag", help="Only features of source words with this tag.")
@click.option("--node", help="Only features about parse nodes with this label.")
@click.option("--target", help="Only these target words or this target tag; e_0: no translation.")
@click.option("--jump", type=click.IntRange(-5, 5), help="Only this jump; 1 is monotone.")
@click.option(
    "--coverage",
    type=click.IntRange(0, 2),
    help="Only this coverage of the node: 0 open, 1 covered, 2 partly.",
)
@click.option("--side", type=click.Choice(list(SIDES)), help="Only nodes or words on this side.")
@click.option(
    "--sort",
    "order",
    type=click.Choice(["count", "alpha"]),
    default="count",
    show_default=True,
    help="Most frequent first, or farthest from 1.",
)
@click.option("--limit", type=click.IntRange(min=1), default=20, show_default=True)
@click.option(
    "--format", "form", type=click.Choice(["table", "tsv", "json"]), default="table",
    show_default=True,
)  # fmt: skip
def features(
    model: Path,
    family: str | None,
    word: str | None,
    tag: str | None,
    node: str | None,
    target: str | None,
    jump: int | None,
    coverage: int | None,
    side: str | None,
    order: str,
    limit: int,
    form: str,
) -> None:
    """List what a parse model has learned, as factors α = e^λ.

    \b
    hyperbaton features model --show sibling --tag VV --node PP
    hyperbaton features model --show sibling --word de --target e_0

    MODEL is a system with the distortion model parse. A factor above 1 makes its translation and
    jump more likely, one below 1 less.
    """
    import json
    from dataclasses import asdict

    from hyperbaton.console import say
    from hyperbaton.views.feature_text import COLUMNS, feature_table, feature_values
    from models.distortion.parse.listing import Wanted, list_features
    from models.distortion.parse.model import Parse
    from models.errors import DataError
    from models.system.folder import load_distortion

    found = [m for m in load_distortion(model) if isinstance(m, Parse)]
    if not found:
        raise DataError(
            "the system has no distortion model parse",
            where=str(model),
            advice="train one: hyperbaton train --distortion linear --distortion parse …",
        )
    wanted = Wanted(family, word, tag, node, target, jump, coverage, SIDES[side] if side else None)
    learned = found[0].learned_
    rows, n_matching = list_features(learned, wanted, limit, order)
    if form == "json":
        for row in rows:
            click.echo(json.dumps(asdict(row), ensure_ascii=False))
    elif form == "tsv":
        click.echo("\t".join(COLUMNS))
        for row in rows:
            click.echo("\t".join(feature_values(row)))
    else:
        click.echo(feature_table(rows))
    n_trees = int(learned.report["sentences"] - learned.report["without_tree"])
    say(
        f"{n_matching:,} of {len(learned.counts):,} features; learned from "
        f"{int(learned.report['events']):,} visits in {int(learned.report['sentences']):,} "
        f"sentences, {n_trees:,} with a tree"
    )
