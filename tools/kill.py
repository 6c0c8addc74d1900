"""Kills commands at random moments and compares the results with those of an undisturbed run.

    python -m tools.kill                     a few kills of each command
    python -m tools.kill tune --kills 50     more kills of one command

All processes of a command are killed (SIGKILL) after a random number of changes to the files of its
folder, at most as many as in an undisturbed run. Then the same command runs again, until it ends
normally. All files must be byte-identical to those of the undisturbed run, and there must be no
others. Not compared are times and memory (`COSTS`, and files that consist of them), and the output
of eflomal, which takes its seed from the operating system; of its alignment, only the number of
lines is compared.
"""

import argparse
import gzip
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple

from hyperbaton.main import main as main_of_hyperbaton
from hyperbaton.samples import sample_files

ROOT = Path(__file__).parent.parent
N_PAIRS = 300  # sentence pairs; a tenth of them is the development set
COMPARISON = """
limits = [6]
metrics = ["bleu", "pdscore"]
train = { source = "train.ja", target = "train.en", alignment = "train.align" }
dev = { source = "dev.ja", references = ["dev.en"] }
test = [{ name = "test", source = "dev.ja", references = ["dev.en"], alignment = "dev.align" }]
system = [
    { name = "LINEAR", distortion = ["linear"] },
    { name = "LEX", distortion = ["linear", "msd"] },
]
tune = { replicas = 1, iterations = 2 }
"""
TRAIN = "train --source train.ja --target train.en --alignment train.align --out model"
COMMANDS = {
    "train": f"{TRAIN} --distortion linear --distortion msd --distortion pair",
    "tune": "tune model --source dev.ja --reference dev.en --replicas 2 --iterations 3",
    "compare": "compare comparison.toml --out comparison",
    "import": "import moses/moses.ini --out imported",
    "align": "align --source train.ja --target train.en --out made.align --save-priors priors.gz",
    "prepare": "prepare raw.tsv -s fr -t en --columns 1,2 --dev 20 --test 20 --out prepared",
}
NEEDS = {"tune": [TRAIN], "import": [TRAIN, "export model --out moses"]}  # commands to run before
COSTS = re.compile(rb'"seconds": [0-9.e+-]+|[0-9a-f]{64}  cost.json')  # in traces and seals
UNEQUAL = {"cost.json", "costs.json", "report.html", "priors.gz"}
SAMPLED = "made.align"


class Outcome(NamedTuple):
    kills: int
    differences: list[str]


def write_data(folder, n_pairs=N_PAIRS):
    """Writes some sentences of the sample under all names that the commands use."""
    files = sample_files("ja-en")
    named = {"ja": files.source, "en": files.target, "align": files.alignment}
    columns = []
    for name, path in named.items():
        lines = gzip.decompress(path.read_bytes()).splitlines(keepends=True)[:n_pairs]
        (folder / f"train.{name}").write_bytes(b"".join(lines))
        (folder / f"dev.{name}").write_bytes(b"".join(lines[: n_pairs // 10]))
        columns.append(lines)
    pairs = zip(*columns[:2], strict=True)
    (folder / "raw.tsv").write_bytes(b"".join(one.rstrip() + b"\t" + two for one, two in pairs))
    (folder / "comparison.toml").write_text(COMPARISON)


def start(command, folder):
    """Starts the command in a separate process group."""
    return subprocess.Popen(
        [sys.executable, "-m", "hyperbaton", *command.split()],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def run_here(command, folder):
    """Runs the command inside this process, where most modules are already loaded."""
    with chdir(folder):
        try:
            main_of_hyperbaton(command.split())
        except SystemExit as end:
            if end.code:
                raise RuntimeError(command) from end


def listing(folder):
    """The state of all files in the file system; it changes with every write."""
    found = []
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                seen = os.stat(os.path.join(place, name))  # noqa: PTH116, PTH118 - called often
            except OSError:  # removed in the meantime
                continue
            found.append((place, name, seen.st_size, seen.st_mtime_ns))
    return found


def watch(folder, has_ended, most=None):
    """Counts the changes of files until a command ends, or up to a maximum."""
    n_changes, before = 0, listing(folder)
    while not has_ended() and n_changes != most:
        time.sleep(0.002)
        now = listing(folder)
        n_changes += now != before
        before = now
    return n_changes


def changes_of(command, folder):
    """The number of changes in an undisturbed run."""
    ended = threading.Event()
    with ThreadPoolExecutor(1) as thread:
        watching = thread.submit(watch, folder, ended.is_set)
        try:
            run_here(command, folder)
        finally:
            ended.set()
        return watching.result()


def killed(process, folder, n_changes, draw):
    """Kills the process after some changes and a short delay; false if it ended before."""
    watch(folder, lambda: process.poll() is not None, n_changes)
    try:
        process.wait(draw.uniform(0, 0.03))
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    return process.returncode == -signal.SIGKILL


def content(path):
    """The content of a file that must be equal, without times."""
    if path.name in UNEQUAL:
        return None
    raw = path.read_bytes()
    return raw.count(b"\n") if path.name == SAMPLED else COSTS.sub(b"", raw)


def differences(whole, disturbed):
    """Names of the files that are in only one of the folders, or that differ."""
    named = [
        {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}
        for folder in (whole, disturbed)
    ]
    common = named[0] & named[1]
    changed = {name for name in common if content(whole / name) != content(disturbed / name)}
    return sorted(map(str, (named[0] ^ named[1]) | changed))


def try_kills(name, folder, kills, seed=0, each=3, n_pairs=N_PAIRS):
    """Runs the command repeatedly, with up to `each` kills per run, until a number of kills."""
    command, draw = COMMANDS[name], random.Random(f"{name} {seed}")
    given, whole, disturbed = (folder / part for part in ("given", "whole", "disturbed"))
    given.mkdir(parents=True)
    write_data(given, n_pairs)
    for need in NEEDS.get(name, []):
        run_here(need, given)
    shutil.copytree(given, whole)
    most = max(changes_of(command, whole), 1)
    n_killed, found = 0, []
    while n_killed < kills:
        shutil.rmtree(disturbed, ignore_errors=True)
        shutil.copytree(given, disturbed)
        moments = [draw.randint(1, most) for _ in range(min(each, kills - n_killed))]
        for moment in moments:
            if not killed(start(command, disturbed), disturbed, moment, draw):
                break
            n_killed += 1
        run_here(command, disturbed)
        found += differences(whole, disturbed)
    return Outcome(n_killed, found)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("commands", nargs="*", default=[])
    parser.add_argument("--kills", type=int, default=3, help="kills per command")
    parser.add_argument("--pairs", type=int, default=N_PAIRS, help="sentence pairs of the corpus")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    failed = False
    for name in given.commands or COMMANDS:
        with tempfile.TemporaryDirectory() as folder:
            outcome = try_kills(name, Path(folder), given.kills, given.seed, n_pairs=given.pairs)
        failed |= bool(outcome.differences)
        result = ", ".join(outcome.differences) or "the same bytes"
        print(f"{name:10} {outcome.kills} kills: {result}", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
