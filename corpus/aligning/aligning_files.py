"""The links of two texts in both directions, from their files."""

from collections.abc import Callable, Collection, Mapping

from hyperbaton.corpus.aligning.aligner import (
    AlignerSettings,
    Directions,
    Priors,
    align_corpus,
    align_without,
    load_eflomal,
    n_too_long,
)
from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.corpora.reading import SPLIT_BOTH, CorpusFiles, CorpusSettings, read_corpus
from hyperbaton.foundation.errors import BadLine, counted
from hyperbaton.foundation.progress import SILENT, Reporter


def align_files(
    files: CorpusFiles,
    tokenise: Mapping[str, Callable[[str], list[str]]] = SPLIT_BOTH,
    settings: AlignerSettings = AlignerSettings(),
    leave_out: Collection[str] = (),
    priors: Priors | None = None,
    reporter: Reporter = SILENT,
) -> tuple[AlignedCorpus, Directions]:
    """The corpus and its links; words that are left out get none."""
    load_eflomal()  # reports its absence before anything is read
    try:
        corpus, _ = read_corpus(files, CorpusSettings(), reporter.progress, tokenise)
    except BadLine as bad:  # a pair left out would shift the lines of the alignment
        bad.advice = "mend the pair or remove it from both files"
        raise
    if n := n_too_long(corpus):
        reporter.talk(f"without links, being too long for eflomal: {counted(n, 'pair')}")
    reporter.talk(f"aligning {counted(len(corpus), 'pair')} in both directions with eflomal")
    found = align_without(corpus, leave_out, lambda rest: align_corpus(rest, settings, priors))
    return corpus, found
