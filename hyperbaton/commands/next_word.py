"""`hyperbaton next-word`: what models know of the source word that is translated next."""

from dataclasses import replace
from pathlib import Path

import click

from hyperbaton.commands.options import FILE, corpus_options, skip_bad_option


@click.command("next-word")
@click.argument("model", type=FILE)
@corpus_options
@click.option("--sample", help="Sentences of an embedded sample instead: ja-en or zh-en.")
@click.option(
    "--split", default="test", show_default=True, help="Part of the sample: train, dev or test."
)
@click.option(
    "--distortion",
    multiple=True,
    metavar="NAME[,KEY=VALUE…]",
    help="Ask only this model of the system; may be given several times.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "csv", "json", "distances"]),
    default="table",
    show_default=True,
    help="distances: CSV of average probabilities by distance.",
)
@click.option(
    "--features",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Also print the N largest weights of each model.",
)
@click.option(
    "--plot", type=FILE, help="Also draw average probabilities by distance (png, svg or pdf)."
)
@click.option(
    "--resamples",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="For intervals.",
)
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True)
@skip_bad_option
def next_word(
    model: Path,
    source: Path | None,
    target: Path | None,
    alignment: Path | None,
    source_tags: Path | None,
    target_tags: Path | None,
    source_tree: Path | None,
    sample: str | None,
    split: str,
    distortion: tuple[str, ...],
    form: str,
    features: int,
    plot: Path | None,
    resamples: int,
    seed: int,
    skip_bad: bool,
) -> None:
    """Test models of the next source word on held-out sentences.

    \b
    hyperbaton next-word model --source dev.ja --target dev.en --alignment dev.align
    hyperbaton next-word model --sample ja-en --plot distances.svg --features 10

    Follows the word alignment of sentences that the system was not trained on, from one source word
    to the next in the order of the target, and asks the system's models (nine-class, pair,
    sequence) for the probability of each move. docs/goto.md explains the numbers.
    """
    from hyperbaton.console import progress_line, say
    from hyperbaton.samples import sample_files
    from hyperbaton.views.next_word_records import FORMATS
    from hyperbaton.views.picture_files import check_picture
    from models.data.corpus_reading import CorpusFiles, CorpusSettings, read_corpus
    from models.distortion.next_word.held_out import with_layers
    from models.errors import DataError
    from models.system.folder import load_distortion, load_source_classes
    from tuning.reproduction.exhibit import exhibit_text
    from tuning.reproduction.next_word import next_word_exhibit, weights_table
    from tuning.reproduction.next_word_study import next_word_models, study_models

    given = (source, target, alignment, source_tags, target_tags, source_tree)
    if sample is not None and any(path is not None for path in given):
        raise click.UsageError("give either --sample or files of your own, not both")
    if sample is not None:
        files, name = sample_files(sample, split), f"{sample} {split}"
    elif source is None or target is None or alignment is None:
        raise click.UsageError("give --source, --target and --alignment, or --sample")
    else:
        files, name = CorpusFiles(source, target, alignment, *given[3:]), source.name
    if features and form != "table":
        raise click.UsageError("--features prints text: leave out --format")
    if plot is not None:
        check_picture(plot)
    models = next_word_models(load_distortion(model, distortion), str(model))
    with progress_line() as progress:
        pairs, read = read_corpus(files, CorpusSettings(skip_bad=skip_bad), progress)
        for line in read.lines():
            say(line)
        if not len(pairs):
            raise DataError("there are no sentences to test on", where=str(files.source))
        pairs = with_layers(pairs, models, load_source_classes(model))
        study = study_models(models, pairs, resamples, seed, progress)
    exhibit = next_word_exhibit({name: study})
    weights = [weights_table(own, features) for own in models] if features else []
    shown = replace(exhibit, tables=[*exhibit.tables, *weights])
    click.echo(exhibit_text(shown) if form == "table" else FORMATS[form](study))
    if plot is not None:
        from hyperbaton.views.exhibit_pictures import draw_charts

        draw_charts(exhibit.charts, plot)
        say(f"drawn: {plot}")
