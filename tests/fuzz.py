"""Feeds broken input to every reader: whatever it is, the answer is data or a clean error.

    python tests/fuzz.py                      a short round of each
    python tests/fuzz.py --minutes 60 arpa    a long one of some
    python tests/fuzz.py --inputs 1000000

Inputs are made from examples of each format (`tests/fuzz_examples/`): bytes are flipped, cut and
repeated, and words and lines are replaced by what formats are made of (separators, brackets, huge
and strange numbers, odd letters). An input that ends in anything but a `HyperbatonError` is written
to `tests/fuzz_findings/READER/`, where `tests/test_fuzz.py` finds it from then on.
"""

import argparse
import hashlib
import random
import re
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from decoder.request_files import read_requests
from models.data.array_files import load_arrays
from models.data.brackets import read_brackets
from models.data.conllu import read_conllu
from models.data.corpus_reading import CorpusFiles, SourceFiles, read_corpus, read_marked_sentences
from models.data.glossary import read_glossary
from models.data.marking import Marking
from models.data.markup_text import read_markup
from models.data.text import parse_lines
from models.distortion.parse.rewrites import parse_rewrites
from models.errors import BadLine, DataError, HyperbatonError
from models.language_model.arpa import read_arpa
from models.language_model.model import LanguageModel
from models.phrases.moses_tables import read_phrase_table
from models.preparation.reading import RawFiles, read_pairs
from models.system.folder import read_system
from models.system.moses_ini import read_moses_ini
from models.text.casing import Truecaser
from tuning.comparison.configuration import read_configuration
from tuning.evaluation.list_features import read_feature_lists
from tuning.evaluation.nbest_lists import read_lists
from tuning.evaluation.references import read_hypotheses
from tuning.weights.trace import read_trace

FINDINGS = Path(__file__).parent / "fuzz_findings"
EXAMPLES = Path(__file__).parent / "fuzz_examples"
GOOD = "hon o katta\nkare wa hon\n", "bought a book\nhe books\n", "0-2 2-0\n0-0\n"
ODD_PARTS = Path(__file__).parent / "fuzz_parts.txt"
PARTS = [
    *ODD_PARTS.read_bytes().split(),
    *(letter.encode() for letter in "\u3000\u2028\u0085\ufeff\U0001f600\u0301\u202e\t \n\r\0\x1f"),
    *(b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"  ", b"\r\n", b"ngram 1=3"),
    *(b"9" * 30, b"9" * 5000, b"a" * 3000, b"0-0 " * 300, b"(" * 2000, b"[" * 2000),
]
WORD = re.compile(rb"[^\s]+")


class Reader(NamedTuple):
    read: Callable[[Path], object]
    file: str = "input"  # what the reader wants it to be called


def every(records):
    """Reads them all; a bad line may also come in place of a record."""
    for record in records:
        bad = record[1] if isinstance(record, tuple) and len(record) == 2 else record
        if isinstance(bad, BadLine):
            raise bad


def beside(name):
    """Reads the file as one of several of a corpus, the others of which are good."""

    def read(path):
        good = dict(zip(("source", "target", "alignment"), GOOD, strict=True))
        paths = {}
        for key, text in good.items():
            paths[key] = path.with_name(f"good-{key}")
            paths[key].write_text(text)
        read_corpus(CorpusFiles(**paths | {name: path}))

    return read


def prepared(form):
    return lambda path: every(read_pairs(RawFiles((path,), "ja", "en", form)))


def requested(name):
    def read(path):
        try:
            every(read_requests(path, name, str.split))
        except DataError as error:
            if "the file ends after" not in str(error):  # what they say of every file in the end
                raise

    return read


def reordering(path):
    phrases = path.with_name("good-phrases")
    phrases.write_bytes(examples("phrase-table")[0])
    read_phrase_table(phrases, path, "wbe-msd-bidirectional-fe")


def array(path):
    """An array or the header of its folder, with the rest as it should be."""
    path.with_name("words.txt").write_text("<unk>\n<s>\n</s>\na")
    for name, file in (("array", "big.npy"), ("array-header", "header.json")):
        if file != path.name:
            path.with_name(file).write_bytes(examples(name)[0])
    load_arrays(path.parent, 1)


def markup(path):
    for _, line in parse_lines(path, str):
        read_markup(line)


READERS = {
    "alignment": Reader(beside("alignment")),
    "arpa": Reader(lambda path: LanguageModel.from_ngrams(read_arpa(path))),
    "array": Reader(array, "big.npy"),
    "array-header": Reader(array, "header.json"),
    "configuration": Reader(read_configuration, "input.toml"),
    "conllu": Reader(lambda path: every(read_conllu(path)), "input.conllu"),
    "feature-lists": Reader(read_feature_lists),
    "force": Reader(requested("force")),
    "glossary": Reader(read_glossary),
    "hypotheses": Reader(read_hypotheses),
    "jsonl": Reader(prepared("jsonl")),
    "marked": Reader(
        lambda path: every(read_marked_sentences(SourceFiles(path), Marking("exclusive")))
    ),
    "markup": Reader(markup),
    "moses.ini": Reader(read_moses_ini),
    "n-best": Reader(lambda path: every(read_lists(path))),
    "order": Reader(requested("order")),
    "phrase-table": Reader(read_phrase_table),
    "prefix": Reader(requested("prefix")),
    "reordering-table": Reader(reordering),
    "rewrites": Reader(lambda path: parse_rewrites(path.read_text(errors="replace"), "x")),
    "system": Reader(lambda path: read_system(path.parent), "model.toml"),
    "tags": Reader(beside("source_tags")),
    "text": Reader(beside("source")),
    "tmx": Reader(prepared("tmx")),
    "trace": Reader(read_trace),
    "trees": Reader(lambda path: every(read_brackets(path))),
    "truecaser": Reader(Truecaser.load),
    "tsv": Reader(prepared("tsv")),
}


def examples(name):
    return [path.read_bytes() for path in sorted(EXAMPLES.glob(f"{name}.[0-9]"))]


def mutated(content, draw):
    """The bytes with a few changes, from bits to lines."""
    for _ in range(draw.choice((1, 1, 2, 3, 8))):
        content = draw.choice(CHANGES)(content, draw)
    return content


def _flip(content, draw):
    if not content:
        return b"\0"
    at = draw.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << draw.randrange(8)]) + content[at + 1 :]


def _cut(content, draw):
    first, last = sorted(draw.randrange(len(content) + 1) for _ in range(2))
    return content[:first] + content[last:]


def _insert(content, draw):
    at = draw.randrange(len(content) + 1)
    return content[:at] + draw.choice(PARTS) + content[at:]


def _replace_word(content, draw):
    words = list(WORD.finditer(content))
    if not words:
        return content + draw.choice(PARTS)
    word = draw.choice(words)
    return content[: word.start()] + draw.choice(PARTS) + content[word.end() :]


def _move_line(content, draw):
    lines = content.split(b"\n")
    line = draw.choice(lines)
    if draw.random() < 0.5:
        lines.remove(line)
    lines.insert(draw.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def _repeat(content, draw):
    first, last = sorted(draw.randrange(len(content) + 1) for _ in range(2))
    return content[:last] + content[first:last] * draw.choice((1, 2, 50)) + content[last:]


CHANGES = (_flip, _cut, _insert, _insert, _replace_word, _replace_word, _move_line, _repeat)


def attempt(reader, path):
    """Whether the reader refused the file; any other exception is the caller's."""
    try:
        reader.read(path)
    except HyperbatonError:
        return True
    return False


def fuzz(name, folder, *, seed=0, inputs=None, seconds=None):
    """Counts of what happened; findings are kept."""
    reader, draw, counts = READERS[name], random.Random(f"{name} {seed}"), Counter()
    given = examples(name)
    path = folder / reader.file
    began = time.monotonic()
    while not (inputs and counts.total() >= inputs) and not (
        seconds and time.monotonic() - began > seconds
    ):
        content = mutated(draw.choice(given), draw)
        path.write_bytes(content)
        try:
            counts["refused" if attempt(reader, path) else "read"] += 1
        except Exception:
            counts["failed"] += 1
            found = FINDINGS / name / hashlib.sha256(content).hexdigest()[:12]
            found.parent.mkdir(parents=True, exist_ok=True)
            found.write_bytes(content)
            print(f"{name}: {found}", file=sys.stderr)
            traceback.print_exc()
    return counts


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("readers", nargs="*", default=[])
    parser.add_argument("--minutes", type=float, help="for each reader")
    parser.add_argument("--inputs", type=int, help="for each reader")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in given.readers or READERS:
            inputs = given.inputs or (None if given.minutes else 2000)
            seconds = given.minutes and 60 * given.minutes
            counts = fuzz(name, Path(folder), seed=given.seed, inputs=inputs, seconds=seconds)
            print(f"{name:20}", ", ".join(f"{n:,} {what}" for what, n in sorted(counts.items())))
            failed += counts["failed"]
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
