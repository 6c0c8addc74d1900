"""`hyperbaton train`: from a parallel corpus to a translation system."""

from pathlib import Path

import click

from hyperbaton.commands.options import (
    FILE,
    corpus_options,
    set_option,
    skip_bad_option,
    threads_option,
)


@click.command()
@corpus_options
@click.option("--sample", help="Train on an embedded sample instead: ja-en or zh-en.")
@click.option("--out", type=FILE, required=True, help="Folder of the system; made if missing.")
@click.option("--lm-order", type=int, help="Order of the language model.  [default: 5]")
@click.option(
    "--lm-text",
    "lm_texts",
    type=FILE,
    multiple=True,
    help="More target text for the language model; may be given several times.",
)
@click.option("--max-phrase-length", type=int, help="Words of a phrase, 1 to 8.  [default: 7]")
@click.option(
    "--distortion",
    multiple=True,
    metavar="NAME[,KEY=VALUE…]",
    help="Fit this distortion model; may be given several times.  [default: linear msd]",
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of all random steps.")
@click.option("--config", type=FILE, help="TOML file with settings.")
@threads_option
@skip_bad_option
@set_option
def train(
    source: Path | None,
    target: Path | None,
    alignment: Path | None,
    source_tags: Path | None,
    target_tags: Path | None,
    source_tree: Path | None,
    sample: str | None,
    out: Path,
    lm_order: int | None,
    lm_texts: tuple[Path, ...],
    max_phrase_length: int | None,
    distortion: tuple[str, ...],
    seed: int,
    config: Path | None,
    threads: int,
    skip_bad: bool,
    assignments: tuple[str, ...],
) -> None:
    """Train a translation system from a word-aligned corpus.

    \b
    hyperbaton train --source train.ja --target train.en --alignment train.align --out model
    hyperbaton train --sample ja-en --distortion linear --distortion pair --out model

    Makes a phrase table with reordering scores, a language model, word classes, and whatever the
    distortion models learn (hyperbaton models lists them). Stages whose inputs have not
    changed are not run again; a run that is stopped half way leaves the old system, or none, and
    the next one goes on from its last finished stage. Memory is the peak of the process so far.
    """
    from hyperbaton.console import progress_line, say
    from hyperbaton.kernels import announce_compilation
    from hyperbaton.samples import sample_files
    from hyperbaton.settings import load_settings
    from models.data.corpus_reading import CorpusFiles
    from models.system.training import TrainingSettings, train_system

    announce_compilation("models.phrases.extraction")
    given_files = (source, target, alignment, source_tags, target_tags, source_tree)
    if sample is not None:
        if any(given_files):
            raise click.UsageError("give either --sample or files")
        files = sample_files(sample)
    elif source is None or target is None or alignment is None:
        raise click.UsageError("give --source, --target and --alignment, or --sample")
    else:
        files = CorpusFiles(source, target, alignment, source_tags, target_tags, source_tree)
    shortcuts = {
        "corpus.skip_bad": skip_bad or None,
        "lm.order": lm_order,
        "phrases.max_length": max_phrase_length,
    }
    given = [f"{name}={value}" for name, value in shortcuts.items() if value is not None]
    settings = load_settings([*given, *assignments], config)
    with progress_line() as progress:
        train_system(
            files,
            out,
            TrainingSettings(
                settings.corpus, settings.phrases, settings.lm, settings.classes, distortion, seed
            ),
            lm_texts,
            threads,
            say,
            progress,
        )
    say(f"trained: {out}")
