"""`hyperbaton evaluate`: scores of translations, with intervals and significance tests."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hyperbaton.commands.parameters import (
    NOT_NEGATIVE,
    REQUIRED,
    Command,
    argument,
    command,
    flag,
    option,
    output,
)
from hyperbaton.console import progress_line, say

if TYPE_CHECKING:
    from hyperbaton.tuning.metrics.base import Metric, Outputs

ALL = "all"


@dataclass(frozen=True, kw_only=True)
class Evaluate(Command):
    """Score translations against references.

    \b
    hyperbaton evaluate new.en --reference test.en
    hyperbaton evaluate old.en new.en --baseline old.en --reference test.en \\
        --reference test.2.en

    A sentence a line, plain or as JSON lines with the key "translation" or "text": what
    translate --format json and compare write. An empty line in a second or later reference file
    means that there is no such reference for this sentence. Files ending in .gz, .bz2, .xz or .zst
    are unpacked, - is standard input. docs/reference/metrics.md explains the metrics.
    """

    hypotheses: tuple[Path, ...] = argument(default=REQUIRED, metavar="HYPOTHESES...")
    references: tuple[Path, ...] = option(
        "Reference translations; may be given several times.", "--reference", default=REQUIRED
    )
    names: str = option("Comma-separated names, or all.", "--metrics", default="bleu,chrf,ter")
    baseline: Path | None = option("Hypotheses that the others are tested against.")
    alignments: tuple[Path, ...] = option(
        "Word alignment of the source with the hypotheses, for metrics of word order: one for "
        "each file of hypotheses, in their order. JSON lines bring their own.",
        "--source-alignment",
        default=(),
    )
    reference_alignment: Path | None = option("Word alignment of the source with the reference.")
    source: Path | None = option("Source text, which shows source words without links.")
    form: str = option(
        "",
        "--format",
        default="table",
        type=click.Choice(["table", "csv", "json", "latex", "markdown"]),
    )
    per_sentence: Path | None = output("Also write the scores of each sentence (TSV).")
    plot: Path | None = output("Also draw the scores into this png, svg or pdf file.")
    tokenize: str = option(
        "sacrebleu's tokeniser: none, 13a, intl, zh, char, ja-mecab, ko-mecab; none is for tokens, "
        "13a is usual for raw text.",
        default="none",
    )
    lowercase: bool = flag("Ignore case.")
    significance_test: str = option(
        "Paired bootstrap or approximate randomisation.",
        default="bootstrap",
        type=click.Choice(["bootstrap", "randomisation"]),
    )
    resamples: int = option(
        "For intervals and tests; 0 leaves them out.", default=1000, type=NOT_NEGATIVE
    )
    seed: int = option(default=1, type=NOT_NEGATIVE)

    def run(self) -> None:
        from hyperbaton.foundation.files.writing import open_to_write
        from hyperbaton.tuning.evaluation import scoring
        from hyperbaton.tuning.evaluation.references import (
            check_standard_input,
            look_raw,
            read_references,
        )
        from hyperbaton.tuning.metrics.catalogue import METRICS, check_name, make_metrics
        from hyperbaton.tuning.metrics.words import TextOptions, load_tokeniser
        from hyperbaton.views.evaluation_text import FORMATS, plot_scores, sentence_lines
        from hyperbaton.views.picture_files import check_picture

        # Refuse what is wrong before reading anything
        every = self.names == ALL
        wanted = list(METRICS) if every else [check_name(name) for name in self.names.split(",")]
        load_tokeniser(self.tokenize)
        if self.plot is not None:
            check_picture(self.plot)
        check_standard_input([*self.paths, *self.references])
        if self.alignments and len(self.alignments) != len(self.hypotheses):
            raise click.UsageError(
                f"{len(self.alignments)} alignments for {len(self.hypotheses)} files of "
                "hypotheses: give --source-alignment once for each"
            )
        groups = read_references(self.references)
        n_empty = sum(not group[0].strip() for group in groups)
        if n_empty:
            say(f"{n_empty} of {len(groups)} references are empty")
        if self.tokenize == "none" and look_raw(groups):
            say("the references look like raw text: try --tokenize 13a (docs/reference/metrics.md)")
        metrics = make_metrics(wanted, groups, TextOptions(self.tokenize, self.lowercase))
        if every and self.reference_alignment is None:
            metrics = [metric for metric in metrics if not metric.needs_visits]
        systems = self.outputs(groups, metrics)
        with progress_line() as progress:
            result = scoring.evaluate(
                systems,
                metrics,
                baseline=None if self.baseline is None else str(self.baseline),
                test=self.significance_test,
                n_resamples=self.resamples,
                seed=self.seed,
                progress=progress,
            )
        click.echo(FORMATS[self.form](result))
        if self.per_sentence is not None:
            with open_to_write(self.per_sentence) as stream:
                stream.writelines(f"{line}\n".encode() for line in sentence_lines(result))
        if self.plot is not None:
            plot_scores(result, self.plot)
            say(f"drawn: {self.plot}")

    @property
    def paths(self) -> list[Path]:
        """All files of translations, the baseline first."""
        baseline = [] if self.baseline is None else [self.baseline]
        return list(dict.fromkeys([*baseline, *self.hypotheses]))

    def outputs(self, groups: list[list[str]], metrics: "Sequence[Metric]") -> "dict[str, Outputs]":
        """The outputs of every system, with visits if a metric needs them."""
        from hyperbaton.tuning.evaluation.references import read_hypotheses
        from hyperbaton.tuning.metrics.base import Outputs
        from hyperbaton.tuning.metrics.visits import read_visits

        order = next((metric.name for metric in metrics if metric.needs_visits), None)
        reference_visits = n_source = None
        if order is not None:
            if self.reference_alignment is None:
                raise click.UsageError(f"{order} needs --reference-alignment")
            n_source = self._source_lengths(groups)
            reference_visits = read_visits(self.reference_alignment, n_source)
            self._check_length(self.reference_alignment, reference_visits, groups)
        systems = {}
        for path in self.paths:
            read = read_hypotheses(path)
            self._check_length(path, read.sentences, groups)
            visits = None
            if order is not None:
                place = self._alignment_of(path, order, is_json=read.is_json)
                visits = read_visits(place, n_source)
                self._check_length(place, visits, groups)
            systems[str(path)] = Outputs(read.sentences, groups, visits, reference_visits)
        return systems

    def _source_lengths(self, groups: list[list[str]]) -> list[int] | None:
        """Words of every source sentence, if the source is given."""
        from hyperbaton.corpus.text import split_words
        from hyperbaton.tuning.evaluation.references import read_hypotheses

        if self.source is None:
            return None
        lines = read_hypotheses(self.source).sentences
        self._check_length(self.source, lines, groups)
        return [len(split_words(line)) for line in lines]

    def _alignment_of(self, path: Path, order: str, *, is_json: bool) -> Path:
        """Where the word alignment of a system's translations is."""
        aligned = dict(zip(self.hypotheses, self.alignments, strict=False))
        place = aligned.get(path, path if is_json else None)
        if place is None:
            raise click.UsageError(
                f"{order} needs a word alignment for {path}: "
                "give --source-alignment, or JSON lines with alignments"
            )
        if str(place) == "-":
            raise click.UsageError(f"{order} reads the hypotheses twice: give a file instead of -")
        return place

    def _check_length(self, path: Path, rows: Sequence[object], groups: list[list[str]]) -> None:
        from hyperbaton.tuning.evaluation.references import check_line_counts

        check_line_counts({str(path): len(rows), str(self.references[0]): len(groups)})


evaluate = command(Evaluate)
