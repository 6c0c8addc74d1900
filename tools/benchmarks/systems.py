"""How long systems take for the same sentences, side by side: one with our own language model and
others with a KenLM binary of it, for instance.

    python -m tools.benchmarks.systems SOURCE N SYSTEM...

Systems take turns, with one thread; times are the least CPU time of several rounds. Scores and
texts are compared with those of the first system.
"""

import sys
import time
from itertools import islice
from pathlib import Path

from hyperbaton import Translator
from hyperbaton.corpus.text import read_lines
from hyperbaton.decoder.decode import SearchSettings

LIMITS = (6, -1)
ROUNDS = 3


def main(source: str, n: str, *folders: str) -> None:
    lines = [line for _, line in islice(read_lines(Path(source)), int(n))]
    print(f"{'system':24}{'limit':>6}{'ms':>9}{'ratio':>7}{'score':>11}{'same':>6}{'largest':>10}")
    for limit in LIMITS:
        settings = SearchSettings(distortion_limit=limit)
        systems = [Translator.load(Path(folder), settings) for folder in folders]
        results = [[system.translate(line) for line in lines] for system in systems]
        rounds = [turn(systems, lines) for _ in range(ROUNDS)]
        seconds = [min(times) for times in zip(*rounds, strict=True)]
        for folder, found, took in zip(folders, results, seconds, strict=True):
            pairs = list(zip(found, results[0], strict=True))
            same = sum(one.text == first.text for one, first in pairs)
            difference = max(abs(one.score - first.score) for one, first in pairs)
            score = sum(one.score for one in found) / len(found)
            name = f"{Path(folder).name:24}{'none' if limit < 0 else limit:>6}"
            time_taken = f"{took / len(lines) * 1e3:>9.3f}{took / seconds[0]:>7.2f}"
            print(f"{name}{time_taken}{score:>11.4f}{same:>6}{difference:>10.1e}")


def turn(systems: list[Translator], lines: list[str]) -> list[float]:
    """The CPU seconds of each system."""
    seconds = []
    for system in systems:
        began = time.process_time()
        for line in lines:
            system.translate(line)
        seconds.append(time.process_time() - began)
    return seconds


if __name__ == "__main__":
    main(*sys.argv[1:])
