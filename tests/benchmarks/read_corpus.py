"""Time and memory of reading a parallel corpus: read_corpus.py SOURCE TARGET ALIGNMENT.

Prints them for growing parts of the corpus, and the ratio to merely splitting the lines into words.
"""

import gzip
import resource
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from models.data.corpus_reading import CorpusFiles, read_corpus
from models.data.text import read_lines


def main(paths: list[Path]) -> None:
    print(f"{'pairs':>8} {'seconds':>8} {'× split':>8} {'peak MB':>8}")
    n_pairs = sum(1 for _ in read_lines(paths[0]))
    for n in (n_pairs // 4, n_pairs // 2, n_pairs):
        with tempfile.TemporaryDirectory() as folder:
            parts = [first_lines(path, n, Path(folder, f"{i}.gz")) for i, path in enumerate(paths)]
            split = timed(lambda parts=parts: [split_file(p) for p in parts])
            reading = timed(lambda parts=parts: read_corpus(CorpusFiles(*parts)))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{n:>8} {reading:>8.2f} {reading / split:>8.1f} {peak:>8.0f}")


def first_lines(path: Path, n: int, part: Path) -> Path:
    with gzip.open(part, "wt", encoding="utf-8") as stream:
        stream.writelines(f"{line}\n" for _, line in islice(read_lines(path), n))
    return part


def split_file(path: Path) -> list[list[bytes]]:
    with gzip.open(path) as stream:
        return [line.split() for line in stream]


def timed(work) -> float:  # type: ignore[no-untyped-def]
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


if __name__ == "__main__":
    main([Path(argument) for argument in sys.argv[1:]])
