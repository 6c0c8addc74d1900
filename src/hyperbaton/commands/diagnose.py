"""`hyperbaton diagnose`: why a system does not say what the reference says."""

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

    Each reference that the system does not say is out of reach of the phrase table or of the
    distortion limit, was lost by the search, or is not what the models prefer; for the last, the
    table says which features prefer something else. With a word alignment of source and reference,
    the same is asked of the reference's order, whatever the words (docs/understand/oracle.md).

    With --oracle-bleu, the best BLEU in the search lattices is looked for instead. Tuning chooses
    among these translations, so it is a ceiling: if it is low, look at the phrase table, the
    distortion limit and the beam rather than at weights. What is found is a lower bound of it.
    """

    source: Path = option("Source text, one sentence a line.", default=REQUIRED)
    references: tuple[Path, ...] = option(
        "Reference translations; may be given several times, for --oracle-bleu.",
        "--reference",
        default=REQUIRED,
    )
    reference_alignment: Path | None = option("Word alignment of source and reference (0-0 1-2).")
    oracle_bleu: bool = flag("Find the best BLEU in the search lattices instead.")
    out: Path | None = output("Write the translations of --oracle-bleu here.", "-o", "--out")
    plot: Path | None = output("Also draw the shares of the causes (png, svg or pdf).")
    examples: int = option("Sentences to show of each kind.", default=2, type=NOT_NEGATIVE)
    threads: int = threads_option()

    def run(self) -> None:
        from hyperbaton.decoder.stream import Failure
        from hyperbaton.tuning.evaluation.data_sets import DataSet, load
        from hyperbaton.tuning.evaluation.diagnosis import Diagnosis, diagnose, diagnose_order
        from hyperbaton.views.diagnosis_text import ORDER, TRANSLATION, diagnosis_blocks
        from hyperbaton.views.picture_files import check_picture
        from hyperbaton.views.text_tables import print_blocks

        if not self.oracle_bleu and (len(self.references) > 1 or self.out is not None):
            raise click.UsageError("several references, and -o, are for --oracle-bleu")
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
            asked = {TRANSLATION: results}
            if self.reference_alignment is not None:
                asked[ORDER] = diagnose_order(translator, data.sources, self.threads, progress)
        for number, result in enumerate(results, 1):
            if isinstance(result, Failure):
                say(f"hyperbaton: sentence {number}: {result.error}")
        found = {
            what: [result for result in own if isinstance(result, Diagnosis)]
            for what, own in asked.items()
        }
        names = translator.feature_names
        print_blocks(
            block
            for what, own in found.items()
            if own
            for block in diagnosis_blocks(own, names, self.examples, what)
        )
        if self.plot is not None:
            from hyperbaton.views.diagnosis_text import draw_causes

            draw_causes(found, self.plot)
            say(f"drawn: {self.plot}")

    def find_oracle(self, translator: "Translator", data: "Sentences") -> None:
        from hyperbaton.foundation.files.writing import open_to_write
        from hyperbaton.tuning.evaluation.oracle_bleu import oracle_bleu
        from hyperbaton.tuning.evaluation.tables import Table
        from hyperbaton.views.text_tables import print_blocks

        with progress_line() as progress:
            found = oracle_bleu(translator, data.sources, data.references, self.threads, progress)
        if self.out is not None:
            with open_to_write(self.out) as stream:
                stream.writelines(f"{line}\n".encode() for line in found.best)
        rows = [
            ["the system's own", f"{found.own_score:.2f}"],
            ["best in its lattices", f"{found.best_score:.2f}"],
        ]
        print_blocks([Table(("translations", "BLEU"), rows)])


diagnose = command(Diagnose)
