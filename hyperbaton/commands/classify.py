"""`hyperbaton classify`: how well learners predict the moves of phrases."""

from pathlib import Path
from typing import Any

import click

from hyperbaton.commands.options import (
    FILE,
    corpus_options,
    set_option,
    skip_bad_option,
    threads_option,
)


class _Numbers(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """Whole numbers with commas between them."""

    name = "numbers"

    def convert(self, value: object, param: object, ctx: object) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return tuple(int(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not a list of whole numbers such as 200,400", param, ctx)  # type: ignore[arg-type]


NUMBERS = _Numbers()


@click.command()
@corpus_options
@click.option("--sample", help="Use an embedded sample instead: ja-en or zh-en.")
@click.option(
    "--learners",
    default="lr,mms,mmr,svm,me,mlr-dual",
    show_default=True,
    help="Names with commas between them, with settings if wanted: me:sigma=0.5:tolerance=1. lr "
    "counts phrase pairs.",
)
@click.option("--classes", type=NUMBERS, default="3,5", show_default=True, help="3, 5 or both.")
@click.option(
    "--sizes", type=NUMBERS, help="Training sentences of each experiment.  [default: 200,400,800]"
)
@click.option(
    "--repeats",
    type=click.IntRange(min=1),
    default=3,
    show_default=True,
    help="Repetitions, each with other sentences.",
)
@click.option(
    "--test-size",
    type=click.IntRange(min=1),
    help="Test sentences.  [default: a tenth of the corpus, at most 1000]",
)
@click.option("--features", default="ni", show_default=True, help="ni or alrajeh.")
@click.option("--window", type=int, help="Source words on each side.  [default: as in the paper]")
@click.option("--order", type=int, default=3, show_default=True, help="Of n-grams, for ni.")
@click.option(
    "--min-examples",
    type=click.IntRange(min=1),
    default=300,
    show_default=True,
    help="Source phrases with this many examples have models of their own.",
)
@click.option("--pooled", is_flag=True, help="One model for all source phrases.")
@click.option(
    "--min-count",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Leave out features that training has less often.",
)
@click.option(
    "--max-distance",
    type=click.IntRange(min=0),
    default=15,
    show_default=True,
    help="Leave out moves over more words.",
)
@click.option("--csv", "csv_file", type=FILE, help="Also write every measure of every run as CSV.")
@click.option("--json", "json_file", type=FILE, help="Also write everything as JSON.")
@click.option("--plots", type=FILE, help="Also draw the papers' figures into this folder.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True)
@threads_option
@skip_bad_option
@set_option
def classify(
    source: Path | None,
    target: Path | None,
    alignment: Path | None,
    source_tags: Path | None,
    target_tags: Path | None,
    source_tree: Path | None,
    sample: str | None,
    learners: str,
    sizes: tuple[int, ...] | None,
    test_size: int | None,
    window: int | None,
    min_examples: int,
    pooled: bool,
    csv_file: Path | None,
    json_file: Path | None,
    plots: Path | None,
    skip_bad: bool,
    assignments: tuple[str, ...],
    **plain: Any,
) -> None:
    """Compare learners that predict whether and how far phrases move.

    \b
    hyperbaton classify --sample ja-en
    hyperbaton classify --source train.ja --target train.en --alignment train.align \\
        --learners lr,mms,me --sizes 10000,20000 --plots figures

    Phrase pairs of training sentences are the examples; those of other sentences are the test. The
    tables give the share of right predictions, F1 of each class, precision by distance, training
    time by each learner's own rule and to the same error, and how much of the data mlr-dual still
    looks at; then which findings of Ni et al. (2011) hold. docs/dpr.md explains the learners.
    """
    from hyperbaton.console import progress_line, say
    from hyperbaton.kernels import announce_compilation
    from hyperbaton.samples import sample_files
    from hyperbaton.settings import load_settings
    from hyperbaton.views.experiment_records import as_csv, as_json
    from models.data.corpus_reading import CorpusFiles, read_corpus
    from models.writing import open_to_write
    from tuning.reproduction.exhibit import exhibit_text
    from tuning.reproduction.experiment_settings import (
        POOLED_ONLY,
        ExperimentSettings,
        learner_names,
    )
    from tuning.reproduction.learner_experiment import run_experiment
    from tuning.reproduction.ni import ni_exhibit

    given = (source, target, alignment, source_tags, target_tags, source_tree)
    if sample is not None and any(path is not None for path in given):
        raise click.UsageError("give either --sample or files of your own, not both")
    if sample is not None:
        files = sample_files(sample)
    elif source is None or target is None or alignment is None:
        raise click.UsageError("give --source, --target and --alignment, or --sample")
    else:
        files = CorpusFiles(source, target, alignment)
    names = learner_names(learners)
    if not names:
        raise click.UsageError("--learners names none")
    wanted = ExperimentSettings(
        learners=names,
        sizes=sizes or (),
        test_size=test_size or 0,
        window=-1 if window is None else window,
        min_examples=POOLED_ONLY if pooled else min_examples,
        tolerance_times=True,
        **plain,
    )
    wanted.check()
    announce_compilation("models.distortion.dpr.ni_features")
    settings = load_settings([*(["corpus.skip_bad=true"] if skip_bad else []), *assignments])
    with progress_line() as progress:
        corpus, report = read_corpus(files, settings.corpus, progress)
        for line in report.lines():
            say(line)
        experiment = run_experiment(corpus, wanted, progress)
    exhibit = ni_exhibit(experiment)
    click.echo(exhibit_text(exhibit))
    for path, text in ((csv_file, as_csv), (json_file, as_json)):
        if path is not None:
            with open_to_write(path) as stream:
                stream.write(f"{text(experiment)}\n".encode())
    if plots is not None:
        from hyperbaton.views.exhibit_pictures import draw_exhibit
        from hyperbaton.views.phrase_gains_picture import draw_phrase_gains

        for path in [*draw_exhibit(exhibit, plots), *draw_phrase_gains(experiment, plots)]:
            say(f"drawn: {path}")
