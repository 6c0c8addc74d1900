"""`hyperbaton diagnose`: why a system does not say what the reference says."""

from dataclasses import dataclass
from pathlib import Path

from hyperbaton.commands.parameters import (
    NOT_NEGATIVE,
    REQUIRED,
    SearchCommand,
    command,
    option,
    output,
    threads_option,
)
from hyperbaton.console import announce_compilation, progress_line, say


@dataclass(frozen=True, kw_only=True)
class Diagnose(SearchCommand):
    """Find out why translations differ from their references.

    \b
    hyperbaton diagnose model --source dev.ja --reference dev.en
    hyperbaton diagnose model --source dev.ja --reference dev.en --alignment dev.align

    Each reference that the system does not say is out of reach of the phrase table or of the
    distortion limit, was lost by the search, or is not what the models prefer; for the last, the
    table says which features prefer something else. With a word alignment of source and reference,
    the same is asked of the reference's order, whatever the words (docs/oracle.md).
    """

    source: Path = option("Source text, one sentence a line.", default=REQUIRED)
    reference: Path = option("Reference translations, as many lines.", default=REQUIRED)
    alignment: Path | None = option("Its word alignment with the source (0-0 1-2).")
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

        files = DataSet(
            self.source,
            (self.reference,),
            alignment=self.alignment,
            source_tags=self.source_tags,
            source_tree=self.source_tree,
        )
        if self.plot is not None:
            check_picture(self.plot)
        data = load(files, self.text())
        announce_compilation("hyperbaton.decoder.search")
        translator = self.translator()
        references = [first for first, *_ in data.references]
        with progress_line() as progress:
            results = diagnose(translator, data.sources, references, self.threads, progress)
            asked = {TRANSLATION: results}
            if self.alignment is not None:
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


diagnose = command(Diagnose)
