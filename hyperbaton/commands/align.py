"""`hyperbaton align`: word alignments from parallel text, or one from two directed ones."""

import math
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hyperbaton.commands.options import FILE
from hyperbaton.console import say
from models.errors import BadLine, DataError, counted, missing_file

if TYPE_CHECKING:
    from models.data.aligner import Directions

# The names in models.data.symmetrisation.METHODS, which is too heavy to import for --help
METHODS = (
    "intersection",
    "union",
    "grow",
    "grow-final",
    "grow-diag",
    "grow-diag-final",
    "grow-diag-final-and",
)
STANDARD_OUTPUT = Path("-")


class _Multiple(click.FloatRange):
    """A finite number above 0."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a number of times", param, ctx)
        return number


@click.command()
@click.option("--source", type=FILE, help="Source text, one tokenised sentence a line.")
@click.option("--target", type=FILE, help="Target text, as many lines.")
@click.option(
    "--forward",
    type=FILE,
    help="Symmetrise given alignments, no text needed: links made by choosing a source word for "
    "each target word.",
)
@click.option("--backward", type=FILE, help="And by choosing a target word for each source word.")
@click.option(
    "--out",
    type=FILE,
    default=STANDARD_OUTPUT,
    show_default=True,
    help="Where the alignment goes, in Pharaoh format (0-0 1-2).",
)
@click.option(
    "--method",
    type=click.Choice(METHODS),
    default=METHODS[-1],
    show_default=True,
    help="How the two directions become one alignment.",
)
@click.option("--forward-out", type=FILE, help="Write the forward direction here as well.")
@click.option("--backward-out", type=FILE, help="Write the backward direction here as well.")
@click.option("--priors", type=FILE, help="Begin with what --save-priors saved of other text.")
@click.option("--save-priors", type=FILE, help="Save what was learned, for other text.")
@click.option(
    "--samplers",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Independent samplers whose votes are added.",
)
@click.option(
    "--length",
    type=_Multiple(min=0, min_open=True),
    default=1.0,
    show_default=True,
    help="Number of iterations, as a multiple of the usual one.",
)
@click.pass_context
def align(
    context: click.Context,
    source: Path | None,
    target: Path | None,
    forward: Path | None,
    backward: Path | None,
    out: Path,
    method: str,
    forward_out: Path | None,
    backward_out: Path | None,
    priors: Path | None,
    save_priors: Path | None,
    samplers: int,
    length: float,
) -> None:
    """Align the words of parallel text with eflomal, in both directions, and symmetrise.

    \b
    hyperbaton align --source train.ja.gz --target train.en.gz --out train.align.gz
    hyperbaton align --forward fwd.align --backward bwd.align --method union

    Files ending in .gz are packed and unpacked, - is standard input or output. A file appears only
    when it is complete.

    Text is aligned by eflomal: pip install eflomal. It cannot be seeded and two runs differ, so
    keep the alignment that you work with.
    """
    if (source or target) and (forward or backward):
        raise click.UsageError(
            "give either --source and --target or --forward and --backward, not both"
        )
    inputs = [path for path in (source, target, forward, backward, priors) if path is not None]
    outputs = [path for path in (out, forward_out, backward_out, save_priors) if path is not None]
    if source is not None and target is not None:
        _check_outputs(outputs, inputs)
        directions = _align_text(source, target, priors, save_priors, samplers, length)
    elif forward is not None and backward is not None:
        _refuse_text_options(context)
        _check_outputs(outputs, inputs)
        from models.data.aligner import read_directions

        directions = read_directions(forward, backward)
    else:
        raise click.UsageError("give --source and --target, or --forward and --backward")

    from models.data.alignment import link_lines
    from models.data.symmetrisation import symmetrise

    for path, links in zip((forward_out, backward_out), directions, strict=True):
        if path is not None:
            _write(path, link_lines(links))
    result = symmetrise(*directions, method)
    _write(out, link_lines(result))
    links_made = counted(len(result.values), "link")
    say(f"{counted(len(result), 'pair')}, {links_made} ({method})")


def _align_text(
    source: Path,
    target: Path,
    priors: Path | None,
    save_priors: Path | None,
    samplers: int,
    length: float,
) -> "Directions":
    from hyperbaton.console import progress_line
    from models.data.aligner import (
        AlignerSettings,
        align_corpus,
        count_priors,
        load_eflomal,
        n_too_long,
        prior_lines,
        read_priors,
    )
    from models.data.corpus_reading import CorpusFiles, read_corpus

    load_eflomal()  # if it is absent, say so before everything is read
    known = None if priors is None else read_priors(priors)
    try:
        with progress_line() as progress:
            corpus, _ = read_corpus(CorpusFiles(source, target), progress=progress)
    except BadLine as bad:  # a pair left out would shift the lines of the alignment
        bad.advice = "mend the pair or remove it from both files"
        raise
    if n_too_long(corpus):
        say(f"without links, being too long for eflomal: {counted(n_too_long(corpus), 'pair')}")
    message = f"aligning {counted(len(corpus), 'pair')} in both directions with eflomal"
    with progress_line() as progress:
        if progress:
            progress(message, 0)
        else:
            say(message)
        directions = align_corpus(corpus, AlignerSettings(samplers, length), known)
    if save_priors is not None:
        _write(save_priors, prior_lines(count_priors(corpus, directions)))
    return directions


def _refuse_text_options(context: click.Context) -> None:
    for name in ("forward_out", "backward_out", "priors", "save_priors", "samplers", "length"):
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = name.replace("_", "-")
            raise click.UsageError(f"--{option} is for --source and --target: links were given")


def _check_outputs(outputs: list[Path], inputs: list[Path]) -> None:
    """What can be known to go wrong with the outputs before the work begins."""
    taken = {path.resolve() for path in inputs if path != STANDARD_OUTPUT}
    for path in outputs:
        place = path if path == STANDARD_OUTPUT else path.resolve()
        if place in taken:
            raise click.UsageError(f"{path} cannot be written: it is also another file here")
        taken.add(place)
        if path != STANDARD_OUTPUT and not path.parent.is_dir():
            raise missing_file(path)
        if path.is_dir():
            raise DataError("is a folder, not a file", where=str(path))


def _write(path: Path, lines: Iterable[str]) -> None:
    from models.writing import open_to_write

    with open_to_write(path) as stream:
        stream.writelines(f"{line}\n".encode() for line in lines)
