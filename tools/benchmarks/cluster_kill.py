"""Kills workers of a cluster at random, and checks that commands still write the same bytes.

    python -m tools.benchmarks.cluster_kill [--kills 10]

Each command runs twice on the sample ja-en: locally, and on two workers without access to its
files. A worker is killed every half to two seconds and replaced by a new one.
"""

import argparse
import gzip
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from hyperbaton.samples import sample_files
from tests.foundation.work.cluster.machines import Killer, machines

COMPARISON = """
limits = [2, 3, 4, 6, 8, "inf"]
metrics = ["bleu"]
[train]
source = "train.ja"
target = "train.en"
alignment = "train.align"
[dev]
source = "dev.ja"
references = ["dev.en"]
[[test]]
source = "dev.ja"
references = ["dev.en"]
[[system]]
name = "LINEAR"
distortion = ["linear"]
[[system]]
name = "LINEAR+LEX"
distortion = ["linear", "msd"]
[tune]
iterations = 2
replicas = 2
"""
COMMANDS = {
    "train": "train --source train.ja --target train.en --alignment train.align --out made "
    "--distortion pair --set train.memory=5MB",
    "translate": "translate model many.ja -o made/many.en --n-best 10 --n-best-file made/lists",
    "tune": "tune made --source dev.ja --reference dev.en --iterations 3 --replicas 2",
    "compare": "compare comparison.toml --out made",
}
COSTS = {"cost.json", "costs.json", "files.sha256", "report.html"}  # and what names them


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--commands", nargs="+", default=list(COMMANDS), choices=COMMANDS)
    given = parser.parse_args()
    with TemporaryDirectory() as name:
        home, far = Path(name) / "home", Path(name) / "far"
        for folder in (home, far):
            folder.mkdir()
        prepare(home)
        same = [check(home, far / command, command, given.kills) for command in given.commands]
    sys.exit(0 if all(same) else 1)


def prepare(home):
    files = sample_files("ja-en")
    paths = {"ja": files.source, "en": files.target, "align": files.alignment}
    for ending, path in paths.items():
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            lines = stream.readlines()
        (home / f"train.{ending}").write_text("".join(lines), encoding="utf-8")
        (home / f"dev.{ending}").write_text("".join(lines[:200]), encoding="utf-8")
        (home / f"many.{ending}").write_text("".join(lines * 3), encoding="utf-8")
    (home / "comparison.toml").write_text(COMPARISON)
    train = COMMANDS["train"].replace("made", "model").replace(" --distortion pair", "")
    run(home, train.split())


def check(home, far, command, n_kills):
    """Runs a command twice; returns whether the results are equal."""
    far.mkdir()
    arguments, results = COMMANDS[command].split(), []
    start_anew(home, command)
    run(home, arguments)
    results.append(contents(home / "made"))
    start_anew(home, command)
    with machines(far, 2, hidden=[home]) as made:
        table = far / "cluster.toml"
        options = f'options = {{ address = "{made.address}" }}'
        table.write_text(f'[cluster]\nkind = "scheduler"\nshared = false\n{options}\n')
        killer = Killer(made, n_kills)
        killer.start()
        run(home, [*arguments, "--cluster", str(table)])
        killer.ended.set()
        killer.join()
    results.append(contents(home / "made"))
    is_same = results[0] == results[1]
    n = len(results[0])
    print(
        f"{command}: {killer.n_killed} kills, {n} files, {'the same' if is_same else 'DIFFERENT'}"
    )
    return is_same


def start_anew(home, command):
    shutil.rmtree(home / "made", ignore_errors=True)
    if command == "tune":
        shutil.copytree(home / "model", home / "made")
    elif command == "translate":
        (home / "made").mkdir()


def run(home, arguments):
    command = [sys.executable, "-m", "hyperbaton", *arguments]
    done = subprocess.run(command, cwd=home, capture_output=True, text=True)
    if done.returncode:
        sys.exit(done.stderr)


def contents(folder):
    """The bytes of all files, except those with costs."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name not in COSTS and "tuning" not in path.parts
    }


if __name__ == "__main__":
    main()
