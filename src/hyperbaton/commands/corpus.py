"""`hyperbaton corpus`: checks and inspects a parallel corpus before training."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import click

from hyperbaton.commands.parameters import (
    TextCommand,
    command,
    config_option,
    option,
    output,
    set_option,
)
from hyperbaton.console import progress_line, say


@dataclass(frozen=True, kw_only=True)
class Corpus(TextCommand):
    """Check a parallel corpus and show its statistics.

    \b
    hyperbaton corpus --source train.ja.gz --target train.en \\
        --alignment train.align
    hyperbaton corpus --sample zh-en --show 0

    Files ending in .gz, .bz2, .xz or .zst are decompressed; - is standard input. A bad line (a
    missing line, a link outside its sentence, a tree over other words, …) is an error that names
    the file and line; --skip-bad skips and counts bad lines.
    """

    split: str | None = option("Part of the sample: train, dev or test.  [default: train]")
    numbers: tuple[int, ...] = option(
        "Instead of statistics, show pair N (from 0) with tags, links and tree; may be repeated.",
        "--show",
        default=(),
        metavar="N",
    )
    form: str = option(
        "Output format.", "--format", default="text", type=click.Choice(["text", "json"])
    )
    plot: Path | None = output("Also draw the distribution of distances (png, svg or pdf).")
    config: Path | None = config_option()
    assignments: tuple[str, ...] = set_option()

    def run(self) -> None:
        from hyperbaton.corpus.corpora.reading import read_corpus
        from hyperbaton.corpus.corpora.statistics import statistics
        from hyperbaton.corpus.raw_text.both_sides import corpus_tokenisers
        from hyperbaton.views.corpus_text import describe, plot_distances, show_pair
        from hyperbaton.views.picture_files import check_picture

        if self.sample is None and self.split is not None:
            raise click.UsageError("--split needs --sample")
        if self.numbers and (self.form != "text" or self.plot is not None):
            raise click.UsageError("--show prints pairs as text: remove --format json and --plot")
        files = self.files(self.split or "train", aligned=False)
        if self.plot is not None:
            check_picture(self.plot)
        settings = self.settings(self.assignments, ["corpus", "text"])
        tokenise = corpus_tokenisers(settings.text, settings.corpus)
        with progress_line() as progress:
            pairs, report = read_corpus(files, settings.corpus, progress, tokenise)
        for line in report.lines():
            say(line)
        if self.numbers:
            click.echo("\n\n".join(show_pair(pairs, number) for number in self.numbers))
            return
        result = statistics(pairs)
        click.echo(json.dumps(asdict(result)) if self.form == "json" else describe(result))
        if self.plot is not None:
            plot_distances({self.sample or str(self.source): result}, self.plot)
            say(f"drawn: {self.plot}")


corpus = command(Corpus)
