"""CPU time of processing raw text, compared with translating it.

    python -m tools.benchmarks.text MODEL SOURCE REFERENCE

MODEL takes raw text. Tokenising SOURCE, decoding it at the system's distortion limit and
detokenising the translations are timed separately; then tokenising REFERENCE and detokenising
SOURCE, the work of a system for the other direction. All times are medians of rounds in which they
take turns, on one thread.
"""

import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from statistics import median

from hyperbaton.corpus.text import read_lines
from hyperbaton.decoder.translator import Translator

ROUNDS = 5


def main(model: str, source: str, reference: str) -> None:
    translator = Translator.load(model)
    text = translator.preparation
    assert text.text is not None, f"{model} takes tokens"
    lines, references = (
        [line for _, line in read_lines(Path(path)) if isinstance(line, str)]
        for path in (source, reference)
    )
    there, back = text.text, replace(text.text.target, is_written=False)
    written = replace(there.source, is_written=True)
    parsed = [text.parse(line) for line in lines]
    decoded = [translator.decode(sentence).words() for sentence in parsed]  # compiles the kernels
    tokens = [written.tokenise(line) for line in lines]
    work: dict[str, Callable[[], object]] = {
        "decode": lambda: [translator.decode(one) for one in parsed],
        "tokenise the source": lambda: [text.parse(line) for line in lines],
        "detokenise": lambda: [text.joined(words) for words in decoded],
        "tokenise the reference": lambda: [back.sentence(line) for line in references],
        "detokenise the source": lambda: [written.detokenise(words) for words in tokens],
    }
    costs: dict[str, list[float]] = {name: [] for name in work}
    for _ in range(ROUNDS):
        for name, do in work.items():
            began = time.thread_time()
            do()
            costs[name].append(1000 * (time.thread_time() - began) / len(lines))
    decode, *others = (median(own) for own in costs.values())
    for name, own in costs.items():
        print(f"{name:24}{median(own):8.3f} s per 1,000 sentences")
    print(f"text : decoding         {sum(others[:2]) / decode:8.1%}")
    print(f"in the other direction  {sum(others[2:]) / decode:8.1%}")


if __name__ == "__main__":
    main(*sys.argv[1:])
