"""Feeds broken input to every reader, which must return data or raise a clean error.

    python -m tools.fuzz                                        a short run of each reader
    python -m tools.fuzz --minutes 60 --reader arpa             a long run of one reader
    python -m tools.fuzz --inputs 1000000 --processes 2
    python -m tools.fuzz --inputs 1000 --first 5000 --reader arpa     other inputs

Inputs are examples of each format (`tools/fuzz_examples/`) with a few changes (`mutations.py`). An
input depends only on reader, seed and number, so a run can continue where another ended. Readers
run in separate processes, on a file system in memory if possible. A reader that crashes, or takes
over `MOST_SECONDS` for an input, is restarted after that input.

An input that causes a warning, or any exception other than a `HyperbatonError`, is saved in
`tools/fuzz_findings/READER/`, where `tests/test_fuzz.py` tests it from then on; of several that
fail in the same line of code, only the first is saved.
"""

import argparse
import atexit
import ctypes
import gc
import hashlib
import math
import multiprocessing
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import tomllib
import traceback
import warnings
from collections.abc import Callable
from contextlib import contextmanager
from functools import cache
from multiprocessing import connection
from pathlib import Path
from typing import NamedTuple

import tomli_w

from hyperbaton.corpus.corpora.reading import (
    CorpusFiles,
    SourceFiles,
    read_corpus,
    read_marked_sentences,
)
from hyperbaton.corpus.preparation.reading import RawFiles, read_pairs
from hyperbaton.corpus.raw_text.casing import Truecaser
from hyperbaton.corpus.raw_text.pipeline import TextPipeline
from hyperbaton.corpus.sentences.glossary import read_glossary
from hyperbaton.corpus.sentences.marking import Marking
from hyperbaton.corpus.sentences.markup_text import read_markup
from hyperbaton.corpus.text import parse_lines
from hyperbaton.corpus.trees.brackets import read_brackets
from hyperbaton.corpus.trees.conllu import read_conllu
from hyperbaton.decoder.constrained_search import read_requests
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.errors import BadLine, DataError, HyperbatonError
from hyperbaton.foundation.files.array_files import load_arrays
from hyperbaton.foundation.files.sealed_folders import forgetting
from hyperbaton.models.distortion.parse.rewrites import parse_rewrites
from hyperbaton.models.language_model.arpa import read_arpa
from hyperbaton.models.language_model.model import LanguageModel
from hyperbaton.models.phrases.moses_tables import read_phrase_table
from hyperbaton.models.rules.moses_table import read_rule_table
from hyperbaton.models.system.folder import read_system
from hyperbaton.models.system.moses_ini import read_moses_ini
from hyperbaton.tuning.comparison.configuration import read_configuration
from hyperbaton.tuning.evaluation.nbest_lists import read_feature_lists, read_lists
from hyperbaton.tuning.evaluation.references import read_hypotheses
from hyperbaton.tuning.weights.trace import load_pool, read_trace
from tests.tiny_systems import train_all_models, train_for_text
from tools.mutations import mutated, nested_json, nested_lines, nested_toml

FINDINGS = Path(__file__).parent / "fuzz_findings"
EXAMPLES = Path(__file__).parent / "fuzz_examples"
GOOD = {
    "source": "hon o katta\nkare wa hon\n",
    "target": "bought a book\nhe books\n",
    "alignment": "0-2 2-0\n0-0\n",
}
MEMORY = Path("/dev/shm")  # a file system in memory, if it exists
MOST_SECONDS, MOST_MEMORY = 20, 8 << 30  # per input, per process
PIPELINES = [TextPipeline.of("en", "moses"), TextPipeline.of("ja", "char")]


class Reader(NamedTuple):
    read: Callable[[Path], object]
    file: str = "input"  # name that the reader expects
    prepare: Callable[[Path], object] = lambda _: None  # fills the folder of the file
    nested: Callable[[bytes, random.Random], bytes] | None = None  # changes the structure
    examples: Callable[[], list[bytes]] | None = None  # unless they are in EXAMPLES


def every(records):
    """Reads all records; a bad line may take the place of a record."""
    for record in records:
        bad = record[1] if isinstance(record, tuple) and len(record) == 2 else record
        if isinstance(bad, BadLine):
            raise bad


def beside(name):
    """Reads the file as part of a corpus whose other files are valid."""

    def prepare(folder):
        for key, text in GOOD.items():
            (folder / f"good-{key}").write_text(text)

    def read(path):
        paths = {key: path.with_name(f"good-{key}") for key in GOOD}
        read_corpus(CorpusFiles(**paths | {name: path}))

    return Reader(read, prepare=prepare)


def prepared(form):
    return lambda path: every(read_pairs(RawFiles((path,), "ja", "en", form)))


def requested(name):
    def read(path):
        try:
            every(read_requests(path, name, str.split))
        except DataError as error:
            if "the file ends after" not in str(error):  # the usual error at the end of a file
                raise

    return Reader(read)


def good_phrases(folder):
    (folder / "good-phrases").write_bytes(examples("phrase-table")[0])


def reordering(path):
    read_phrase_table(path.with_name("good-phrases"), path, "wbe-msd-bidirectional-fe")


def array_folder(folder):
    """Writes an array and the header of its folder, one of which is then replaced."""
    (folder / "words.txt").write_text("<unk>\n<s>\n</s>\na")
    (folder / "big.npy").write_bytes(examples("array")[0])
    (folder / "header.json").write_bytes(examples("array-header")[0])


def array(path):
    load_arrays(path.parent, 1)


def markup(path):
    for _, line in parse_lines(path, str):
        read_markup(line)


def raw_text(path):
    """Tokenises and detokenises lines of any language."""
    for _, line in parse_lines(path, str):
        for pipeline in PIPELINES:
            assert len(pipeline.places(line)) == len(pipeline.tokenise(line))
            pipeline.detokenise(pipeline.sentence(line).words)


def trace(path):
    """Uses a trace as a resumed run does."""
    found = read_trace(path)
    if found is not None and found.steps:
        assert found.best >= found.kept >= 0
        held_out = found.held_out.line(found.metric) if found.held_out else ""
        for text in (held_out, found.last_line, found.fall_line, found.falls):
            str(text)


@cache
def tiny_systems():
    """A folder with the parts of all systems, and the content of `model.toml` of each. The names of
    parts do not depend on their content, so that findings stay valid."""
    folder = Path(tempfile.mkdtemp(dir=place()))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    (folder / "parts").mkdir()
    contents = []
    for name, train in (("all", train_all_models), ("text", train_for_text)):
        model = train(folder / name)
        content = tomllib.loads((model / "model.toml").read_text())
        models = content["distortion"]
        entries = [(content["parts"], key) for key in content["parts"]]
        entries += [(entry, "part") for entry in models if "part" in entry]
        for number, (table, key) in enumerate(entries):
            link = f"parts/{name}-{number}"
            (folder / link).symlink_to(model / table[key])
            table[key] = link
        contents.append(tomli_w.dumps(content).encode())
    return folder, contents


def link_parts(folder):
    (folder / "parts").symlink_to(tiny_systems()[0] / "parts")


def translate(path):
    translator = Translator.load(path.parent)
    for line in ("hon o katta .", "Kare wa 3 unknown"):
        translator.n_best(line, 2)


READERS = {
    "alignment": beside("alignment"),
    "arpa": Reader(lambda path: LanguageModel.from_ngrams(read_arpa(path))),
    "array": Reader(array, "big.npy", array_folder),
    "array-header": Reader(array, "header.json", array_folder, nested_json),
    "configuration": Reader(read_configuration, "input.toml", nested=nested_toml),
    "conllu": Reader(lambda path: every(read_conllu(path)), "input.conllu"),
    "feature-lists": Reader(read_feature_lists),
    "force": requested("force"),
    "glossary": Reader(read_glossary),
    "hypotheses": Reader(read_hypotheses),
    "jsonl": Reader(prepared("jsonl"), nested=nested_lines),
    "marked": Reader(
        lambda path: every(read_marked_sentences(SourceFiles(path), Marking("exclusive")))
    ),
    "markup": Reader(markup),
    "model.toml": Reader(
        translate, "model.toml", link_parts, nested_toml, lambda: tiny_systems()[1]
    ),
    "moses.ini": Reader(read_moses_ini),
    "n-best": Reader(lambda path: every(read_lists(path))),
    "order": requested("order"),
    "phrase-table": Reader(read_phrase_table),
    "pool": Reader(load_pool),
    "prefix": requested("prefix"),
    "raw-text": Reader(raw_text),
    "rule-table": Reader(read_rule_table),
    "reordering-table": Reader(reordering, prepare=good_phrases),
    "rewrites": Reader(lambda path: parse_rewrites(path.read_text(errors="replace"), "x")),
    "system": Reader(lambda path: read_system(path.parent), "model.toml", nested=nested_toml),
    "tags": beside("source_tags"),
    "text": beside("source"),
    "tmx": Reader(prepared("tmx")),
    "trace": Reader(trace, nested=nested_json),
    "trees": Reader(lambda path: every(read_brackets(path))),
    "truecaser": Reader(Truecaser.load),
    "tsv": Reader(prepared("tsv")),
}


def examples(name):
    made = READERS[name].examples
    return (
        made() if made else [path.read_bytes() for path in sorted(EXAMPLES.glob(f"{name}.[0-9]"))]
    )


def place():
    """The folder for temporary files, in memory if possible."""
    return MEMORY if os.access(MEMORY, os.W_OK) else None


def prepare(name, folder):
    """The path of the reader's input, with all other files that it needs."""
    reader = READERS[name]
    reader.prepare(folder)
    return folder / reader.file


def attempt(name, path):
    """Whether the reader rejected the file cleanly; other exceptions propagate."""
    try:
        READERS[name].read(path)
    except HyperbatonError:
        return True
    return False


class Tally(ctypes.Structure):
    """Results so far, in memory shared with the parent, which survives a crash."""

    _fields_ = [
        *((name, ctypes.c_int64) for name in ("next", "refused", "read", "unexpected", "crashes")),
        ("seconds", ctypes.c_double),  # CPU time
    ]


def fuzz(name, folder, tally, end, *, seconds=math.inf, seed=0, begin=lambda: None):
    """Tries the inputs from `tally.next` to `end`, after `begin`; saves findings."""
    path, given, change = prepare(name, folder), examples(name), READERS[name].nested
    draw, found, used = random.Random(), set(), tally.seconds - time.process_time()
    with warnings.catch_warnings(record=True) as warned, forgetting():
        warnings.simplefilter("always")
        while tally.next < end and tally.seconds < seconds:
            draw.seed(f"{name} {seed} {tally.next}")
            example = draw.choice(given)
            nested = change and draw.random() < 0.5
            with path.open("wb", buffering=0) as stream:
                stream.write((change if nested else mutated)(example, draw))
            begin()
            try:
                refused = attempt(name, path)
                if warned:
                    raise warned.pop().message
                tally.refused, tally.read = tally.refused + refused, tally.read + (not refused)
            except Exception as error:
                tally.unexpected += 1
                line = traceback.extract_tb(error.__traceback__)[-1]
                if (type(error), line.filename, line.lineno) not in found:
                    found.add((type(error), line.filename, line.lineno))
                    keep(name, path.read_bytes(), traceback.format_exc())
            tally.next += 1
            tally.seconds = used + time.process_time()
        gc.collect()  # closes files of interrupted readers now
    return tally


def keep(name, content, why):
    path = FINDINGS / name / hashlib.sha256(content).hexdigest()[:12]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    print(f"{name}: {path}\n{why}", file=sys.stderr, flush=True)


class Job:
    """Runs a reader in a separate process, which may crash."""

    def __init__(self, name, folder, first=0):
        self.name, self.folder = name, folder
        self.tally = multiprocessing.RawValue(Tally)
        self.tally.next = first
        with tempfile.TemporaryDirectory(dir=place()) as once:  # for files prepared only once
            path = prepare(name, Path(once))
            for content in examples(name):
                path.write_bytes(content)
                attempt(name, path)

    def start(self, *given, **options):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir()
        child = multiprocessing.get_context("fork").Process(
            target=_limited, args=(self.name, self.folder, self.tally, *given), kwargs=options
        )
        child.start()
        return child

    def is_over(self, code):
        """Whether a process with this exit code finished; otherwise its last input is a finding."""
        if code > 0:
            raise RuntimeError(f"{self.name}: the harness has failed")
        if code:
            content = (self.folder / READERS[self.name].file).read_bytes()
            keep(self.name, content, f"input {self.tally.next}: signal {-code}")
            self.tally.crashes += 1
            self.tally.next += 1
        return not code


def begin_anew():
    signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)


def _limited(*given, **options):
    """Limits the time per input and the memory of the process."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    fuzz(*given, **options, begin=begin_anew)


@contextmanager
def in_good_time():
    """Raises if the block takes more CPU time than an input may."""

    def stop(*_):
        raise TimeoutError("it takes too long")

    before = signal.signal(signal.SIGPROF, stop)
    begin_anew()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)


def run(jobs, n_processes, report, *given, **options):
    """Runs all jobs, some at a time; calls `report` for each finished one."""
    waiting, running = list(jobs), {}
    while waiting or running:
        while waiting and len(running) < n_processes:
            job = waiting.pop(0)
            child = job.start(*given, **options)
            running[child.sentinel] = child, job
        for ended in connection.wait(running):
            child, job = running.pop(ended)
            child.join()
            if job.is_over(child.exitcode):
                report(job)
            else:
                waiting.insert(0, job)


COLUMNS = "reader", "inputs", "seconds", "a second", "refused", "read", "unexpected", "crashes"
ROW = "{:18}" + "{:>12}" * (len(COLUMNS) - 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--reader", action="append", choices=READERS, help="default: all")
    parser.add_argument("--inputs", type=int, help="inputs per reader (default: 2000)")
    parser.add_argument("--minutes", type=float, help="minutes per reader")
    parser.add_argument("--first", type=int, default=0, help="number of the first input")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    n_inputs = given.inputs or (sys.maxsize if given.minutes else 2000)
    failed = []

    def report(job):
        tally, seconds = job.tally, job.tally.seconds
        failed.extend([job.name] * (tally.unexpected + tally.crashes))
        done = tally.next - given.first
        counts = tally.refused, tally.read, tally.unexpected, tally.crashes
        numbers = done, round(seconds), round(done / max(seconds, 1e-9)), *counts
        print(ROW.format(job.name, *(f"{number:,}" for number in numbers)), flush=True)

    print(ROW.format(*COLUMNS), flush=True)
    with tempfile.TemporaryDirectory(dir=place()) as folder:
        names = given.reader or READERS
        jobs = [Job(name, Path(folder) / name, given.first) for name in names]
        seconds = 60 * given.minutes if given.minutes else math.inf
        run(jobs, given.processes, report, given.first + n_inputs, seconds=seconds, seed=given.seed)
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
