"""Cost of the search by distortion limit and sentence length, compared with other versions.

    python -m tools.benchmarks.search [--marks] SOURCE N MODEL [CHECKOUT MODEL]...

Decodes the first N sentences of SOURCE with linear distortion and with all models of MODEL, with
this version and with those of other checkouts, which may need another MODEL. Versions take turns,
each time in a new process; times are the minimum CPU time of several rounds.

    python -m tools.benchmarks.search --curve LM TEXT SOURCE N MODEL [CHECKOUT MODEL]...

CPU time against mean model score by pop limit, with linear distortion, and kenlm's `Model.score` on
the lines of TEXT with its model LM in the same processes, one for each version. Versions take turns
for each pop limit; the time of a sentence is its minimum over the rounds.

With --marks: the cost of a zone, a wall or a term in the middle of each sentence, as a ratio to the
same sentences without marks, which other checkouts translate too.
"""

import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from itertools import islice
from math import inf
from pathlib import Path

HERE = str(Path(__file__).parents[2])
LIMITS = (6, 10, 20, -1)
LENGTHS = (10, 20, 40, 60, 80, 100)
POPS = (50, 100, 150, 250, 400, 800, 2000)
ROUNDS = 3
PLAIN, MARKS = "plain", ("zone", "wall", "exclusive", "inclusive", "constraint")
TURNS = 3
COUNTS = ("edges", "opened", "pops", "lm_words")


def main(source: str, n: str, model: str, *others: str) -> None:
    versions = {HERE: model} | dict(zip(others[::2], others[1::2], strict=True))
    for models in ("linear", "all models"):
        print(f"{models}, a sentence; lm words by source word")
        print(f"{'limit':>6} {'version':20}{'ms':>8}{'edges':>9}{'opened':>9}{'pops':>9}"
              f"{'lm words':>9}{'score':>11}")  # fmt: skip
        for limit in LIMITS:
            for version, of_version in versions.items():
                row = measured(version, of_version, source, n, models, limit, "")
                print(line(limit if limit >= 0 else "none", version, row))
    print("\nlinear, no limit, by words of the source")
    for length in LENGTHS:
        for version, of_version in versions.items():
            row = measured(version, of_version, source, n, "linear", -1, str(length))
            print(line(length, version, row))


def curve(lm: str, text: str, source: str, n: str, model: str, *others: str) -> None:
    versions = {HERE: model} | dict(zip(others[::2], others[1::2], strict=True))
    processes = {}
    for version, of_version in versions.items():
        command = [sys.executable, __file__, "--serve", lm, text, source, n, of_version]
        processes[version] = subprocess.Popen(
            command,
            env=environment(version),
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
    print(f"{'limit':>6}{'pops':>6} {'version':20}{'ms':>8}{'kenlm words':>13}{'score':>11}")
    kenlm = {}
    for limit in LIMITS[::3]:
        for pops in POPS:
            found = defaultdict(list)
            for _ in range(ROUNDS):
                for version, process in processes.items():
                    print(limit, pops, file=process.stdin, flush=True)
                    found[version].append(json.loads(process.stdout.readline()))
            for version, rows in found.items():
                ms = sum(map(min, zip(*(row["ms"] for row in rows), strict=True))) / len(
                    rows[0]["ms"]
                )
                kenlm[version] = min([row["kenlm"] for row in rows] + [kenlm.get(version, inf)])
                name = "this" if version == HERE else Path(version).name
                print(f"{limit if limit >= 0 else 'none':>6}{pops:>6} {name:20}{ms:>8.3f}"
                      f"{ms / kenlm[version] / 1e3:>13,.0f}{rows[0]['score']:>11.4f}")  # fmt: skip
    for version, seconds in kenlm.items():
        print(f"{Path(version).name}: kenlm scores {1 / seconds:,.0f} words a second")


def serve(lm: str, text: str, source: str, n: str, model: str) -> None:
    """Measures a row of the curve for each line of standard input."""
    import kenlm

    from hyperbaton.corpus.sentences.sentence import Sentence
    from hyperbaton.corpus.text import read_lines
    from hyperbaton.decoder.decode import SearchSettings
    from hyperbaton.decoder.translator import Translator

    loaded = Translator.load(model, SearchSettings(), ["linear"])
    sentences = [Sentence.parse(line) for _, line in islice(read_lines(Path(source)), int(n))]
    yardstick, lines = kenlm.Model(lm), Path(text).read_text("utf-8").splitlines()
    n_words = sum(len(line.split()) + 1 for line in lines)
    for line in sys.stdin:
        limit, pops = map(int, line.split())
        translator = loaded.with_settings(distortion_limit=limit, pop_limit=pops)
        for sentence in sentences:  # fills the caches of options
            translator.decode(sentence)
        began = time.thread_time()
        for text_line in lines:
            yardstick.score(text_line)
        row = {"kenlm": (time.thread_time() - began) / n_words, "ms": [], "score": 0.0}
        for sentence in sentences:
            began = time.thread_time()
            decoded = translator.decode(sentence)
            row["ms"].append((time.thread_time() - began) * 1e3)
            row["score"] += float(decoded.scores[0]) / len(sentences)
        print(json.dumps(row), flush=True)


def environment(version: str) -> dict[str, str]:
    return os.environ | {"PYTHONPATH": f"{version}/src", "OPENBLAS_NUM_THREADS": "1"}


def compare_marks(source: str, n: str, model: str, *others: str) -> None:
    checkouts = dict(zip(others[::2], others[1::2], strict=True))
    rows = [(HERE, model, kind) for kind in (PLAIN, *MARKS)]
    rows += [(version, of_version, PLAIN) for version, of_version in checkouts.items()]
    for models in ("linear", "all models"):
        print(f"{models:32}{'ms':>8}{'ratio':>8}{'edges':>9}{'pops':>9}")
        for limit in LIMITS[::3]:
            found = [
                [measured(*row[:2], source, n, models, limit, "", row[2]) for row in rows]
                for _ in range(TURNS)
            ]
            best = [min(of_row, key=lambda each: each["ms"]) for of_row in zip(*found, strict=True)]
            for (version, _, kind), row in zip(rows, best, strict=True):
                label = kind if version == HERE else f"{kind}, {Path(version).name}"
                name = f"{'no limit' if limit < 0 else f'limit {limit}'}, {label}"
                counts = f"{row['edges']:>9,.0f}{row['pops']:>9,.0f}"
                print(f"{name:32}{row['ms']:>8.3f}{row['ms'] / best[0]['ms']:>8.3f}{counts}")


def marked(sentence, kind: str):  # type: ignore[no-untyped-def]
    """The sentence with one mark around its middle."""
    from hyperbaton.corpus.sentences.markup import Markup, Term
    from hyperbaton.corpus.sentences.sentence import Sentence

    n = len(sentence)
    middle = n // 2
    if kind == "zone":
        markup = Markup(zones=((n // 3, max(2 * n // 3, n // 3 + 1)),))
    elif kind == "wall":
        markup = Markup(walls=(middle,))
    else:
        markup = Markup((Term(middle, middle + 1, {"the one": 1.0}, kind),))
    return Sentence(sentence.words, markup=markup)


def line(name: object, version: str, row: dict[str, float]) -> str:
    counts = "".join(f"{row[key]:>9,.0f}" for key in COUNTS)
    label = "this" if version == HERE else Path(version).name
    return f"{name!s:>6} {label:20}{row['ms']:>8.2f}{counts}{row['score']:>11.4f}"


def measured(version: str, *arguments: object) -> dict[str, float]:
    command = [sys.executable, __file__, "--one", *map(str, arguments)]
    found = subprocess.run(command, check=True, capture_output=True, env=environment(version))
    row: dict[str, float] = json.loads(found.stdout)
    return row


def one(
    model: str, source: str, n: str, models: str, limit: str, length: str, kind: str = PLAIN
) -> None:
    """Measures one row, and prints it for the parent process."""
    from hyperbaton.corpus.sentences.sentence import Sentence
    from hyperbaton.corpus.text import read_lines
    from hyperbaton.decoder.decode import SearchSettings
    from hyperbaton.decoder.translator import Translator

    names = ["linear"] if models == "linear" else []
    translator = Translator.load(model, SearchSettings(distortion_limit=int(limit)), names)
    lines = [line for _, line in islice(read_lines(Path(source)), int(n))]
    if length:  # cut from the text, ignoring line ends
        words, size = " ".join(lines).split(), int(length)
        lines = [" ".join(words[at : at + size]) for at in range(0, min(len(words), 2000), size)]
    sentences = [Sentence.parse(text) for text in lines]
    if kind != PLAIN:
        sentences = [marked(sentence, kind) for sentence in sentences if len(sentence)]
    sums: dict[str, float] = defaultdict(float)
    for sentence in sentences:
        decoded = translator.decode(sentence)
        counts = decoded.statistics._asdict()
        for key in COUNTS:
            sums[key] += counts.get(key, counts["edges"]) / len(sentences)
        sums["score"] += float(decoded.scores[0]) / len(sentences)
    sums["lm_words"] *= len(sentences) / sum(map(len, sentences))
    seconds = []
    for _ in range(ROUNDS):
        began = time.thread_time()
        for sentence in sentences:
            translator.decode(sentence)
        seconds.append(time.thread_time() - began)
    print(json.dumps({**sums, "ms": min(seconds) / len(sentences) * 1e3}))


if __name__ == "__main__":
    if sys.argv[1] == "--one":
        one(*sys.argv[2:])
    elif sys.argv[1] == "--marks":
        compare_marks(*sys.argv[2:])
    elif sys.argv[1] == "--curve":
        curve(*sys.argv[2:])
    elif sys.argv[1] == "--serve":
        serve(*sys.argv[2:])
    else:
        main(*sys.argv[1:])
