"""`hyperbaton oracle-bleu`: the best that tuning could make of what a search considers."""

from dataclasses import dataclass
from pathlib import Path

from hyperbaton.commands.parameters import (
    REQUIRED,
    SearchCommand,
    command,
    option,
    output,
    threads_option,
)
from hyperbaton.console import announce_compilation, progress_line


@dataclass(frozen=True, kw_only=True)
class OracleBleuCommand(SearchCommand):
    """Find the best BLEU in the search lattices.

    \b
    hyperbaton oracle-bleu model --source dev.ja --reference dev.en

    Tuning chooses among the translations that the search considers. Their best BLEU is a ceiling:
    if it is low, look at the phrase table, the distortion limit and the beam rather than at weights
    (docs/oracle.md). What is found is a lower bound of it.
    """

    source: Path = option("Source text, one sentence a line.", default=REQUIRED)
    references: tuple[Path, ...] = option(
        "Reference translations; may be given several times.", "--reference", default=REQUIRED
    )
    out: Path | None = output("Write the best translations here.", "-o", "--out")
    threads: int = threads_option()

    def run(self) -> None:
        from hyperbaton.foundation.files.writing import open_to_write
        from hyperbaton.tuning.evaluation.data_sets import DataSet, load
        from hyperbaton.tuning.evaluation.oracle_bleu import oracle_bleu
        from hyperbaton.tuning.evaluation.tables import Table
        from hyperbaton.views.text_tables import print_blocks

        tags, tree = self.source_tags, self.source_tree
        files = DataSet(self.source, self.references, source_tags=tags, source_tree=tree)
        data = load(files, self.text())
        announce_compilation("hyperbaton.decoder.search")
        with progress_line() as progress:
            found = oracle_bleu(
                self.translator(), data.sources, data.references, self.threads, progress
            )
        if self.out is not None:
            with open_to_write(self.out) as stream:
                stream.writelines(f"{line}\n".encode() for line in found.best)
        rows = [
            ["the system's own", f"{found.own_score:.2f}"],
            ["best in its lattices", f"{found.best_score:.2f}"],
        ]
        print_blocks([Table(("translations", "BLEU"), rows)])


oracle_bleu = command(OracleBleuCommand, "oracle-bleu")
