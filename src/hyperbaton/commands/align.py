"""`hyperbaton align`: word alignments from parallel text, or one from two directed ones."""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hyperbaton.commands.output_files import STREAM
from hyperbaton.commands.parameters import (
    POSITIVE,
    Command,
    command,
    config_option,
    language_options,
    option,
    output,
    set_option,
)
from hyperbaton.console import reporting, say
from hyperbaton.foundation.errors import counted

if TYPE_CHECKING:
    from hyperbaton.corpus.aligning.aligner import Directions

# The names of METHODS in corpus/aligning/symmetrisation.py, which is too heavy to import for --help
METHODS = (
    "intersection",
    "union",
    "grow",
    "grow-final",
    "grow-diag",
    "grow-diag-final",
    "grow-diag-final-and",
)


class _Multiple(click.FloatRange):
    """A finite number above 0."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if not math.isfinite(number):
            self.fail(f"{value} is not a number of times", param, ctx)
        return number


@dataclass(frozen=True, kw_only=True)
class Align(Command):
    """Align the words of parallel text.

    \b
    hyperbaton align --source train.ja --target train.en.gz --out train.align.gz
    hyperbaton align --forward fwd.align --backward bwd.align --symmetrise union

    Links are between tokens. If languages are given, the text is raw and is tokenised first, as
    training does it (docs/use/text.md).

    Files ending in .gz are packed and unpacked, - is standard input or output. A file appears only
    when it is complete.

    Text is aligned by eflomal: pip install eflomal. It cannot be seeded and two runs differ, so
    keep the alignment that you work with.
    """

    source: Path | None = option("Source text, one sentence a line: tokens, or raw text.")
    target: Path | None = option("Target text, as many lines.")
    forward: Path | None = option(
        "Symmetrise given alignments, no text needed: links made by choosing a source word "
        "for each target word."
    )
    backward: Path | None = option("And by choosing a target word for each source word.")
    out: Path = output("Where the alignment goes (0-0 1-2).", "-o", "--out", default=STREAM)
    symmetrise: str = option(
        "How the two directions become one alignment.",
        default=METHODS[-1],
        type=click.Choice(METHODS),
    )
    forward_out: Path | None = output("Write the forward direction here as well.")
    backward_out: Path | None = output("Write the backward direction here as well.")
    priors: Path | None = option("Start from priors that --save-priors wrote for other text.")
    save_priors: Path | None = output("Write priors for use with other text.")
    samplers: int | None = option(
        "Independent samplers whose votes are added.  [default: 3]", type=POSITIVE
    )
    length: float | None = option(
        "Number of iterations, as a multiple of the usual one.  [default: 1.0]",
        type=_Multiple(min=0, min_open=True),
    )
    leave_out: str | None = option(
        "Words that get no links, and without which the others are aligned: 'a an the ga o wa'.",
        metavar="WORDS",
    )
    source_language: str | None = language_options[0]()
    target_language: str | None = language_options[1]()
    config: Path | None = config_option()
    assignments: tuple[str, ...] = set_option()

    def run(self) -> None:
        if (self.source or self.target) and (self.forward or self.backward):
            raise click.UsageError(
                "give either --source and --target or --forward and --backward, not both"
            )
        directions = self.directions()

        from hyperbaton.corpus.aligning.symmetrisation import symmetrise
        from hyperbaton.corpus.corpora.alignment import link_lines

        for path, links in zip((self.forward_out, self.backward_out), directions, strict=True):
            if path is not None:
                _write(path, link_lines(links))
        result = symmetrise(*directions, self.symmetrise)
        _write(self.out, link_lines(result))
        links_made = counted(len(result.values), "link")
        say(f"{counted(len(result), 'pair')}, {links_made} ({self.symmetrise})")

    def directions(self) -> "Directions":
        """Links of both directions, made from text or read."""
        if self.source is not None and self.target is not None:
            return self._align(self.source, self.target)
        if self.forward is not None and self.backward is not None:
            self._refuse_text_options()
            from hyperbaton.corpus.aligning.aligner import read_directions

            return read_directions(self.forward, self.backward)
        raise click.UsageError("give --source and --target, or --forward and --backward")

    def _align(self, source: Path, target: Path) -> "Directions":
        from hyperbaton.corpus.aligning.aligner import (
            AlignerSettings,
            count_priors,
            load_eflomal,
            prior_lines,
            read_priors,
        )
        from hyperbaton.corpus.aligning.aligning_files import align_files
        from hyperbaton.corpus.corpora.reading import CorpusFiles
        from hyperbaton.corpus.raw_text.both_sides import corpus_tokenisers

        load_eflomal()  # reports its absence before anything is read
        tokenise = corpus_tokenisers(self.settings(self.assignments, ["text"]).text)
        known = None if self.priors is None else read_priors(self.priors)
        usual = AlignerSettings()
        settings = AlignerSettings(self.samplers or usual.n_samplers, self.length or usual.length)
        left_out = (self.leave_out or "").split()
        with reporting() as reporter:
            files = CorpusFiles(source, target)
            corpus, directions = align_files(files, tokenise, settings, left_out, known, reporter)
        if self.save_priors is not None:
            _write(self.save_priors, prior_lines(count_priors(corpus, directions)))
        return directions

    def _refuse_text_options(self) -> None:
        names = (
            "forward_out", "backward_out", "priors", "save_priors", "samplers", "length",
            "leave_out", "source_language", "target_language",
        )  # fmt: skip
        for name in names:
            if getattr(self, name) is not None:
                option = name.replace("_", "-")
                raise click.UsageError(f"--{option} is for --source and --target: links were given")


align = command(Align)


def _write(path: Path, lines: Iterable[str]) -> None:
    from hyperbaton.foundation.files.writing import open_to_write

    with open_to_write(path) as stream:
        stream.writelines(f"{line}\n".encode() for line in lines)
