"""`hyperbaton explain`: why a sentence was translated as it was."""

from pathlib import Path

import click

from hyperbaton.commands.options import FILE, LIMIT, set_option


@click.command()
@click.argument("model", type=FILE)
@click.argument("words", nargs=-1, metavar="[SENTENCE]...")
@click.option("--input", "source", type=FILE, help="Take the sentence from this file.")
@click.option(
    "--line", type=click.IntRange(min=1), default=1, show_default=True, help="Line of the file."
)
@click.option("--source-tags", type=FILE, help="Tags of the file, or CoNLL-U.")
@click.option("--source-tree", type=FILE, help="Trees of the file: PTB brackets, or CoNLL-U.")
@click.option("--factored", is_flag=True, help="The sentence is written word|tag.")
@click.option("--reference", default="", metavar="TEXT", help="A translation to compare with.")
@click.option(
    "--n-best", type=click.IntRange(min=1), default=1, help="Compare so many derivations."
)
@click.option(
    "--alternatives",
    type=click.IntRange(min=0),
    default=5,
    show_default=True,
    help="Other spans to show at each step.",
)
@click.option(
    "--distortion",
    multiple=True,
    metavar="NAME[,KEY=VALUE…]",
    help="Use this distortion model (a name or module:Class) instead of all that the system has; "
    "may be given several times.",
)
@click.option("--distortion-limit", type=LIMIT, help="Longest jump in words, or inf.")
@click.option("--stack-size", type=click.IntRange(min=0), help="Hypotheses per stack; 0: all.")
@click.option("--pop-limit", type=click.IntRange(min=0), help="Steps tried per stack; 0: all.")
@click.option("--drop-unknown", is_flag=True, help="Leave unknown words out.")
@click.option("--brief", is_flag=True, help="Only the steps and the sums.")
@click.option("--json", "as_json", is_flag=True, help="Print everything as a JSON object.")
@click.option("--picture", type=FILE, help="Draw the derivations (svg, png or pdf).")
@click.option("--heat-map", type=FILE, help="Draw what the models say of pairs of words.")
@set_option
def explain(
    model: Path,
    words: tuple[str, ...],
    source: Path | None,
    line: int,
    source_tags: Path | None,
    source_tree: Path | None,
    factored: bool,
    reference: str,
    n_best: int,
    alternatives: int,
    distortion: tuple[str, ...],
    distortion_limit: int | None,
    stack_size: int | None,
    pop_limit: int | None,
    drop_unknown: bool,
    brief: bool,
    as_json: bool,
    picture: Path | None,
    heat_map: Path | None,
    assignments: tuple[str, ...],
) -> None:
    """Show how a sentence is translated, step by step, and why.

    \b
    hyperbaton explain model "kare wa hon o katta ."
    hyperbaton explain model --input test.ja --line 7 --n-best 3 --picture line7.svg

    Every step shows its phrase, its jump, the words covered so far, what each feature adds, and
    what the models said of the phrases that could have come instead. The sum of all that is added
    is the score of the translation. SENTENCE may be - for standard input.
    """
    if (source is None) == (not words):
        raise click.UsageError("give a sentence, or --input FILE")
    if source is None and (source_tags or source_tree):
        raise click.UsageError("tags and trees of files need --input; a sentence may be --factored")
    from hyperbaton.explaining import Run, explain_sentence
    from hyperbaton.kernels import announce_compilation
    from hyperbaton.settings import load_settings
    from models.data.source_reading import SourceFiles

    announce_compilation("decoder.search")
    given = {
        "search.distortion_limit": distortion_limit,
        "search.stack_size": stack_size,
        "search.pop_limit": pop_limit,
        "search.drop_unknown": drop_unknown or None,
    }
    shortcuts = [f"{name}={value}" for name, value in given.items() if value is not None]
    run = Run(
        model,
        words,
        SourceFiles(source, source_tags, source_tree) if source else None,
        line,
        factored,
        reference,
        n_best,
        alternatives,
        distortion,
        brief,
        as_json,
        picture,
        heat_map,
    )
    explain_sentence(run, lambda base: load_settings([*shortcuts, *assignments], base=base))
