"""`hyperbaton study learners`: compares classifiers that predict how phrases move."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hyperbaton.commands.far_workers import far_workers
from hyperbaton.commands.parameters import (
    NOT_NEGATIVE,
    POSITIVE,
    TextCommand,
    cluster_option,
    command,
    config_option,
    flag,
    option,
    output,
    set_option,
    threads_option,
)
from hyperbaton.console import announce_compilation, progress_line, say

if TYPE_CHECKING:
    from hyperbaton.tuning.reproduction.experiment_settings import ExperimentSettings


class _Numbers(click.ParamType):  # type: ignore[type-arg, unused-ignore]
    """Comma-separated whole numbers."""

    name = "numbers"

    def convert(self, value: object, param: object, ctx: object) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return tuple(int(part) for part in str(value).split(","))
        except ValueError:
            self.fail(f"{value!r} is not a list of whole numbers such as 200,400", param, ctx)  # type: ignore[arg-type]


@dataclass(frozen=True, kw_only=True)
class Learners(TextCommand):
    """Compare classifiers that predict how phrases move.

    \b
    hyperbaton study learners --sample ja-en
    hyperbaton study learners --source train.ja --target train.en \\
        --alignment train.align --learners lr,mms,me --plot figures

    Trains on phrase pairs of some sentences and tests on those of others. The tables give accuracy,
    F1 of each class, precision by distance, training time with each learner's stopping rule and to
    the same error, and the share of examples still active in mlr-dual; then which findings of Ni
    et al. (2011) hold. docs/understand/dpr.md explains the learners.
    """

    learners: str = option(
        "Comma-separated names with optional settings: me:sigma=0.5:tolerance=1. lr estimates from "
        "counts.",
        default="lr,mms,mmr,svm,me,mlr-dual",
    )
    moves: str = option(
        "Classes of moves: distance (Ni et al.) or msd, monotone, swap and discontinuous (Alrajeh "
        "and Niranjan).",
        default="distance",
    )
    classes: tuple[int, ...] = option(
        "Number of distance classes: 3, 5 or both.  [default: 3,5; 3 for msd]",
        default=(),
        type=_Numbers(),
        multiple=False,
        show_default=False,
    )
    sizes: tuple[int, ...] = option(
        "Numbers of training sentences, one experiment each.  [default: 200,400,800]",
        default=(),
        type=_Numbers(),
        multiple=False,
    )
    repeats: int = option(
        "Number of repetitions, each with other sentences.", default=3, type=POSITIVE
    )
    test_size: int | None = option(
        "Number of test sentences.  [default: a tenth of the corpus, at most 1000]", type=POSITIVE
    )
    feature_set: str = option("Features of the phrases: ni or alrajeh.", default="ni")
    window: int | None = option("Source words of context on each side.  [default: as in the paper]")
    ngram_order: int = option("Maximum order of n-gram features, for ni.", default=3)
    models: str = option(
        "pooled: one model for all rare source phrases; paper: one for each source phrase of the "
        "test sentences and no other (Ni et al.).",
        default="pooled",
    )
    min_examples: int = option(
        "Train a separate model for each source phrase with this many examples.",
        default=300,
        type=POSITIVE,
    )
    pooled: bool = flag("Train one model for all source phrases.")
    min_feature_count: int = option(
        "Omit features that occur less often in training.", default=1, type=POSITIVE
    )
    max_distance: int = option("Omit moves over more words.", default=15, type=NOT_NEGATIVE)
    out: tuple[Path, ...] = output(
        "Also write the measures of every run (.csv) or the complete results (.json) here; may be "
        "repeated.",
        "-o",
        "--out",
        default=(),
    )
    plot: Path | None = option("Also draw the papers' figures into this folder.", metavar="FOLDER")
    seed: int = option("Random seed.", default=1, type=NOT_NEGATIVE)
    threads: int = threads_option()
    cluster: str | None = cluster_option()
    config: Path | None = config_option()
    assignments: tuple[str, ...] = set_option()

    def run(self) -> None:
        from hyperbaton.corpus.corpora.reading import read_corpus
        from hyperbaton.corpus.raw_text.both_sides import corpus_tokenisers
        from hyperbaton.foundation.files.writing import open_to_write
        from hyperbaton.samples import NOTE
        from hyperbaton.tuning.evaluation.verdicts import with_caveat
        from hyperbaton.tuning.reproduction.exhibit import exhibit_text
        from hyperbaton.tuning.reproduction.learner_experiment import run_experiment
        from hyperbaton.tuning.reproduction.ni import ni_exhibit
        from hyperbaton.views.study_records import experiment_csv, experiment_json

        records = {".csv": experiment_csv, ".json": experiment_json}
        for path in self.out:
            if path.suffix not in records:
                raise click.UsageError(f"{path}: expected a name that ends in .csv or .json")

        files = self.files()
        wanted = self.experiment()
        wanted.check()
        announce_compilation("hyperbaton.models.distortion.dpr.ni_features")
        settings = self.settings(self.assignments, ["corpus", "text"])
        with progress_line() as progress:
            tokenise = corpus_tokenisers(settings.text, settings.corpus)
            corpus, report = read_corpus(files, settings.corpus, progress, tokenise)
            for line in report.lines():
                say(line)
            with far_workers(self.cluster) as workers:
                experiment = run_experiment(corpus, wanted, progress, workers)
        exhibit = ni_exhibit(experiment)
        findings = with_caveat(exhibit.findings, NOTE if self.sample else "")
        click.echo(exhibit_text(replace(exhibit, findings=findings)))
        for path in self.out:
            with open_to_write(path) as stream:
                stream.write(f"{records[path.suffix](experiment)}\n".encode())
        if self.plot is not None:
            from hyperbaton.views.exhibit_pictures import draw_exhibit, draw_phrase_gains

            pictures = draw_exhibit(exhibit, self.plot)
            for path in [*pictures, *draw_phrase_gains(experiment, self.plot)]:
                say(f"drawn: {path}")

    def experiment(self) -> "ExperimentSettings":
        from hyperbaton.tuning.reproduction.experiment_settings import (
            POOLED_ONLY,
            ExperimentSettings,
            learner_names,
        )

        names = learner_names(self.learners)
        if not names:
            raise click.UsageError("--learners is empty: name at least one learner")
        return ExperimentSettings(
            learners=names,
            classes=self.classes or ((3, 5) if self.moves == "distance" else (3,)),
            moves=self.moves,
            sizes=self.sizes,
            repeats=self.repeats,
            test_size=self.test_size or 0,
            features=self.feature_set,
            window=-1 if self.window is None else self.window,
            order=self.ngram_order,
            protocol=self.models,
            min_examples=POOLED_ONLY if self.pooled else self.min_examples,
            min_count=self.min_feature_count,
            max_distance=self.max_distance,
            seed=self.seed,
            threads=self.threads,
            tolerance_times=True,
        )


learners = command(Learners)
