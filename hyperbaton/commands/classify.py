"""`hyperbaton classify`: how well learners predict the moves of phrases."""

from pathlib import Path

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
    help="Source phrases with so many examples have models of their own.",
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
    classes: tuple[int, ...],
    sizes: tuple[int, ...] | None,
    repeats: int,
    test_size: int | None,
    features: str,
    window: int | None,
    order: int,
    min_examples: int,
    pooled: bool,
    min_count: int,
    max_distance: int,
    csv_file: Path | None,
    json_file: Path | None,
    plots: Path | None,
    seed: int,
    threads: int,
    skip_bad: bool,
    assignments: tuple[str, ...],
) -> None:
    """Compare learners that predict whether and how far phrases move.

    \b
    hyperbaton classify --sample ja-en
    hyperbaton classify --source train.ja --target train.en --alignment train.align \\
        --learners lr,mms,me --sizes 10000,20000 --plots figures

    Phrase pairs of training sentences are the examples; those of other sentences are the test. The
    tables give the share of right predictions, F1 of each class, precision by distance, training
    time by each learner's own rule and to the same error, and how much of the data mlr-dual still
    looks at. docs/dpr.md tells what the learners are.
    """
    from hyperbaton.console import announce_compilation, progress_line, say
    from hyperbaton.samples import sample_files
    from hyperbaton.settings import load_settings
    from hyperbaton.views.classification_text import as_csv, as_json, as_text
    from models.data.corpus_reading import CorpusFiles, read_corpus
    from models.writing import open_to_write
    from tuning.reproduction.classification_experiment import (
        POOLED_ONLY,
        ExperimentSettings,
        check_experiment,
        learner_names,
        run_experiment,
    )

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
    experiment_settings = ExperimentSettings(
        learners=names,
        classes=classes,
        sizes=sizes or (),
        repeats=repeats,
        test_size=test_size or 0,
        features=features,
        window=-1 if window is None else window,
        order=order,
        min_examples=POOLED_ONLY if pooled else min_examples,
        min_count=min_count,
        max_distance=max_distance,
        seed=seed,
        threads=threads,
        tolerance_times=True,
    )
    check_experiment(experiment_settings)
    announce_compilation("models.distortion.dpr.ni_features")
    settings = load_settings([*(["corpus.skip_bad=true"] if skip_bad else []), *assignments])
    with progress_line() as progress:
        corpus, report = read_corpus(files, settings.corpus, progress)
        for line in report.lines():
            say(line)
        experiment = run_experiment(corpus, experiment_settings, progress)
    click.echo(as_text(experiment))
    for path, text in ((csv_file, as_csv), (json_file, as_json)):
        if path is not None:
            with open_to_write(path) as stream:
                stream.write(f"{text(experiment).rstrip()}\n".encode())
    if plots is not None:
        from hyperbaton.views.classification_plots import draw_all

        for path in draw_all(experiment, plots):
            say(f"drawn: {path}")
