"""`hyperbaton demo`: the embedded samples, end to end."""

from pathlib import Path

import click

from hyperbaton.commands.options import FILE, threads_option

N_SHOWN = 3  # translations to look at


@click.command()
@click.option(
    "--out",
    type=FILE,
    default=Path("hyperbaton-demo"),
    show_default=True,
    help="Folder for the trained systems; a second run uses them again.",
)
@threads_option
def demo(out: Path, threads: int) -> None:
    """Look at the two embedded sample corpora, train on them and translate their test sets."""
    from hyperbaton.console import progress_line, say
    from hyperbaton.corpus_text import describe
    from hyperbaton.kernels import announce_compilation
    from hyperbaton.samples import SAMPLES, sample_files
    from models.reading import read_corpus
    from models.statistics import statistics
    from models.training import train_system

    announce_compilation("decoder.search")
    for name in SAMPLES:
        click.echo(f"━━ {name} " + "━" * 60)
        with progress_line() as progress:
            pairs, _ = read_corpus(sample_files(name), progress=progress)
            click.echo(describe(statistics(pairs)) + "\n")
            train_system(
                sample_files(name), out / name, threads=threads, talk=say, progress=progress
            )
        click.echo(_translations(name, out / name, threads) + "\n")
    click.echo(f"trained systems: {out}; try: hyperbaton translate {out / SAMPLES[0]}")


def _translations(name: str, model: Path, threads: int) -> str:
    """A few translations of the test set beside their references, and the score of all."""
    from decoder.decoded import Decoded
    from decoder.translator import Translator
    from hyperbaton.samples import sample_files
    from models.reading import read_corpus
    from tuning.metrics.base import Outputs
    from tuning.metrics.bleu import Bleu

    test, _ = read_corpus(sample_files(name, "test"))
    sentences = [test.source.sentence(number) for number in range(len(test))]
    references = [" ".join(test.target.sentence(number).words) for number in range(len(test))]
    results = list(Translator.load(model).stream(sentences, threads=threads))
    texts = [" ".join(r.words()) if isinstance(r, Decoded) else "" for r in results]
    lines = []
    for sentence, text, reference in list(zip(sentences, texts, references, strict=True))[:N_SHOWN]:
        lines += [
            f"source     {' '.join(sentence.words)}",
            f"ours       {text}",
            f"reference  {reference}",
            "",
        ]
    score = Bleu().corpus_score(Outputs(texts, [[reference] for reference in references]))
    lines.append(f"test BLEU with untuned weights: {score:.1f}")
    return "\n".join(lines)
