"""`hyperbaton prepare`: from raw parallel text to clean training, development and test sets."""

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

    Takes two text files, or one file with tab-separated columns (.tsv), JSON lines as Hugging Face
    writes them (.jsonl), or a translation memory (.tmx); also packed ones (.gz, .bz2, .xz, .zst).
    The text is not tokenised. Which pairs were dropped and why is in report.md and report.json of
    the folder. See docs/use/prepare.md.
    """

    files: tuple[Path, ...] = argument(default=REQUIRED, metavar="FILE...")
    source_language: str = option(
        "Code of the source language: ja, pt-BR.", "-s", "--source-language", default=REQUIRED
    )
    target_language: str = option(
        "Code of the target language.", "-t", "--target-language", default=REQUIRED
    )
    out: Path = option("Folder for the results.", "-o", "--out", default=REQUIRED)
    form: str | None = option(
        "What the files are.  [default: by their names]",
        "--input-format",
        type=click.Choice(["text", "tsv", "jsonl", "tmx"]),
    )
    columns: str = option(
        "Columns of a .tsv file, from 1.", default="1,2", metavar="SOURCE,TARGET[,DOCUMENT]"
    )
    documents: Path | None = option("For text files: a file with the document of each line.")
    document_key: str = option(
        "For .jsonl and .tmx: the key, or type of property, that names the document.", default=""
    )
    dev: int = option("Pairs of the development set.", default=1000, type=NOT_NEGATIVE)
    test: int = option("Pairs of the test set.", default=1000, type=NOT_NEGATIVE)
    max_words: int = option(
        "Drop pairs with a longer side; in languages without spaces between words, two characters "
        "count as a word; 0: none.",
        default=100,
        type=NOT_NEGATIVE,
    )
    ratio: float = option(
        "Drop pairs of which one side is this many times longer than the other; 0: none.",
        default=9.0,
    )
    script: float = option(
        "Drop pairs of which a side has a smaller share of letters in the script of its language; "
        "0: none.",
        default=0.3,
    )
    skip_bad: bool = flag("Leave records that cannot be read out and count them.")

    def run(self) -> None:
        from hyperbaton.corpus.languages import scripts_of
        from hyperbaton.corpus.preparation.preparation import prepare
        from hyperbaton.views.text_tables import print_blocks

        job = self.job()
        for code in (self.source_language, self.target_language):
            if self.script and not scripts_of(code):
                say(f"the script of {code!r} is not known, so it is not checked")
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
