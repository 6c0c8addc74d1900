"""`hyperbaton evaluate`: scores of translations, with intervals and significance tests."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hyperbaton.commands.options import FILE

if TYPE_CHECKING:
    from tuning.metrics.base import Metric, Outputs

ALL = "all"
DEFAULT_METRICS = "bleu,chrf,ter"


@click.command()
@click.argument("hypotheses", type=FILE, nargs=-1, required=True, metavar="HYPOTHESES...")
@click.option(
    "--reference",
    "references",
    type=FILE,
    multiple=True,
    required=True,
    help="Reference translations; may be given several times.",
)
@click.option(
    "--metrics",
    "names",
    default=DEFAULT_METRICS,
    show_default=True,
    help="Names with commas between them, or all.",
)
@click.option("--baseline", type=FILE, help="Hypotheses that the others are tested against.")
@click.option(
    "--source-alignment",
    "alignments",
    type=FILE,
    multiple=True,
    help="Word alignment of the source with the hypotheses, for metrics of word order: one for "
    "each file of hypotheses, in their order. JSON lines bring their own.",
)
@click.option(
    "--reference-alignment", type=FILE, help="Word alignment of the source with the reference."
)
@click.option("--source", type=FILE, help="Source text, to know words that no alignment names.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "json", "latex", "markdown"]),
    default="table",
    show_default=True,
)
@click.option("--per-sentence", type=FILE, help="Also write the scores of each sentence (TSV).")
@click.option("--plot", type=FILE, help="Also draw the scores into this png, svg or pdf file.")
@click.option(
    "--tokenize",
    default="none",
    show_default=True,
    help="sacrebleu's tokeniser: none, 13a, intl, zh, char, ja-mecab.",
)
@click.option("--lowercase", is_flag=True, help="Ignore case.")
@click.option(
    "--test",
    type=click.Choice(["bootstrap", "randomisation"]),
    default="bootstrap",
    show_default=True,
    help="Paired bootstrap or approximate randomisation.",
)
@click.option(
    "--resamples",
    type=click.IntRange(min=0),
    default=1000,
    show_default=True,
    help="For intervals and tests; 0 leaves them out.",
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True)
def evaluate(
    hypotheses: tuple[Path, ...],
    references: tuple[Path, ...],
    names: str,
    baseline: Path | None,
    alignments: tuple[Path, ...],
    reference_alignment: Path | None,
    source: Path | None,
    form: str,
    per_sentence: Path | None,
    plot: Path | None,
    tokenize: str,
    lowercase: bool,
    test: str,
    resamples: int,
    seed: int,
) -> None:
    """Score translations against references.

    \b
    hyperbaton evaluate new.en --reference test.en
    hyperbaton evaluate old.en new.en --baseline old.en --reference test.en --reference test.2.en

    A sentence a line, plain or as JSON lines with the key "translation". An empty line in a second
    or later reference file means that there is no such reference for this sentence. Files ending in
    .gz are unpacked, - is standard input. docs/metrics.md tells what the metrics are.
    """
    from hyperbaton.console import progress_line, say
    from hyperbaton.views.evaluation_text import FORMATS, plot_scores, sentence_lines
    from hyperbaton.views.picture_files import check_picture
    from models.writing import open_to_write
    from tuning.evaluation import scoring as evaluation
    from tuning.evaluation.references import check_standard_input, read_references
    from tuning.metrics.catalogue import METRICS, check_name, make_metrics
    from tuning.metrics.words import TextOptions, load_tokeniser

    # What can be known to be wrong before anything is read
    wanted = list(METRICS) if names == ALL else [check_name(name) for name in names.split(",")]
    load_tokeniser(tokenize)
    if plot is not None:
        check_picture(plot)
    paths = list(dict.fromkeys([*([] if baseline is None else [baseline]), *hypotheses]))
    check_standard_input([*paths, *references])
    if alignments and len(alignments) != len(hypotheses):
        raise click.UsageError(
            f"{len(alignments)} alignments for {len(hypotheses)} files of hypotheses: "
            "give --source-alignment once for each"
        )
    groups = read_references(references)
    n_empty = sum(not group[0].strip() for group in groups)
    if n_empty:
        say(f"{n_empty} of {len(groups)} references are empty")
    metrics = make_metrics(wanted, groups, TextOptions(tokenize, lowercase))
    aligned = dict(zip(hypotheses, alignments, strict=False))
    if names == ALL and reference_alignment is None:
        metrics = [metric for metric in metrics if not metric.needs_visits]
    systems = _read_systems(
        paths, groups, references, metrics, aligned, reference_alignment, source
    )
    with progress_line() as progress:
        result = evaluation.evaluate(
            systems,
            metrics,
            baseline=None if baseline is None else str(baseline),
            test=test,
            n_resamples=resamples,
            seed=seed,
            progress=progress,
        )
    click.echo(FORMATS[form](result))
    if per_sentence is not None:
        with open_to_write(per_sentence) as stream:
            stream.writelines(f"{line}\n".encode() for line in sentence_lines(result))
    if plot is not None:
        plot_scores(result, plot)
        say(f"drawn: {plot}")


def _read_systems(
    paths: Sequence[Path],
    groups: list[list[str]],
    references: Sequence[Path],
    metrics: "Sequence[Metric]",
    aligned: dict[Path, Path],
    reference_alignment: Path | None,
    source: Path | None,
) -> "dict[str, Outputs]":
    """The outputs of every system, with visits if a metric needs them."""
    from models.data.text import split_words
    from tuning.evaluation.references import check_line_counts, read_hypotheses
    from tuning.metrics.base import Outputs
    from tuning.metrics.visits import read_visits

    order = next((metric.name for metric in metrics if metric.needs_visits), None)
    reference_visits = n_source = None
    if order is not None:
        if reference_alignment is None:
            raise click.UsageError(f"{order} needs --reference-alignment")
        if source is not None:
            lines = read_hypotheses(source).sentences
            check_line_counts({str(source): len(lines), str(references[0]): len(groups)})
            n_source = [len(split_words(line)) for line in lines]
        reference_visits = read_visits(reference_alignment, n_source)
        check_line_counts(
            {str(reference_alignment): len(reference_visits), str(references[0]): len(groups)}
        )
    systems = {}
    for path in paths:
        read = read_hypotheses(path)
        check_line_counts({str(path): len(read.sentences), str(references[0]): len(groups)})
        visits = None
        if order is not None:
            place = aligned.get(path, path if read.is_json else None)
            if place is None:
                raise click.UsageError(
                    f"{order} needs a word alignment for {path}: "
                    "give --source-alignment, or JSON lines with alignments"
                )
            if str(place) == "-":
                raise click.UsageError(
                    f"{order} reads the hypotheses twice: give a file in the place of -"
                )
            visits = read_visits(place, n_source)
            check_line_counts({str(place): len(visits), str(references[0]): len(groups)})
        systems[str(path)] = Outputs(read.sentences, groups, visits, reference_visits)
    return systems
