"""`hyperbaton prepare`: turns raw parallel text into clean training, development and test sets."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hyperbaton.commands.parameters import (
    NOT_NEGATIVE,
    REQUIRED,
    Command,
    argument,
    command,
    flag,
    option,
)
from hyperbaton.console import progress_line, say

if TYPE_CHECKING:
    from hyperbaton.corpus.preparation.preparation import Preparation, Report
    from hyperbaton.tuning.evaluation.tables import Table


@dataclass(frozen=True, kw_only=True)
class Prepare(Command):
    """Clean raw parallel text and split it into three sets.

    \b
    hyperbaton prepare raw.ja raw.en -s ja -t en --dev 5 --test 5 -o data
    hyperbaton prepare raw.tsv -s ja -t en --columns 1,2 --dev 5 --test 5 -o data

    Takes two text files, or one file: tab-separated columns (.tsv), JSON lines as Hugging Face
    writes them (.jsonl), or a translation memory (.tmx). Files may be compressed (.gz, .bz2, .xz,
    .zst). The text is not tokenised. report.md and report.json in the output folder say which
    pairs were dropped and why. See docs/use/prepare.md.
    """

    files: tuple[Path, ...] = argument(default=REQUIRED, metavar="FILE...")
    source_language: str = option(
        "Code of the source language, such as ja or pt-BR.",
        "-s",
        "--source-language",
        default=REQUIRED,
    )
    target_language: str = option(
        "Code of the target language.", "-t", "--target-language", default=REQUIRED
    )
    out: Path = option("Folder for the results.", "-o", "--out", default=REQUIRED)
    form: str | None = option(
        "Format of the files.  [default: from their names]",
        "--input-format",
        type=click.Choice(["text", "tsv", "jsonl", "tmx"]),
    )
    columns: str = option(
        "Columns of a .tsv file, counted from 1.",
        default="1,2",
        metavar="SOURCE,TARGET[,DOCUMENT]",
    )
    documents: Path | None = option("For text files: a file that names the document of each line.")
    document_key: str = option(
        "For .jsonl and .tmx: the key or property type that holds the document name.", default=""
    )
    dev: int = option("Number of pairs in the development set.", default=1000, type=NOT_NEGATIVE)
    test: int = option("Number of pairs in the test set.", default=1000, type=NOT_NEGATIVE)
    max_words: int = option(
        "Drop pairs with more words than this on a side; in languages without spaces, two "
        "characters count as a word. 0: drop none.",
        default=100,
        type=NOT_NEGATIVE,
    )
    ratio: float = option(
        "Drop pairs in which one side is this many times longer than the other. 0: drop none.",
        default=9.0,
    )
    script: float = option(
        "Drop pairs in which less than this share of a side's letters is in the script of its "
        "language. 0: drop none.",
        default=0.3,
    )
    skip_bad: bool = flag("Skip and count unreadable records instead of stopping.")

    def run(self) -> None:
        from hyperbaton.corpus.languages import scripts_of
        from hyperbaton.corpus.preparation.preparation import prepare
        from hyperbaton.views.text_tables import print_blocks

        job = self.job()
        for code in (self.source_language, self.target_language):
            if self.script and not scripts_of(code):
                say(f"the script of {code!r} is unknown, so it is not checked")
        with progress_line() as progress:
            report = prepare(job, progress)
        print_blocks(result_tables(report))
        say(f"written: {', '.join(job.outputs)} and report.md in {self.out}")

    def job(self) -> "Preparation":
        from hyperbaton.corpus.preparation.preparation import Preparation
        from hyperbaton.corpus.preparation.reading import RawFiles
        from hyperbaton.corpus.preparation.rules import Rules

        if not all(column.strip().isdecimal() for column in self.columns.split(",")):
            raise click.UsageError(f"--columns {self.columns}: give numbers, as in 1,2")
        columns = tuple(map(int, self.columns.split(",")))
        languages = self.source_language, self.target_language
        form, key = self.form or "", self.document_key
        files = RawFiles(self.files, *languages, form, columns, self.documents, key)
        rules = Rules(*languages, self.max_words, self.ratio, self.script)
        return Preparation(files, rules, self.out, self.dev, self.test, self.skip_bad)


def result_tables(report: "Report") -> "list[Table]":
    from hyperbaton.tuning.evaluation.tables import Table

    kept = [[name, f"{count:,}"] for name, count in sorted(report.kept.items(), reverse=True)]
    dropped = [[why, f"{count:,}"] for why, count in report.dropped.most_common()]
    tables = [Table(["set", "pairs"], [*kept, ["dropped", f"{report.dropped.total():,}"],
                                       ["read", f"{report.n_read:,}"]])]  # fmt: skip
    return tables + [Table(["dropped because", "pairs"], dropped)] * bool(dropped)


prepare = command(Prepare)
