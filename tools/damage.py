"""Damages the arrays of a system, one at a time, and tries to translate with it.

    python -m tools.damage --times 12 --seed 1           a tiny system with all models
    python -m tools.damage MODEL --times 12 --seed 1

Flips bits, and overwrites ranges with zeros, ones, NaN, large or random numbers. The seals are
recomputed, as an attacker would do. Every damage must be rejected with a message or be harmless; a
crash, an endless search or any other exception is a failure. Run it with `NUMBA_BOUNDSCHECK=1` (and
a separate `NUMBA_CACHE_DIR`) to detect every access outside an array.
"""

import argparse
import os
import random
import shutil
import signal
import sys
import tempfile
import traceback
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.errors import HyperbatonError
from hyperbaton.foundation.files.sealed_folders import seal
from tests.tiny_systems import train_all_models

REFUSED, HARMLESS, EXCEPTION = "refused", "harmless", "exception"
CODES = {0: HARMLESS, 2: REFUSED, 3: EXCEPTION}
PATTERNS = {
    "zeros": b"\0",
    "ones": b"\xff",
    "nan": np.float32(np.nan).tobytes(),
    "large": b"\xff\xff\xff\x7f",
}
N_SENTENCES, N_WORDS = 3, 9


def damaged(content, draw):
    """The bytes of an `.npy` file with some values changed."""
    begin = 10 + int.from_bytes(content[8:10], "little")
    body = bytearray(content[begin:])
    if not body:
        return content
    kind = draw.choice(["flip", "flips", "random", *PATTERNS])
    if kind in ("flip", "flips"):
        for _ in range(200 if kind == "flips" else 1):
            body[draw.randrange(len(body))] ^= 1 << draw.randrange(8)
    else:
        start = draw.randrange(len(body)) // 8 * 8
        end = min(len(body), start + draw.choice([4, 8, 64, 4096, len(body)]))
        pattern = PATTERNS.get(kind) or draw.randbytes(end - start)
        repeats = -(-(end - start) // len(pattern))
        body[start:end] = (pattern * repeats)[: end - start]
    return content[:begin] + bytes(body)


def sentences(translator):
    """Sentences with words that the system knows, and one unknown word."""
    words = translator.phrases.source_vocabulary.words[3:]
    draw = random.Random(0)
    known = [tuple(draw.choices(words, k=N_WORDS)) for _ in range(N_SENTENCES)]
    return [Sentence(each) for each in (*known, (*words[:4], "?unknown?"))]


def outcome(model, texts, seconds):
    """The outcome of a translation in a separate process."""
    child = os.fork()
    if not child:
        code = 3
        try:
            signal.alarm(seconds)
            translator = Translator.load(model)
            for sentence in texts:
                translator.n_best(sentence, 3)
            code = 0
        except HyperbatonError:
            code = 2
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    code = os.waitstatus_to_exitcode(status)
    return CODES.get(code, f"signal {-code}")


def try_damages(model, times, seed=0, seconds=60):
    """Damages every array; returns the outcomes by array."""
    translator = Translator.load(model)
    texts = sentences(translator)
    for sentence in texts:  # compiles the kernels before processes are started
        translator.n_best(sentence, 3)
    draw = random.Random(seed)
    found = defaultdict(Counter)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder) / "m"
        shutil.copytree(model, work)
        for path in sorted(work.rglob("*.npy")):
            content = path.read_bytes()
            for _ in range(times):
                path.write_bytes(damaged(content, draw))
                (path.parent / "files.sha256").unlink()
                seal(path.parent)
                name = f"{path.parent.name.rpartition('-')[0]}/{path.stem}"
                found[name][outcome(work, texts, seconds)] += 1
            path.write_bytes(content)
            (path.parent / "files.sha256").unlink()
            seal(path.parent)
    return found


COLUMNS = "array", "damages", REFUSED, HARMLESS, "crashes"


def row(name, outcomes):
    """A row of the table of outcomes; a crash is any other outcome."""
    total, known = outcomes.total(), [outcomes[REFUSED], outcomes[HARMLESS]]
    return f"{name:45}" + "".join(f"{n:>10,}" for n in (total, *known, total - sum(known)))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path, nargs="?", help="default: train a tiny system")
    parser.add_argument("--times", type=int, default=12, help="damages per array")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        model = given.model or train_all_models(Path(folder))
        found = try_damages(model, given.times, given.seed)
    print(f"{COLUMNS[0]:45}" + "".join(f"{name:>10}" for name in COLUMNS[1:]))
    for name, outcomes in sorted(found.items()):
        print(row(name, outcomes))
    total = sum(found.values(), Counter())
    print(row("all", total))
    others = total.keys() - {REFUSED, HARMLESS}
    sys.exit(", ".join(f"{total[what]} × {what}" for what in others) if others else 0)


if __name__ == "__main__":
    main()
