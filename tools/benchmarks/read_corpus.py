"""Time and memory of reading a parallel corpus: read_corpus.py SOURCE TARGET ALIGNMENT.

Prints them for growing parts of the corpus, and the ratio to merely splitting the lines into words.
The peak includes Python and all imports. It never decreases, and a process inherits it from its
parent, so reading and splitting run in separate processes for every part, started by a parent that
uses almost no memory.
"""

import gzip
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from multiprocessing import get_context
from pathlib import Path

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.corpora.reading import CorpusFiles, read_corpus
from hyperbaton.corpus.text import read_lines


def main(paths: list[Path]) -> None:
    print(f"{'pairs':>8} {'seconds':>8} {'× split':>8} {'peak MB':>8}")
    n_pairs = sum(1 for _ in read_lines(paths[0]))
    for n in (n_pairs // 4, n_pairs // 2, n_pairs):
        with tempfile.TemporaryDirectory() as folder:
            parts = [first_lines(path, n, Path(folder, f"{i}.gz")) for i, path in enumerate(paths)]
            split, _ = in_a_new_process(split_files, parts)
            reading, peak = in_a_new_process(read_files, parts)
        print(f"{n:>8} {reading:>8.2f} {reading / split:>8.1f} {peak:>8.0f}")


def in_a_new_process(
    work: Callable[[list[Path]], object], parts: list[Path]
) -> tuple[float, float]:
    """Seconds and peak memory in MB of some work."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        return executor.submit(measure, work, parts).result()


def measure(work: Callable[[list[Path]], object], parts: list[Path]) -> tuple[float, float]:
    seconds = 0.0
    for _ in range(2):  # the first round may compile
        began = time.perf_counter()
        work(parts)
        seconds = time.perf_counter() - began
    return seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def read_files(parts: list[Path]) -> AlignedCorpus:
    return read_corpus(CorpusFiles(*parts))


def split_files(parts: list[Path]) -> list[list[list[bytes]]]:
    return [split_file(part) for part in parts]


def first_lines(path: Path, n: int, part: Path) -> Path:
    with gzip.open(part, "wt", encoding="utf-8") as stream:
        stream.writelines(f"{line}\n" for _, line in islice(read_lines(path), n))
    return part


def split_file(path: Path) -> list[list[bytes]]:
    with gzip.open(path) as stream:
        return [line.split() for line in stream]


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
