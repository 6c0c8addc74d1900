"""Tests that the memory of `hyperbaton translate` does not grow with a long stream.

    python -m tools.benchmarks.stream MODEL LINES            up to twelve words per line
    python -m tools.benchmarks.stream MODEL LINES --mixed    up to 500, and odd lines

Lines consist of words of the system and of unknown words. A mixed stream also has empty lines,
lines of one repeated word, the same line many times, and a term with the maximum number of
translations. Prints sentences per second and memory every 5 %. Exits with 1 if the final memory is
more than 5 % above that after the first fifth, when all caches are full.
"""

import argparse
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

from hyperbaton.models.system.folder import load_phrases

PARTS = 20
SHORT, LONG = 12, 500
MOST_GROWTH = 1.05


def lines(words, number, *, mixed):
    draw = random.Random(1)
    for line in range(number):
        yield (_mixed if mixed else _short)(draw, words, line)


def _short(draw, words, line):
    drawn = draw.choices(words, k=draw.randint(1, SHORT))
    if draw.random() < 0.2:
        drawn[draw.randrange(len(drawn))] = f"new{line}"
    return " ".join(drawn)


def _mixed(draw, words, line):
    kind = draw.randrange(8)
    if kind == 0:
        return " ".join([draw.choice(words)] * draw.randint(1, LONG))
    if kind == 1:
        return " ".join(words[:9])
    if kind == 2:
        equal = "||".join(f"same{number}" for number in range(32))  # the maximum of a term
        return f'{words[1]} <term translation="{equal}">{words[0]}</term> {words[2]}'
    if kind == 3:
        return " ".join(f"new{line}.{place}" for place in range(draw.randint(0, 40)))
    if kind == 4:
        return " ".join(draw.choices(words, k=draw.randint(1, LONG)))
    return _short(draw, words, line)


def megabytes(process):
    listed = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(process.pid)], capture_output=True, text=True, check=True
    )
    return int(listed.stdout) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("lines", type=int)
    parser.add_argument("--mixed", action="store_true")
    parser.add_argument("--threads", default="1")
    given = parser.parse_args()
    vocabulary = load_phrases(given.model).source_vocabulary.words[3:]
    words = [word for word in vocabulary if not set(word) & set("<>&")]
    process = subprocess.Popen(
        [sys.executable, "-m", "hyperbaton", "translate", str(given.model)]
        + ["--markup", "inclusive", "--threads", given.threads],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )

    def feed():
        with process.stdin as stream:
            for line in lines(words, given.lines, mixed=given.mixed):
                stream.write(f"{line}\n".encode())

    threading.Thread(target=feed, daemon=True).start()
    part, began, used = max(given.lines // PARTS, 1), time.monotonic(), []
    for number, _ in enumerate(process.stdout, 1):
        if number % part == 0:
            used.append(megabytes(process))
            rate = part / (time.monotonic() - began)
            print(f"{number:>10,} {rate:>10,.1f} a second {used[-1]:>8,.1f} MB", flush=True)
            began = time.monotonic()
    if process.wait() or number != given.lines:
        sys.exit(f"exit code {process.returncode} after {number} of {given.lines} lines")
    growth = used[-1] / used[len(used) // 5]
    print(f"memory in the end: {growth:.3f} times that after a fifth")
    sys.exit(growth > MOST_GROWTH)


if __name__ == "__main__":
    main()
