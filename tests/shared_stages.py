"""Stages of training that several tests need are made once, by whichever process comes first.

A stage is named after all that goes into it, so its files can be taken from a pool that lasts as
long as one run of the suite. Distortion models are always fitted: a plug-in is known by its name
only, and not by its code.
"""

import fcntl
import os
import shutil

from hyperbaton.models.system.stages import DISTORTION, run_stage

SAID = "said"


def sharing(pool):
    """`run_stage` for tests: what it would make is taken from the pool, or put there."""
    pool.mkdir(exist_ok=True)

    def run_shared(directory, name, key, work, *arguments, **options):
        def take_or_make(folder):
            shared = pool / f"{name}-{key}"
            with (pool / f"{name}-{key}.lock").open("w") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not shared.exists():
                    said = work(folder)
                    unfinished = shutil.copytree(folder, pool / f"{name}-{key}.unfinished")
                    (unfinished / SAID).write_text(said, encoding="utf-8")
                    unfinished.rename(shared)
                    return said
            ignore = shutil.ignore_patterns(SAID)
            shutil.copytree(shared, folder, ignore=ignore, dirs_exist_ok=True)
            return (shared / SAID).read_text(encoding="utf-8")

        made = work if name.startswith(DISTORTION) else take_or_make
        return run_stage(directory, name, key, made, *arguments, **options)

    return run_shared


def place(tmp_path_factory):
    """A folder that all workers of this run share."""
    own = tmp_path_factory.getbasetemp()
    return (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "stages"
