"""`hyperbaton evaluate`: scores translations, with intervals and significance tests."""

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

    Files have one sentence per line, as plain text or as JSON with the key "translation" or "text"
    (as written by translate --format json and by compare). An empty line in a second or later
    reference file means that the sentence has no such reference. Files ending in .gz, .bz2, .xz or
    .zst are decompressed; - is standard input. docs/reference/metrics.md explains the metrics.
    """

    hypotheses: tuple[Path, ...] = argument(default=REQUIRED, metavar="HYPOTHESES...")
    references: tuple[Path, ...] = option(
        "Reference translations; may be repeated.", "--reference", default=REQUIRED
    )
    names: str = option(
        "Comma-separated names of metrics, or all.", "--metrics", default="bleu,chrf,ter"
    )
    baseline: Path | None = option("Hypotheses to test the others against.")
    alignments: tuple[Path, ...] = option(
        "Word alignment of the source with the hypotheses, for word order metrics: one per "
        "file of hypotheses, in the same order. JSON lines may include alignments.",
        "--source-alignment",
        default=(),
    )
    reference_alignment: Path | None = option("Word alignment of the source with the reference.")
    source: Path | None = option("Source text; needed to count unaligned source words.")
    form: str = option(
        "Output format.",
        "--format",
        default="table",
        type=click.Choice(["table", "csv", "json", "latex", "markdown"]),
    )
    per_sentence: Path | None = output("Also write the score of every sentence (TSV).")
    plot: Path | None = output("Also draw the scores (png, svg or pdf).")
    tokenize: str = option(
        "sacrebleu tokeniser: none, 13a, intl, zh, char, ja-mecab, ko-mecab. Use none for "
        "tokenised text; 13a is usual for raw text.",
        default="none",
    )
    lowercase: bool = flag("Ignore case.")
    significance_test: str = option(
        "Paired bootstrap or approximate randomisation.",
        default="bootstrap",
        type=click.Choice(["bootstrap", "randomisation"]),
    )
    resamples: int = option(
        "Number of resamples for intervals and tests; 0: no intervals and tests.",
        default=1000,
        type=NOT_NEGATIVE,
    )
    seed: int = option("Random seed.", default=1, type=NOT_NEGATIVE)

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

        # Check the options before reading anything
        every = self.names == ALL
        wanted = list(METRICS) if every else [check_name(name) for name in self.names.split(",")]
        load_tokeniser(self.tokenize)
        if self.plot is not None:
            check_picture(self.plot)
        check_standard_input([*self.paths, *self.references])
        if self.alignments and len(self.alignments) != len(self.hypotheses):
            raise click.UsageError(
                f"{len(self.alignments)} alignments for {len(self.hypotheses)} files of "
                "hypotheses: give one --source-alignment per file"
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
        """All files of hypotheses, the baseline first."""
        baseline = [] if self.baseline is None else [self.baseline]
        return list(dict.fromkeys([*baseline, *self.hypotheses]))

    def outputs(self, groups: list[list[str]], metrics: "Sequence[Metric]") -> "dict[str, Outputs]":
        """Reads the translations of every system, with visits if a metric needs them."""
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
        """The number of words of every source sentence; None without `--source`."""
        from hyperbaton.corpus.text import split_words
        from hyperbaton.tuning.evaluation.references import read_hypotheses

        if self.source is None:
            return None
        lines = read_hypotheses(self.source).sentences
        self._check_length(self.source, lines, groups)
        return [len(split_words(line)) for line in lines]

    def _alignment_of(self, path: Path, order: str, *, is_json: bool) -> Path:
        """The file with the word alignment of a system's translations."""
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
