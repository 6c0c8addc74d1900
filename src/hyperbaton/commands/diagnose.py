"""`hyperbaton diagnose`: finds out why translations differ from their references."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hyperbaton.commands.parameters import (
    NOT_NEGATIVE,
    REQUIRED,
    SearchCommand,
    command,
    flag,
    option,
    output,
    threads_option,
)
from hyperbaton.console import announce_compilation, progress_line, say

if TYPE_CHECKING:
    from hyperbaton.decoder.translator import Translator
    from hyperbaton.tuning.evaluation.data_sets import Sentences


@dataclass(frozen=True, kw_only=True)
class Diagnose(SearchCommand):
    """Find out why translations differ from their references.

    \b
    hyperbaton diagnose system --source dev.ja --reference dev.en
    hyperbaton diagnose system --source dev.ja --reference dev.en --oracle-bleu

    A system misses a reference for one of four reasons: the phrase table cannot produce it, the
    distortion limit forbids it, the search pruned it, or the models prefer another translation; in
    the last case, the table shows which features prefer it. With a word alignment of source and
    reference, the same analysis covers the reference's order, whatever the words
    (docs/understand/oracle.md).

    With --oracle-bleu, looks for the best BLEU in the search lattices instead. Tuning chooses among
    these translations and cannot exceed it: if it is low, improve the phrase table, the distortion
    limit or the beam rather than the weights. The value found is a lower bound of the best BLEU.
    """

    source: Path = option("Source text, one sentence per line.", default=REQUIRED)
    references: tuple[Path, ...] = option(
        "Reference translations; may be repeated with --oracle-bleu.",
        "--reference",
        default=REQUIRED,
    )
    reference_alignment: Path | None = option("Word alignment of source and reference (0-0 1-2).")
    oracle_bleu: bool = flag("Find the best BLEU in the search lattices instead.")
    out: Path | None = output("Write the translations of --oracle-bleu here.", "-o", "--out")
    plot: Path | None = output("Also draw the shares of the causes (png, svg or pdf).")
    examples: int = option("Examples to show per cause.", default=2, type=NOT_NEGATIVE)
    threads: int = threads_option()

    def run(self) -> None:
        from hyperbaton.decoder.stream import Failure
        from hyperbaton.tuning.evaluation.data_sets import DataSet, load
        from hyperbaton.tuning.evaluation.diagnosis import Diagnosis, diagnose, diagnose_order
        from hyperbaton.views.diagnosis_text import ORDER, TRANSLATION, diagnosis_blocks
        from hyperbaton.views.picture_files import check_picture
        from hyperbaton.views.text_tables import print_blocks

        if not self.oracle_bleu and (len(self.references) > 1 or self.out is not None):
            raise click.UsageError("several references and -o need --oracle-bleu")
        files = DataSet(
            self.source,
            self.references,
            alignment=self.reference_alignment,
            source_tags=self.source_tags,
            source_tree=self.source_tree,
        )
        if self.plot is not None:
            check_picture(self.plot)
        data = load(files, self.text())
        announce_compilation("hyperbaton.decoder.search")
        translator = self.translator()
        if self.oracle_bleu:
            self.find_oracle(translator, data)
            return
        references = [first for first, *_ in data.references]
        with progress_line() as progress:
            results = diagnose(translator, data.sources, references, self.threads, progress)
            by_subject = {TRANSLATION: results}
            if self.reference_alignment is not None:
                by_subject[ORDER] = diagnose_order(translator, data.sources, self.threads, progress)
        for number, result in enumerate(results, 1):
            if isinstance(result, Failure):
                say(f"hyperbaton: sentence {number}: {result.error}")
        diagnoses = {
            subject: [result for result in results if isinstance(result, Diagnosis)]
            for subject, results in by_subject.items()
        }
        names = translator.feature_names
        print_blocks(
            block
            for subject, cases in diagnoses.items()
            if cases
            for block in diagnosis_blocks(cases, names, self.examples, subject)
        )
        if self.plot is not None:
            from hyperbaton.views.diagnosis_text import draw_causes

            draw_causes(diagnoses, self.plot)
            say(f"drawn: {self.plot}")

    def find_oracle(self, translator: "Translator", data: "Sentences") -> None:
        from hyperbaton.foundation.files.writing import open_to_write
        from hyperbaton.tuning.evaluation.oracle_bleu import oracle_bleu
        from hyperbaton.tuning.evaluation.tables import Table
        from hyperbaton.views.text_tables import print_blocks

        with progress_line() as progress:
            oracle = oracle_bleu(translator, data.sources, data.references, self.threads, progress)
        if self.out is not None:
            with open_to_write(self.out) as stream:
                stream.writelines(f"{line}\n".encode() for line in oracle.best)
        rows = [
            ["by the system", f"{oracle.own_score:.2f}"],
            ["best in its lattices", f"{oracle.best_score:.2f}"],
        ]
        print_blocks([Table(("translations", "BLEU"), rows)])


diagnose = command(Diagnose)
