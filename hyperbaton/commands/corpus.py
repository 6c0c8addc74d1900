"""`hyperbaton corpus`: check a parallel corpus and look at it before anything is trained."""

from dataclasses import asdict
from pathlib import Path

import click
from click.core import ParameterSource

from hyperbaton.commands.options import FILE, corpus_options, set_option, skip_bad_option


@click.command()
@corpus_options
@click.option("--sample", help="Look at an embedded sample instead: ja-en or zh-en.")
@click.option(
    "--split", default="train", show_default=True, help="Part of the sample: train, dev or test."
)
@skip_bad_option
@click.option(
    "--show",
    "numbers",
    type=int,
    multiple=True,
    metavar="N",
    help="Show pair N (from 0) with tags, links and tree, not the statistics.",
)
@click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
@click.option("--plot", type=FILE, help="Also draw the distances into this png, svg or pdf file.")
@set_option
@click.pass_context
def corpus(
    context: click.Context,
    source: Path | None,
    target: Path | None,
    alignment: Path | None,
    source_tags: Path | None,
    target_tags: Path | None,
    source_tree: Path | None,
    sample: str | None,
    split: str,
    skip_bad: bool,
    numbers: tuple[int, ...],
    form: str,
    plot: Path | None,
    assignments: tuple[str, ...],
) -> None:
    """Check a parallel corpus and show its sizes and distances.

    \b
    hyperbaton corpus --source train.ja.gz --target train.en.gz --alignment train.align
    hyperbaton corpus --sample zh-en --show 0

    Files ending in .gz are unpacked, - is standard input. A bad line (unequal line counts, a link
    outside its sentence, a tree over other words ...) ends the reading with file and line, or is
    counted with --skip-bad.
    """
    import json

    from hyperbaton.console import progress_line, say
    from hyperbaton.samples import sample_files
    from hyperbaton.settings import load_settings
    from hyperbaton.views.corpus_text import describe, plot_distances, show_pair
    from hyperbaton.views.picture_files import check_picture
    from models.data.corpus_reading import CorpusFiles, read_corpus
    from models.data.corpus_statistics import statistics

    given = (source, target, alignment, source_tags, target_tags, source_tree)
    if sample is not None and any(path is not None for path in given):
        raise click.UsageError("give either --sample or files of your own, not both")
    if sample is None and context.get_parameter_source("split") is ParameterSource.COMMANDLINE:
        raise click.UsageError("--split is for --sample")
    if numbers and (form != "text" or plot is not None):
        raise click.UsageError("--show prints pairs as text: leave out --format json and --plot")
    if sample is not None:
        files = sample_files(sample, split)
    elif source is None or target is None:
        raise click.UsageError("give --source and --target, or --sample")
    else:
        files = CorpusFiles(source, target, *given[2:])
    if plot is not None:
        check_picture(plot)
    switches = ["corpus.skip_bad=true"] if skip_bad else []
    settings = load_settings([*switches, *assignments])
    with progress_line() as progress:
        pairs, report = read_corpus(files, settings.corpus, progress)
    for line in report.lines():
        say(line)
    if numbers:
        click.echo("\n\n".join(show_pair(pairs, number) for number in numbers))
        return
    result = statistics(pairs)
    click.echo(json.dumps(asdict(result)) if form == "json" else describe(result))
    if plot is not None:
        plot_distances({sample or str(source): result}, plot)
        say(f"drawn: {plot}")
