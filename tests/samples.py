"""The embedded samples, read once for all tests of a process: a corpus does not change."""

from functools import cache

import numpy as np

from hyperbaton.corpus.corpora.reading import SPLIT_BOTH, CorpusSettings, read_corpus
from hyperbaton.foundation.progress import silent
from hyperbaton.samples import SAMPLES, SPLITS, sample_files


@cache
def sample_and_report(name, split="train"):
    """The whole corpus, and what was said about its lines."""
    return read_corpus(sample_files(name, split))


def sample(name, split="train", first=None):
    """All pairs, or the first ones."""
    corpus, _ = sample_and_report(name, split)
    return corpus if first is None else corpus.take(np.arange(first))


def reading_samples_once(files, settings=CorpusSettings(), progress=silent, tokenise=SPLIT_BOTH):
    """`read_corpus` for tests: whole samples are those that were read before."""
    if settings == CorpusSettings() and tokenise is SPLIT_BOTH:
        for name in SAMPLES:
            for split in SPLITS:
                if files == sample_files(name, split):
                    return sample_and_report(name, split)
    return read_corpus(files, settings, progress, tokenise)
