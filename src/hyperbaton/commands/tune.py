"""`hyperbaton tune`: weights that translate a development set best."""

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

    The system receives the weights that score best when the development set is actually decoded
    with them, never worse than the old ones, and the distortion limit that was used. To resume a
    stopped run, give the same command again. See docs/use/tuning.md.
    """

    model: Path = argument(default=REQUIRED, metavar="SYSTEM")
    source: Path = option("Source text of the development set.", default=REQUIRED)
    references: tuple[Path, ...] = option(
        "Its reference translations; may be given several times.", "--reference", default=REQUIRED
    )
    source_tags: Path | None = option("Tags of the source, or CoNLL-U.")
    source_tree: Path | None = option("Trees of the source: PTB brackets, or CoNLL-U.")
    tokenised: bool = flag("The texts are tokens, though the system takes raw text.")
    reference_alignment: Path | None = option(
        "Word alignment of the source with the reference, for metrics of word order."
    )
    method: str | None = option(
        "mira (batch MIRA), mert (minimum error rate training), mert-lattice (the same on search "
        "lattices), pro (pairwise ranking), or an optimiser of your own as module:Class.  "
        "[default: mira]",
        sets="tune.method",
    )
    metric: str | None = option(
        "A metric of 'hyperbaton evaluate', or a sum: bleu-ter, bleu+ribes.  [default: bleu]",
        sets="tune.metric",
    )
    n_best: int | None = option("Hypotheses for each sentence.  [default: 100]", sets="tune.n_best")
    iterations: int | None = option("Decodings at most.  [default: 15]", sets="tune.iterations")
    replicas: int | None = option(
        "Tuning runs, with consecutive seeds.  [default: 3]",
        sets="tune.replicas",
        type=POSITIVE,
    )
    seed: int | None = option("Seed of the first replica.  [default: 1]", sets="tune.seed")
    protocol: str | None = option(
        "Keep the best weights on the development set; tune on its first half and keep the "
        "best on the second; or average the replicas.  [default: best]",
        sets="tune.protocol",
        type=click.Choice(["best", GOTO, AVERAGE]),
    )
    average: bool = flag("The same as --protocol average.")
    fixed: tuple[str, ...] = option(
        "Leave this weight as it is, or give it this value and leave it there; * stands for "
        "anything ('translation.*=0'); may be given several times.",
        "--fix",
        default=(),
        metavar="FEATURE[=WEIGHT]",
    )
    distortion_limit: int | None = limit_option()
    choose_mbr_scale: bool = flag(
        "Also choose the scale for minimum Bayes risk ('hyperbaton translate --mbr') that scores "
        "best on the development set, and keep it in the system."
    )
    state: Path | None = option("Folder for traces and state.  [default: SYSTEM/tuning]")
    restart: bool = flag("Discard earlier state and start over.")
    plot: Path | None = output("Draw into this file.  [default: STATE/tuning.svg]")
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
        try:
            with reporting(resumes=True) as reporter, far_workers(self.cluster) as workers:
                result, before = tune_system(job, settings.tune, settings.search, reporter, workers)
        except KeyboardInterrupt:
            say("stopped; run the same command again to resume")
            raise
        plot_tuning(result, self.plot or job.picture)
        print_blocks(tuning_blocks(result, before))
        done = "tuned" if result.gained else "nothing was gained, the weights are unchanged"
        say(f"{done}: {self.model / NAME}; traces and a picture: {job.folder}")

    def job(self) -> "TuningJob":
        """The system and its development set, without the settings."""
        from hyperbaton.tuning.evaluation.data_sets import DataSet
        from hyperbaton.tuning.weights.system_tuning import TuningJob

        layers = self.reference_alignment, self.source_tags, self.source_tree
        dev = DataSet(self.source, self.references, "dev", *layers)
        how = self.restart, self.threads, self.allow_plugins, self.choose_mbr_scale, self.tokenised
        return TuningJob(self.model, dev, self.fixed, self.state, *how)


tune = command(Tune)
