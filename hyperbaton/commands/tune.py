"""`hyperbaton tune`: weights that translate a development set best."""

from pathlib import Path

import click

from hyperbaton.commands.options import FILE, LIMIT, set_option, threads_option


@click.command()
@click.argument("model", type=FILE)
@click.option("--source", type=FILE, required=True, help="Source text of the development set.")
@click.option(
    "--reference",
    "references",
    type=FILE,
    multiple=True,
    required=True,
    help="Its reference translations; may be given several times.",
)
@click.option("--source-tags", type=FILE, help="Tags of the source, or CoNLL-U.")
@click.option("--source-tree", type=FILE, help="Trees of the source: PTB brackets, or CoNLL-U.")
@click.option(
    "--reference-alignment",
    type=FILE,
    help="Word alignment of the source with the reference, for metrics of word order.",
)
@click.option(
    "--method",
    help="mert, pro, mira (minimum error rate training, pairwise ranking, batch MIRA), or an "
    "optimiser of your own as module:Class.  [default: mert]",
)
@click.option(
    "--metric",
    help="A metric of 'hyperbaton evaluate', or a sum: bleu-ter, bleu+ribes.  [default: bleu]",
)
@click.option("--n-best", type=int, help="Hypotheses for each sentence.  [default: 100]")
@click.option("--iterations", type=int, help="Decodings at most.  [default: 15]")
@click.option(
    "--replicas",
    type=click.IntRange(min=1),
    help="Runs, with seeds that follow one another.  [default: 3]",
)
@click.option("--seed", type=int, help="Seed of the first replica.  [default: 1]")
@click.option(
    "--protocol",
    type=click.Choice(["best", "goto", "average"]),
    help="Keep the best weights on the development set; tune on its first half and keep the best "
    "on the second; or average the replicas.  [default: best]",
)
@click.option("--average", is_flag=True, help="The same as --protocol average.")
@click.option(
    "--fix",
    "fixed",
    multiple=True,
    metavar="FEATURE[=WEIGHT]",
    help="Leave this weight as it is, or give it this value and leave it there; * stands for "
    "anything ('translation.*=0'); may be given several times.",
)
@click.option("--distortion-limit", type=LIMIT, help="Longest jump in words, or inf.")
@click.option("--state", type=FILE, help="Folder for traces and state.  [default: MODEL/tuning]")
@click.option("--restart", is_flag=True, help="Forget what is there, and begin anew.")
@click.option("--plot", type=FILE, help="Draw into this file.  [default: STATE/tuning.svg]")
@threads_option
@set_option
def tune(
    model: Path,
    source: Path,
    references: tuple[Path, ...],
    source_tags: Path | None,
    source_tree: Path | None,
    reference_alignment: Path | None,
    method: str | None,
    metric: str | None,
    n_best: int | None,
    iterations: int | None,
    replicas: int | None,
    seed: int | None,
    protocol: str | None,
    average: bool,
    fixed: tuple[str, ...],
    distortion_limit: int | None,
    state: Path | None,
    restart: bool,
    plot: Path | None,
    threads: int,
    assignments: tuple[str, ...],
) -> None:
    """Tune the weights of a system on a development set.

    \b
    hyperbaton tune model --source dev.ja --reference dev.en
    hyperbaton tune model --source dev.ja --reference dev.en --method mira --metric bleu-ter

    The system gets the weights that score best when the development set is really decoded with
    them, never worse ones than it had, and the distortion limit that was used. A run that is
    stopped goes on when the same command is given again. docs/tuning.md tells more.
    """
    from hyperbaton.console import say
    from hyperbaton.kernels import announce_compilation
    from hyperbaton.settings import load_settings
    from hyperbaton.tuning_run import TuningJob, tune_system
    from hyperbaton.views.picture_files import check_picture
    from hyperbaton.views.text_tables import print_blocks
    from hyperbaton.views.tuning_text import tuning_blocks
    from models.system.folder import NAME
    from tuning.evaluation.data_sets import DataSet

    announce_compilation("tuning.optimisers.envelope")
    if average and protocol == "goto":
        raise click.UsageError("--average and --protocol goto exclude each other")
    if plot is not None:
        check_picture(plot)
    given = {
        "tune.method": method,
        "tune.metric": metric,
        "tune.n_best": n_best,
        "tune.iterations": iterations,
        "tune.seed": seed,
        "tune.replicas": replicas,
        "tune.protocol": "average" if average else protocol,
        "search.distortion_limit": distortion_limit,
    }
    shortcuts = [f"{name}={value}" for name, value in given.items() if value is not None]
    dev = DataSet(source, references, "dev", reference_alignment, source_tags, source_tree)
    job = TuningJob(model, dev, fixed, state, restart, plot, threads)
    try:
        result, before = tune_system(
            job, lambda base: load_settings([*shortcuts, *assignments], base=base)
        )
    except KeyboardInterrupt:
        say("stopped; the same command goes on from here")
        raise
    print_blocks(tuning_blocks(result, before))
    say(f"tuned: {model / NAME}; traces and a picture: {job.folder}")
