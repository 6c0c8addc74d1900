"""Does killing a comparison change its results: compare_kill.py [KILLS] (5 unless told).

Runs a comparison with tuning on the embedded sample once undisturbed. Runs it again in another
folder, kills it (SIGKILL, which nobody can catch) at random moments, restarts it each time, and
compares the bytes of all files of results. Exits with 1 if any differ.
"""

import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from hyperbaton.samples import sample_files

FILES = ("results.json", "results.csv", "results.md", "results.tex")
CONFIGURATION = """
title = "Killed at random"
limits = [6]
metrics = ["bleu", "ter", "ribes", "pdscore"]

[train]
source = "{train.source}"
target = "{train.target}"
alignment = "{train.alignment}"

[dev]
source = "{dev.source}"
references = ["{dev.target}"]
lines = "1-100"

[[test]]
name = "test"
source = "{test.source}"
references = ["{test.target}"]
alignment = "{test.alignment}"
lines = "1-100"

[[system]]
name = "LINEAR"
distortion = ["linear"]

[[system]]
name = "LINEAR+LEX"
distortion = ["linear", "msd"]

[tune]
replicas = 3
iterations = 6
"""


def main(n_kills: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        config = Path(folder) / "config.toml"
        files = {part: sample_files("ja-en", part) for part in ("train", "dev", "test")}
        config.write_text(CONFIGURATION.format(**files), encoding="utf-8")
        whole, disturbed = Path(folder) / "whole", Path(folder) / "disturbed"
        start(config, Path(folder) / "first").communicate()  # compiles
        began = time.monotonic()
        start(config, whole).communicate()
        seconds = time.monotonic() - began
        print(f"undisturbed: {seconds:.0f} s", flush=True)
        draw = random.Random()
        for _ in range(n_kills):
            process, wait = start(config, disturbed), draw.uniform(0.2, 0.5) * seconds
            try:
                process.communicate(timeout=wait)
                print("ended before it could be killed", flush=True)
                break
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
            names = [path.name for path in disturbed.glob("parts/*")]
            parts = Counter(name.split("-")[0] for name in names if "." not in name)
            done = ", ".join(f"{count} {name}" for name, count in sorted(parts.items()))
            states = len(list(disturbed.glob("state/*")))
            print(
                f"killed after {wait:.1f} s: {done or 'nothing'} done, {states} begun", flush=True
            )
        process = start(config, disturbed)
        _, talk = process.communicate()
        if process.returncode:
            sys.exit(talk)
        if not same_results(whole, disturbed):
            sys.exit(1)


def same_results(whole: Path, disturbed: Path) -> bool:
    """Whether all files have the same bytes; says so for each."""
    equal = [(whole / name).read_bytes() == (disturbed / name).read_bytes() for name in FILES]
    for name, is_equal in zip(FILES, equal, strict=True):
        print(f"{name}: {'the same bytes' if is_equal else 'DIFFERENT'}")
    return all(equal)


def start(config: Path, out: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-m", "hyperbaton", "compare", str(config), "--out", str(out)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5)
