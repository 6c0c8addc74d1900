"""Aligns two text files in both directions."""

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
    """The corpus and its links; the words in `leave_out` get none."""
    load_eflomal()  # fails before any file is read if eflomal is missing
    try:
        corpus, _ = read_corpus(files, CorpusSettings(), reporter.progress, tokenise)
    except BadLine as bad:  # skipping a pair would shift the lines of the alignment
        bad.advice = "fix the pair or remove it from both files"
        raise
    if n := n_too_long(corpus):
        reporter.talk(f"too long for eflomal, left unaligned: {counted(n, 'pair')}")
    reporter.talk(f"aligning {counted(len(corpus), 'pair')} in both directions with eflomal")
    links = align_without(corpus, leave_out, lambda rest: align_corpus(rest, settings, priors))
    return corpus, links
