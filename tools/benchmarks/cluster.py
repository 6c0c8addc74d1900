"""Overhead and scaling of a cluster, measured on this machine in one run.

    python -m tools.benchmarks.cluster MODEL SOURCE [COMPARISON] [--sentences N] [--workers N N …]

MODEL translates SOURCE, repeated until there are enough sentences, with threads and then with the
same number of workers, which fetch the system from the command as from another machine; the outputs
must be equal. COMPARISON is a configuration for `hyperbaton compare`, such as a small grid. The
cluster is started and warmed up first, as in normal use; times are those of whole commands that
connect to it. Prints wall time and CPU time of all processes, and ratios: users see wall time, but
CPU time is more reliable on a busy machine.
"""

import argparse
import filecmp
import os
import shutil
import subprocess
import sys
import time
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.foundation.work.cluster.machines import Machines, machines

TICK = os.sysconf("SC_CLK_TCK")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("model", type=Path)
    parser.add_argument("source", type=Path)
    parser.add_argument("comparison", type=Path, nargs="?")
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    given = parser.parse_args()
    os.environ["DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED"] = "False"  # as local clusters have it
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    with TemporaryDirectory() as name:
        folder = Path(name)
        lines = islice(cycle(given.source.read_bytes().splitlines(True)), given.sentences)
        (folder / "in").write_bytes(b"".join(lines))
        translate(given, folder)
        if given.comparison:
            compare(given, folder)
    print(f"load {os.getloadavg()[0]:.1f}")


def translate(given, folder):
    print(f"\ntranslate, {given.sentences:,} sentences{'':13}wall s      CPU s")
    command = ["translate", given.model, folder / "in", "-o"]
    near, first = measure(command, folder / "near", "--threads", 2), None
    row("2 threads", near)
    for n in given.workers:
        with machines(make(folder / f"machines-{n}"), n) as made:
            where = ["--cluster", table(folder, made)]
            small = folder / "small"
            small.write_bytes(b"".join((folder / "in").open("rb").readlines()[: 100 * n]))
            for _ in range(2):  # until all have loaded the kernels
                measure(["translate", given.model, small, "-o"], folder / "none", *where)
            far = measure(command, folder / "far", *where, processes=made)
        if not filecmp.cmp(folder / "near", folder / "far", shallow=False):
            sys.exit("the translations differ")
        first = first or far
        growth = f"{first[0] / far[0]:.2f} times as fast as {given.workers[0]}"
        row(f"{n} workers", far, near if n == 2 else None, growth)


def compare(given, folder):
    print(f"\ncompare{'':33}wall s      CPU s")
    command = ["compare", given.comparison, "--out"]
    near = measure(command, folder / "comparison", "--threads", 2)
    row("2 processes", near)
    shutil.rmtree(folder / "comparison")
    with machines(make(folder / "machines"), 2) as made:
        where = ["--cluster", table(folder, made), "--threads", 2]
        far = measure(command, folder / "comparison", *where, processes=made)
    row("2 workers", far, near)


def measure(command, out, *options, processes: Machines | None = None):
    """Wall and CPU seconds of a command, including the processes of a cluster."""
    command = [sys.executable, "-m", "hyperbaton", *command, out, *options]
    before, times = cluster_seconds(processes), os.times()
    began = time.monotonic()
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
    wall, after = time.monotonic() - began, os.times()
    if done.returncode:
        sys.exit(done.stderr)
    own = after.children_user + after.children_system
    own -= times.children_user + times.children_system
    return wall, own + cluster_seconds(processes) - before


def cluster_seconds(processes):
    """CPU seconds of a scheduler and its workers so far, from Linux."""
    if processes is None:
        return 0.0
    total = 0
    for process in (processes.scheduler, *processes.workers):
        fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICK


def table(folder, made):
    """The value of `--cluster`; workers read nothing from the shared disk."""
    path = folder / "cluster.toml"
    options = f'{{ address = "{made.address}" }}'
    path.write_text(f'[cluster]\nkind = "scheduler"\nshared = false\noptions = {options}\n')
    return path


def make(folder):
    folder.mkdir()
    return folder


def row(name, measured, against=None, more=""):
    wall, cpu = measured
    text = f"  {name:32}{wall:12.1f}{cpu:11.1f}"
    if against is not None:
        text += f"   ratios {wall / against[0]:.2f} and {cpu / against[1]:.2f}"
    print(f"{text}   {more}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
