"""`hyperbaton translate`: text in, translations out."""

from pathlib import Path

import click

from hyperbaton.commands.options import FILE, LIMIT, set_option, threads_option


@click.command()
@click.argument("model", type=FILE)
@click.argument("source", type=FILE, default=Path("-"), metavar="[INPUT]")
@click.option("-o", "--out", type=FILE, default=Path("-"), help="Output file; - is stdout.")
@click.option("--n-best", type=click.IntRange(min=1), default=1, help="Length of n-best lists.")
@click.option("--n-best-file", type=FILE, help="Write n-best lists here, in Moses' format.")
@click.option("--distinct", is_flag=True, help="No translation twice in an n-best list.")
@click.option("--source-tags", type=FILE, help="Tags of the input, or CoNLL-U.")
@click.option("--source-tree", type=FILE, help="Trees of the input: PTB brackets, or CoNLL-U.")
@click.option("--factored", is_flag=True, help="The input is written word|tag.")
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
@click.option("--alignment", is_flag=True, help="Also print word alignments, behind |||.")
@click.option("--json", "as_json", is_flag=True, help="Print a JSON object for each sentence.")
@click.option("--drop-unknown", is_flag=True, help="Leave unknown words out.")
@click.option("--lattice", type=FILE, help="Write search lattices here, as Moses' search graphs.")
@click.option("--stats", is_flag=True, help="Print search statistics to stderr at the end.")
@threads_option
@set_option
def translate(
    model: Path,
    source: Path,
    out: Path,
    n_best: int,
    n_best_file: Path | None,
    distinct: bool,
    source_tags: Path | None,
    source_tree: Path | None,
    factored: bool,
    distortion: tuple[str, ...],
    distortion_limit: int | None,
    stack_size: int | None,
    pop_limit: int | None,
    alignment: bool,
    as_json: bool,
    drop_unknown: bool,
    lattice: Path | None,
    stats: bool,
    threads: int,
    assignments: tuple[str, ...],
) -> None:
    """Translate tokenised text with a trained system, line by line.

    \b
    hyperbaton translate model input.ja -o output.en
    echo "kare wa hon o katta ." | hyperbaton translate model --n-best 5 --n-best-file -

    INPUT is standard input if not given. Empty lines stay empty. A sentence that cannot be
    translated gives an empty line and a message; the others are not disturbed, and the exit code
    is 1.
    """
    from hyperbaton.kernels import announce_compilation
    from hyperbaton.settings import load_settings
    from hyperbaton.translation import Run, translate_file

    announce_compilation("decoder.search")

    given = {
        "search.distortion_limit": distortion_limit,
        "search.stack_size": stack_size,
        "search.pop_limit": pop_limit,
        "search.drop_unknown": drop_unknown or None,
    }
    shortcuts = [f"{name}={value}" for name, value in given.items() if value is not None]
    if n_best > 1 and n_best_file is None and not as_json:
        raise click.UsageError("--n-best needs --n-best-file or --json")
    run = Run(
        model, source, out, n_best, n_best_file, distinct, alignment, as_json, stats, threads,
        distortion, source_tags, source_tree, factored, lattice,
    )  # fmt: skip
    failures = translate_file(
        run, lambda base: load_settings([*shortcuts, *assignments], base=base)
    )
    if failures:
        raise SystemExit(1)
