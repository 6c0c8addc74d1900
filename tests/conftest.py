"""Settings for all tests."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from hyperbaton.foundation.work.garbage import collect_rarely
from tests import shared_stages as shared
from tests.samples import reading_samples_once

collect_rarely()  # as every command does: the suite makes many objects that stay

# Deterministic, and without a deadline: a busy machine is no failure. The laws are the same for all
# examples, so few will do; --hypothesis-profile=long tries many.
for name, n_examples in {"suite": 25, "long": 200}.items():
    settings.register_profile(
        name,
        max_examples=n_examples,
        deadline=None,
        derandomize=True,
        suppress_health_check=[HealthCheck.too_slow],
    )
settings.load_profile("suite")

MEMORY, ROOM = Path("/dev/shm"), 4 << 30


def pytest_configure(config: pytest.Config) -> None:
    """Temporary files lie in memory where there is room: tests make and delete thousands, which
    some disks need milliseconds for. `TMPDIR=/tmp` keeps what failing tests leave."""
    is_worker = hasattr(config, "workerinput")  # which has TMPDIR from the first process
    if is_worker or "TMPDIR" in os.environ or not MEMORY.is_dir():
        return
    if shutil.disk_usage(MEMORY).free < ROOM:
        return
    folder = tempfile.mkdtemp(prefix="hyperbaton-tests-", dir=MEMORY)
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    os.environ["TMPDIR"], tempfile.tempdir = folder, None


@pytest.fixture(autouse=True, scope="session")
def _no_waiting_for_the_disk() -> Iterator[None]:
    """It would take longer than most tests, and their results need not survive a power cut."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda _: None)
        yield


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """Writes a file into the test's folder and gives its path."""

    def write_file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


@pytest.fixture
def shared_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands inside this process take the embedded samples from those that were read before."""
    for module in ("corpus.corpora.reading", "models.system.training_inputs"):
        monkeypatch.setattr(f"hyperbaton.{module}.read_corpus", reading_samples_once)


@pytest.fixture
def shared_stages(
    shared_samples: None,  # noqa: ARG001
    monkeypatch: pytest.MonkeyPatch,
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """Training inside this process takes phrase tables, language models, word classes and taggers
    from those that other tests have made."""
    stage = shared.sharing(shared.place(tmp_path_factory))
    monkeypatch.setattr("hyperbaton.models.system.stage_loop.run_stage", stage)
