"""Language models of a text: language_model.py TEXT [ARPA].

Prints time and memory of estimating a 5-gram model from growing parts of the text; with ARPA, the
differences of our n-grams of the whole text from its n-grams (written by `lmplz -o 5
--discount_fallback < TEXT`); and the cost per word of scoring sentences, compared with kenlm's
Python module in the same process.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import kenlm
import numpy as np

from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.models.language_model import (
    LanguageModel,
    NGrams,
    estimate,
    read_arpa,
    read_text,
    write_arpa,
)
from hyperbaton.models.language_model.ngrams import LN10, NGramSection, assemble

T = TypeVar("T")
ORDER = 5


def main(text: Path, arpa: Path | None) -> None:
    reading, (vocabulary, sentences) = timed(lambda: read_text([text]))
    estimate(sentences.take(np.arange(10)), vocabulary, ORDER)
    print(f"reading {len(sentences)} lines, {len(sentences.values)} words: {reading:.2f} s")
    print(f"peak before the estimation: {peak():.0f} MB\n")
    print(f"{'lines':>8} {'words':>9} {'n-grams':>9} {'seconds':>8} {'peak MB':>8}")
    for n in (len(sentences) // 4, len(sentences) // 2, len(sentences)):
        part = sentences.take(np.arange(n))
        seconds, ngrams = timed(lambda part=part: estimate(part, vocabulary, ORDER))  # type: ignore[misc]
        n_ngrams = sum(ngrams.counts)
        print(f"{n:>8} {len(part.values):>9} {n_ngrams:>9} {seconds:>8.2f} {peak():>8.0f}")
    print()
    if arpa is not None:
        compare(ngrams, arpa)
    files_and_queries(ngrams, vocabulary, sentences)


def compare(ngrams: NGrams, arpa: Path) -> None:
    """Compares with the reference, in our word ids, node by node."""
    reference = read_arpa(arpa)
    numbers = ngrams.vocabulary.encode(reference.vocabulary.words)
    sections = []
    for length in range(1, reference.order + 1):
        nodes = slice(reference.starts[length], reference.starts[length + 1])
        words = numbers[reference.words(length)]
        sections.append(NGramSection(words, reference.logprob[nodes], reference.backoff[nodes]))
    theirs = assemble(ngrams.vocabulary, sections)
    same = ngrams.counts == theirs.counts and np.array_equal(ngrams.prefix, theirs.prefix)
    same = same and np.array_equal(ngrams.word, theirs.word)
    print(f"same n-grams as {arpa.name}: {same} ({ngrams.counts})")
    if same:
        for name in ("logprob", "backoff"):
            difference = (getattr(ngrams, name) - getattr(theirs, name)) / LN10
            print(f"  largest difference of log10 {name}: {np.abs(difference).max():.1e}")
    print()


def files_and_queries(ngrams: NGrams, vocabulary: Vocabulary, sentences: Ragged) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_arpa(ngrams, folder / "model.arpa")  # compiles
        read_arpa(folder / "model.arpa")
        report("writing ARPA", lambda: write_arpa(ngrams, folder / "model.arpa"))
        report("reading ARPA", lambda: read_arpa(folder / "model.arpa"))
        LanguageModel.from_ngrams(ngrams)
        model = report("building the automaton", lambda: LanguageModel.from_ngrams(ngrams))
        report("saving", lambda: model.save(folder / "lm"))
        model = report("loading", lambda: LanguageModel.load(folder / "lm"))
        theirs = kenlm.Model(str(folder / "model.arpa"))
        chosen = sentences.take(np.arange(0, len(sentences), max(1, len(sentences) // 5000)))
        words = [vocabulary.decode(row) for row in chosen]
        lines = [" ".join(sentence) for sentence in words]
        n = len(chosen.values) + len(chosen)
        numbers = best(lambda: model.feature_scores(chosen)) / n
        strings = best(lambda: [model.score(sentence) for sentence in words]) / n
        kenlms = best(lambda: [theirs.score(line) for line in lines]) / n
    print(f"\nper word of {len(chosen)} sentences, ns (× kenlm's Model.score)")
    print(f"  kenlm's Model.score   {kenlms * 1e9:7.0f}")
    print(f"  ours, word numbers    {numbers * 1e9:7.0f} ({numbers / kenlms:.2f})")
    print(f"  ours, lists of words  {strings * 1e9:7.0f} ({strings / kenlms:.2f})")


def report(what: str, work: Callable[[], T]) -> T:
    seconds, result = timed(work)
    print(f"{what}: {seconds:.3f} s")
    return result


def timed(work: Callable[[], T]) -> tuple[float, T]:
    began = time.perf_counter()
    result = work()
    return time.perf_counter() - began, result


def best(work: Callable[[], object], n_times: int = 7) -> float:
    return min(timed(work)[0] for _ in range(n_times))


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None)
