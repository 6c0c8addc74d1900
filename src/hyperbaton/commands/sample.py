"""`hyperbaton sample`: writes the files of an embedded sample."""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import click

from hyperbaton.commands.parameters import REQUIRED, Command, argument, command, option
from hyperbaton.console import say
from hyperbaton.foundation.errors import counted

SAMPLES, SPLITS = ("ja-en", "zh-en"), ("train", "dev", "test")  # as in hyperbaton.samples


@dataclass(frozen=True, kw_only=True)
class Sample(Command):
    """Write the files of an embedded sample corpus.

    \b
    hyperbaton sample ja-en --lines 300 --out data

    Writes train.ja, train.en, train.align, tags and trees as plain text, and the same for dev and
    test. A grammar generated the sentences together with their alignments.
    """

    name: str = argument(default=REQUIRED, metavar="ja-en|zh-en", type=click.Choice(SAMPLES))
    lines: int | None = option(
        "Write only this many lines of every file.", type=click.IntRange(min=1)
    )
    split: tuple[str, ...] = option(
        "Write only this part; may be repeated.",
        default=SPLITS,
        type=click.Choice(SPLITS),
        show_default=False,
    )
    out: Path = option("Output folder; created if missing.", "-o", "--out", default=REQUIRED)

    def run(self) -> None:
        from hyperbaton.corpus.text import open_binary
        from hyperbaton.foundation.files.writing import make_folder, open_to_write
        from hyperbaton.samples import sample_files, sample_references

        make_folder(self.out)
        for split in self.split:
            files = vars(sample_files(self.name, split)).values()
            written = 0
            for path in dict.fromkeys([*files, *sample_references(self.name, split)]):
                with open_binary(path) as text, open_to_write(self.out / plain(path)) as stream:
                    lines = list(islice(text, self.lines))
                    stream.writelines(lines)
                written = max(written, len(lines))
            say(f"{self.out / split}.*: {counted(written, 'line')}")


sample = command(Sample)


def plain(path: Path) -> str:
    """The name of a file without `.gz`."""
    return path.name.removesuffix(".gz")
