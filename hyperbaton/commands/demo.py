"""`hyperbaton demo`: the embedded samples, end to end."""

import click


@click.command()
def demo() -> None:
    """Load the two embedded sample corpora and show what is in them."""
    from hyperbaton.console import progress_line
    from hyperbaton.corpus_text import describe, show_pair
    from hyperbaton.samples import SAMPLES, sample_files
    from models.reading import read_corpus
    from models.statistics import statistics

    for name in SAMPLES:
        with progress_line() as progress:
            pairs, _ = read_corpus(sample_files(name), progress=progress)
        click.echo(f"━━ {name} " + "━" * 60)
        click.echo(describe(statistics(pairs)))
        click.echo(f"\n{show_pair(pairs, 0)}\n")
