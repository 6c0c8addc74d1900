"""Time and memory of `hyperbaton train`, and a comparison of its tables with those of Moses.

    python -m tools.benchmarks.train SOURCE TARGET ALIGNMENT [MOSES_FOLDER]
        [--pairs 1000,60000,430414] [--set train.memory=1GB]

Trains on growing parts of the corpus, each in a separate process with warm kernels, and prints the
growth. If there are fewer pairs than requested, the corpus is repeated. With a folder of Moses'
tables for the same corpus (phrase-table.gz, reordering-table.TYPE.gz), exports the last system and
compares it pair by pair.
"""

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
import time
from itertools import islice
from math import floor, log10
from pathlib import Path

from hyperbaton.corpus.text import read_lines

PARTS = (1_000, 10_000, 20_000, 50_000)  # the first one warms the kernels up
TYPE = "wbe-msd-bidirectional-fe"
DIGITS = 5  # significant digits in which scores must agree


def main(paths: list[Path], moses: Path | None, sizes: list[int], assignments: list[str]) -> None:
    settings = [word for assignment in assignments for word in ("--set", assignment)]
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        print(
            f"{'pairs':>8} {'seconds':>8} {'CPU s':>8} {'peak MB':>8} {'disk MB':>8} {'ms/pair':>8}"
        )
        for n in sizes:
            parts = [first_lines(path, n, work / f"{i}.gz") for i, path in enumerate(paths)]
            seconds, cpu, peak = train(parts, work / f"model{n}", settings)
            disk = sum(path.stat().st_size for path in (work / f"model{n}").rglob("*.*")) / 1e6
            row = f"{n:>8} {seconds:>8.2f} {cpu:>8.2f} {peak:>8.0f} {disk:>8.0f}"
            row += f" {1000 * seconds / n:>8.3f}"
            print(row + ("  (warming up)" if n == sizes[0] else ""), flush=True)
        if moses:
            out = work / "moses"
            run("export", str(work / f"model{sizes[-1]}"), "--out", str(out))
            compare(out / "phrase-table.gz", moses / "phrase-table.gz")
            name = f"reordering-table.{TYPE}.gz"
            compare(out / name, moses / name)


def first_lines(path: Path, n: int, part: Path) -> Path:
    with gzip.open(part, "wt", encoding="utf-8", compresslevel=1) as stream:
        while n > 0:
            for _, line in islice(read_lines(path), n):
                stream.write(f"{line}\n")
                n -= 1
    return part


def run(*arguments: str) -> None:
    command = [sys.executable, "-m", "hyperbaton", *arguments]
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)


def train(parts: list[Path], out: Path, settings: list[str]) -> tuple[float, float, float]:
    """Seconds, CPU seconds and peak memory in MB."""
    source, target, alignment = map(str, parts)
    command = [sys.executable, "-m", "hyperbaton", "train", "--source", source, "--target", target]
    command += ["--alignment", alignment, "--out", str(out), *settings]
    began = time.perf_counter()
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0
    seconds = time.perf_counter() - began
    return seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def compare(ours: Path, theirs: Path) -> None:
    """Compares the entries of two tables by phrase pair: missing ones and differences."""
    expected = {key(line): line for _, line in read_lines(theirs)}
    missing = len(expected)
    other_scores = other_fields = more = 0
    worst = 0.0
    for _, line in read_lines(ours):
        match = expected.get(key(line))
        if match is None:
            more += 1
            continue
        missing -= 1
        (scores, *rest), (their_scores, *their_rest) = fields(line), fields(match)
        pairs = zip(map(float, scores.split()), map(float, their_scores.split()), strict=True)
        difference = max(abs(a - b) / 10 ** (floor(log10(b)) - DIGITS + 1) for a, b in pairs)
        worst = max(worst, difference)
        other_scores += difference > 0.5
        other_fields += rest != their_rest
    print(f"\n{theirs.name}: {len(expected):,} entries of Moses, {missing} missing, {more} more")
    print(f"  scores: {other_scores} differ in {DIGITS} significant digits")
    print(f"  largest difference: {worst:.1g} of the last of these digits")
    print(f"  alignments and counts: {other_fields} differ")


def key(line: str) -> tuple[str, str]:
    source, target, *_ = line.split(" ||| ")
    return source, target


def fields(line: str) -> list[str]:
    return [field.strip() for field in line.split("|||")[2:]]


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", type=Path, nargs="+")
    parser.add_argument("--pairs", default=",".join(map(str, PARTS)))
    parser.add_argument("--set", action="append", default=[], dest="assignments")
    given = parser.parse_args()
    wanted = [int(number) for number in given.pairs.split(",")]
    folder = given.paths[3] if len(given.paths) > 3 else None
    main(given.paths[:3], folder, wanted, given.assignments)
