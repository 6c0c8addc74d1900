"""`hyperbaton align`: aligns the words of parallel text, or symmetrises two alignments."""

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
            self.fail(f"{value} is not a finite number", param, ctx)
        return number


@dataclass(frozen=True, kw_only=True)
class Align(Command):
    """Align the words of parallel text.

    \b
    hyperbaton align --source train.ja --target train.en.gz --out train.align.gz
    hyperbaton align --forward fwd.align --backward bwd.align --symmetrise union

    Links connect tokens. If you name the languages, the text is raw and is first tokenised as in
    training (docs/use/text.md).

    Files ending in .gz are compressed; - is standard input or output. A file appears only when it
    is complete.

    Alignment needs eflomal (pip install eflomal). It cannot be seeded and two runs differ, so keep
    the alignment that you work with.
    """

    source: Path | None = option("Source text, one sentence per line: tokens or raw text.")
    target: Path | None = option("Target text, with the same number of lines.")
    forward: Path | None = option(
        "Symmetrise existing alignments instead of text: this one links each target word to a "
        "source word."
    )
    backward: Path | None = option("The other alignment: links each source word to a target word.")
    out: Path = output("Write the alignment here (0-0 1-2).", "-o", "--out", default=STREAM)
    symmetrise: str = option(
        "How to combine the two directions.",
        default=METHODS[-1],
        type=click.Choice(METHODS),
    )
    forward_out: Path | None = output("Also write the forward alignment here.")
    backward_out: Path | None = output("Also write the backward alignment here.")
    priors: Path | None = option("Start from priors that --save-priors wrote for other text.")
    save_priors: Path | None = output("Write priors for aligning other text here.")
    samplers: int | None = option(
        "Number of independent samplers, whose votes are summed.  [default: 3]", type=POSITIVE
    )
    length: float | None = option(
        "Number of iterations, as a multiple of eflomal's default.  [default: 1.0]",
        type=_Multiple(min=0, min_open=True),
    )
    leave_out: str | None = option(
        "Words to remove before aligning, which get no links: 'a an the ga o wa'.",
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
        """Aligns the text in both directions, or reads both alignments."""
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
                raise click.UsageError(
                    f"--{option} needs --source and --target, not --forward and --backward"
                )


align = command(Align)


def _write(path: Path, lines: Iterable[str]) -> None:
    from hyperbaton.foundation.files.writing import open_to_write

    with open_to_write(path) as stream:
        stream.writelines(f"{line}\n".encode() for line in lines)
