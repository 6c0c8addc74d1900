"""`hyperbaton compile`: compiles the code of all commands in advance."""

import time
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hyperbaton.commands.parameters import Command, command
from hyperbaton.console import say
from hyperbaton.foundation.errors import DataError

if TYPE_CHECKING:
    from hyperbaton.foundation.work.workplace import Workplace

N_SHOWN = 8  # last output lines of a command that fails
N_LINES = 40  # of a sample: enough to run every kernel
PHRASES = "a ||| b ||| 0.5 0.5 0.5 0.5 ||| 0-0 ||| 1 1 1\n"
REORDERING = "a ||| b ||| 0.6 0.2 0.2 0.6 0.2 0.2\n"
ARPA = """\\data\\
ngram 1=4
ngram 2=2

\\1-grams:
-1\t<unk>
-9\t<s>\t-0.3
-0.5\t</s>
-0.5\tb\t-0.3

\\2-grams:
-0.3\t<s> b
-0.3\tb </s>

\\end\\
"""
MOSES = """[feature]
UnknownWordPenalty
WordPenalty
PhrasePenalty
PhraseDictionaryMemory name=TranslationModel0 num-features=4 path={}/phrases
LexicalReordering name=LexicalReordering0 num-features=6 type=wbe-msd-bidirectional-fe-allff path={}/reordering
Distortion
KENLM name=LM0 path={}/lm.arpa order=2
[weight]
UnknownWordPenalty0= 1
WordPenalty0= -1
PhrasePenalty0= 0.2
TranslationModel0= 0.2 0.2 0.2 0.2
LexicalReordering0= 0.3 0.3 0.3 0.3 0.3 0.3
Distortion0= 0.3
LM0= 0.5
"""  # noqa: E501

NETWORK, RULES, LEARNERS, REST = "network", "rules", "learners", "rest"
NOT_IN_DEMO = (NETWORK, RULES, LEARNERS, REST)
Chain = list[list[str]]  # commands, one after the other


@dataclass(frozen=True, kw_only=True)
class Compile(Command):
    """Compile all code now, to avoid delays at first use.

    Normally each command compiles its code for this machine at first use and caches it. This
    command runs the others on a few sentences in a temporary folder to fill the cache. Run it once
    after installation.
    """

    def run(self) -> None:
        compile_code()


compile_all = command(Compile)


def compile_code(but: Sequence[str] = ()) -> None:
    """Runs all chains of commands except those named."""
    began = time.monotonic()
    say("compiling for this machine, once")
    with TemporaryDirectory(prefix="hyperbaton-compile-") as folder:
        wanted = chains(Path(folder))
        run_chains([chain for name, chain in wanted.items() if name not in but], Path(folder))
    say(f"compiled in {time.monotonic() - began:.0f} s")


def run_chains(chains: Sequence[Chain], folder: Path) -> None:
    """Runs chains of commands in parallel, one process per chain."""
    from hyperbaton.foundation.work.processes import Processes
    from hyperbaton.foundation.work.workers import run_jobs

    jobs = [(chain, folder / f"chain-{number}.log") for number, chain in enumerate(chains)]
    with Processes(len(jobs)) as workers:
        run_jobs(workers, jobs, _run_chain, lambda *_: None, lambda _: None)


def _run_chain(here: "Workplace", job: tuple[Chain, Path]) -> None:  # noqa: ARG001
    """Runs one chain in a worker."""
    from hyperbaton.main import main

    chain, log = job
    with log.open("w", encoding="utf-8") as file, redirect_stdout(file), redirect_stderr(file):
        for arguments in chain:
            print("hyperbaton", *arguments, flush=True)
            try:
                main(arguments)
            except SystemExit as stop:
                if stop.code:
                    file.flush()
                    last = "\n".join(log.read_text(encoding="utf-8").splitlines()[-N_SHOWN:])
                    message = f"its last output was\n{last}"
                    raise DataError("a command failed", expected=message) from None


def chains(folder: Path) -> dict[str, Chain]:
    """Commands that together run every kernel, in chains that share few of them."""
    from hyperbaton.samples import sample_files
    from hyperbaton.tuning.optimisers.interface import OPTIMISERS

    files = {name: str(path) for name, path in vars(sample_files("zh-en", "dev")).items()}
    for name, path in files.items():
        files[name] = _first_lines(Path(path), folder / name)
    text = ["--source", files["source"]]
    tags = ["--source-tags", files["source_tags"], "--source-tree", files["source_tree"]]
    parallel = [*text, "--target", files["target"], "--alignment", files["alignment"], *tags]
    parallel += ["--target-tags", files["target_tags"]]
    small, a, b, c, d, e = (str(folder / name) for name in ("small", "a", "b", "c", "d", "e"))
    train, rules = ["train", *parallel], ["train", *parallel[:6], "--grammar", "hierarchical"]
    next_word = _distortion("pair", "sequence,start_passes=1", "osm")
    dev = [*text, "--reference", files["target"], "--iterations", "2", "--replicas", "1"]
    return {
        "trees": [
            [*train, *_distortion("msd", "dpr", "nine-class", "parse"), "--out", a],
            ["translate", a, files["source"], *tags],
        ],
        "tuning": [
            ["import", _moses_system(folder), "--out", small],
            ["translate", small, files["source"]],
            ["tune", small, *dev],
            ["explain", small, "--markup", "exclusive", 'a <t translation="a">a</t>'],
        ],
        "next word": [
            [*train, *next_word, "--set", "phrases.significance=0", "--out", b],
            ["explain", b, "--input", files["source"], *tags],
            ["study", "next-word", b, *parallel],
        ],
        NETWORK: [
            [*train, *_distortion("attention"), "--out", d],
            ["explain", d, "--input", files["source"], *tags],
        ],
        RULES: [
            [*rules, "--out", c],
            [*rules, "--rules-for", files["source"], "--out", c],
            ["tune", c, *dev],
            ["explain", c, "--input", files["source"]],
        ],
        REST: [
            ["evaluate", files["target"], "--reference", files["target"], "--metrics", "all"],
            ["import", _moses_system(folder), "--out", e],
            *(["tune", e, *dev, "--method", method] for method in OPTIMISERS),
            ["prune", e, "--significance", "0"],
        ],
        LEARNERS: [
            ["study", "learners", *parallel, "--repeats", "1", "--sizes", str(N_LINES // 2)]
        ],
    }


def _distortion(*models: str) -> list[str]:
    return [word for name in models for word in ("--distortion", name)]


def _first_lines(source: Path, copy: Path) -> str:
    with source.open(encoding="utf-8") as lines:
        copy.write_text("".join(islice(lines, N_LINES)), encoding="utf-8")
    return str(copy)


def _moses_system(folder: Path) -> str:
    """Writes a Moses system, which needs no training."""
    contents = {"phrases": PHRASES, "reordering": REORDERING, "lm.arpa": ARPA}
    contents["moses.ini"] = MOSES.replace("{}", str(folder))
    for name, content in contents.items():
        (folder / name).write_text(content, encoding="utf-8")
    return str(folder / "moses.ini")
