"""Threads that stand for workers of another machine: they see files only by asking for them."""

import shutil
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from hyperbaton.foundation.work.workers import Threads
from hyperbaton.foundation.work.workplace import Workplace


class Elsewhere(Workplace):
    is_home = False

    @contextmanager
    def working_in(self, home, *brought):  # noqa: ARG002
        assert not brought
        with TemporaryDirectory() as folder:
            yield Path(folder)

    def put(self, made, home):
        shutil.move(made, home)


class FarThreads(Threads):
    is_far = True

    def start(self, task):
        return self._pool.submit(task.work, Elsewhere(task.progress), *task.arguments)
