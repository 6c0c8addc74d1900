"""`hyperbaton diagnose`: why a system does not say what the reference says."""

from dataclasses import dataclass
from pathlib import Path

from hyperbaton.commands.parameters import (
    NOT_NEGATIVE,
    REQUIRED,
    SearchCommand,
    command,
    option,
    threads_option,
)
from hyperbaton.console import announce_compilation, progress_line, say


@dataclass(frozen=True, kw_only=True)
class Diagnose(SearchCommand):
    """Find out why translations differ from their references.

    \b
    hyperbaton diagnose model --source dev.ja --reference dev.en

    Each reference that the system does not say is out of reach of the phrase table or of the
    distortion limit, was lost by the search, or is not what the models prefer; for the last, the
    table says which features prefer something else (docs/oracle.md).
    """

    source: Path = option("Source text, one tokenised sentence a line.", default=REQUIRED)
    reference: Path = option("Reference translations, as many lines.", default=REQUIRED)
    examples: int = option("Sentences to show of each kind.", default=2, type=NOT_NEGATIVE)
    threads: int = threads_option()

    def run(self) -> None:
        from decoder.translator import Failure
        from hyperbaton.views.diagnosis_text import diagnosis_blocks
        from hyperbaton.views.text_tables import print_blocks
        from tuning.evaluation.data_sets import DataSet, load
        from tuning.evaluation.diagnosis import Diagnosis, diagnose

        files = DataSet(
            self.source,
            (self.reference,),
            source_tags=self.source_tags,
            source_tree=self.source_tree,
        )
        data = load(files)
        announce_compilation("decoder.search")
        translator = self.translator()
        references = [first for first, *_ in data.references]
        with progress_line() as progress:
            results = diagnose(translator, data.sources, references, self.threads, progress)
        for number, result in enumerate(results, 1):
            if isinstance(result, Failure):
                say(f"hyperbaton: sentence {number}: {result.error}")
        found = [result for result in results if isinstance(result, Diagnosis)]
        if found:
            print_blocks(diagnosis_blocks(found, translator.feature_names, self.examples))


diagnose = command(Diagnose)
