"""`hyperbaton tune`: tunes the weights of a system on a development set."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hyperbaton.commands.far_workers import far_workers
from hyperbaton.commands.parameters import (
    POSITIVE,
    REQUIRED,
    Command,
    argument,
    cluster_option,
    command,
    config_option,
    flag,
    limit_option,
    option,
    output,
    plugins_option,
    set_option,
    threads_option,
)
from hyperbaton.console import announce_compilation, reporting, say

if TYPE_CHECKING:
    from hyperbaton.tuning.weights.system_tuning import TuningJob

AVERAGE, GOTO = "average", "goto"


@dataclass(frozen=True, kw_only=True)
class Tune(Command):
    """Tune the weights of a system on a development set.

    \b
    hyperbaton tune system --source dev.ja --reference dev.en
    hyperbaton tune system --source dev.ja --reference dev.en --metric bleu-ter

    Stores in the system the weights with the best score when the development set is decoded with
    them, and the distortion limit used. Weights that score worse than the old ones are never
    stored. To resume a stopped run, repeat the command. See docs/use/tuning.md.
    """

    model: Path = argument(default=REQUIRED, metavar="SYSTEM")
    source: Path = option("Source text of the development set.", default=REQUIRED)
    references: tuple[Path, ...] = option(
        "Its reference translations; may be repeated.", "--reference", default=REQUIRED
    )
    source_tags: Path | None = option("Tags of the source, or CoNLL-U.")
    source_tree: Path | None = option("Trees of the source: PTB brackets, or CoNLL-U.")
    tokenised: bool = flag("The texts are already tokenised, although the system takes raw text.")
    reference_alignment: Path | None = option(
        "Word alignment of the source with the reference, for word order metrics."
    )
    method: str | None = option(
        "mira (batch MIRA), mert (minimum error rate training), mert-lattice (the same on search "
        "lattices), pro (pairwise ranking), or your optimiser as module:Class.  "
        "[default: mira]",
        sets="tune.method",
    )
    metric: str | None = option(
        "A metric of 'hyperbaton evaluate', or a sum: bleu-ter, bleu+ribes.  [default: bleu]",
        sets="tune.metric",
    )
    n_best: int | None = option("Length of n-best lists.  [default: 100]", sets="tune.n_best")
    iterations: int | None = option(
        "Maximum number of decoding rounds.  [default: 10 with mira, else 15]",
        sets="tune.iterations",
    )
    replicas: int | None = option(
        "Number of tuning runs, with consecutive seeds.  [default: 3]",
        sets="tune.replicas",
        type=POSITIVE,
    )
    seed: int | None = option("Seed of the first replica.  [default: 1]", sets="tune.seed")
    protocol: str | None = option(
        "Which weights to store: the best on the development set (best); the best on its second "
        "half after tuning on the first (goto); or the mean of the replicas (average).  "
        "[default: best]",
        sets="tune.protocol",
        type=click.Choice(["best", GOTO, AVERAGE]),
    )
    average: bool = flag("The same as --protocol average.")
    fixed: tuple[str, ...] = option(
        "Do not tune this weight; keep its value or the one given. * matches anything "
        "('translation.*=0'); may be repeated.",
        "--fix",
        default=(),
        metavar="FEATURE[=WEIGHT]",
    )
    distortion_limit: int | None = limit_option()
    choose_mbr_scale: bool = flag(
        "Also store the scale for minimum Bayes risk ('hyperbaton translate --mbr') that scores "
        "best on the development set."
    )
    state: Path | None = option("Folder for traces and state.  [default: SYSTEM/tuning]")
    restart: bool = flag("Discard earlier state and start over.")
    plot: Path | None = output("Draw the progress of tuning here.  [default: STATE/tuning.svg]")
    allow_plugins: bool = plugins_option()
    threads: int = threads_option()
    cluster: str | None = cluster_option()
    config: Path | None = config_option()
    assignments: tuple[str, ...] = set_option()

    def run(self) -> None:
        from hyperbaton.models.system.folder import NAME
        from hyperbaton.settings import settings_of_system
        from hyperbaton.tuning.weights.system_tuning import tune_system
        from hyperbaton.views.picture_files import check_picture
        from hyperbaton.views.text_tables import print_blocks
        from hyperbaton.views.tuning_text import plot_tuning, tuning_blocks

        announce_compilation("hyperbaton.tuning.optimisers.line_search")
        if self.average and self.protocol == GOTO:
            raise click.UsageError("--average and --protocol goto exclude each other")
        if self.plot is not None:
            check_picture(self.plot)
        average = (f"tune.protocol={AVERAGE}",) if self.average else ()
        settings = self.settings(
            (*average, *self.assignments), ["tune", "search"], settings_of_system(self.model)
        )
        job = self.job()
        with reporting(resumes=True) as reporter, far_workers(self.cluster) as workers:
            result, before = tune_system(job, settings.tune, settings.search, reporter, workers)
        plot_tuning(result, self.plot or job.picture)
        print_blocks(tuning_blocks(result, before))
        done = "tuned" if result.gained else "no gain, weights unchanged"
        say(f"{done}: {self.model / NAME}; traces and a picture: {job.folder}")

    def job(self) -> "TuningJob":
        """The system, its development set and the options that are not settings."""
        from hyperbaton.tuning.evaluation.data_sets import DataSet
        from hyperbaton.tuning.weights.system_tuning import TuningJob

        layers = self.reference_alignment, self.source_tags, self.source_tree
        dev = DataSet(self.source, self.references, "dev", *layers)
        how = self.restart, self.threads, self.allow_plugins, self.choose_mbr_scale, self.tokenised
        return TuningJob(self.model, dev, self.fixed, self.state, *how)


tune = command(Tune)
