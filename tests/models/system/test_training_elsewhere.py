"""Systems that are trained by processes which see none of the command's files but by asking."""

import gzip
import os
import signal
from contextlib import contextmanager, suppress
from dataclasses import replace

import pytest

from hyperbaton.corpus.corpora.reading import CorpusFiles
from hyperbaton.foundation.progress import Reporter, silent
from hyperbaton.models.phrases import partitions
from hyperbaton.models.system.settings import (
    ClassSettings,
    LanguageModelSettings,
    ResourceSettings,
    TrainingSettings,
)
from hyperbaton.models.system.training import train_system
from hyperbaton.samples import sample_files

distributed = pytest.importorskip("distributed")
from hyperbaton.foundation.work.cluster.dask_workers import DaskWorkers, quiet  # noqa: E402
from hyperbaton.foundation.work.cluster.file_service import FileService  # noqa: E402

N_PAIRS = 150
SETTINGS = TrainingSettings(
    lm=LanguageModelSettings(order=4),
    classes=ClassSettings(6),
    distortion=(
        "linear",
        "msd",
        "pair,passes=1,prior=16",
        "sequence,passes=1,prior=32,start_passes=1",
        "nine-class,passes=1,prior=8",
    ),
    train=ResourceSettings("120KB"),
)
SOME = replace(SETTINGS, distortion=("linear", "msd", SETTINGS.distortion[3]))


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(partitions, "SHARD_PAIRS", 40)
    monkeypatch.setattr("hyperbaton.models.language_model.far_counting.FEWEST_TOKENS", 500)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder, sample = tmp_path_factory.mktemp("corpus"), sample_files("ja-en")
    made = {}
    for name in ("source", "target", "alignment", "source_tags"):
        with gzip.open(getattr(sample, name), "rb") as stream:
            lines = stream.readlines()[:N_PAIRS]
        made[name] = folder / name
        made[name].write_bytes(b"".join(lines))
    (folder / "more").write_text("the dog and the cat\na book\n" * 40)
    return CorpusFiles(**made)


@contextmanager
def cluster(folder, n, *, processes):
    """So many workers with a folder of their own: processes, or threads of this one, which need not
    load everything again."""
    quiet()
    options = {"memory_limit": 0, "dashboard_address": ":0", "silence_logs": 50, "protocol": "tcp"}
    with distributed.LocalCluster(
        n_workers=n,
        threads_per_worker=1,
        processes=processes,
        local_directory=folder / f"scratch of {n}",
        **options,
    ) as made:
        yield made


@contextmanager
def crew(cluster):
    """Whoever does the work of one run, and the client who knows them."""
    with distributed.Client(cluster) as client, DaskWorkers(client, 0, shared=False) as workers:
        yield client, workers


def train(files, out, workers=None, settings=SETTINGS, progress=silent):
    """What was said, without the costs."""
    said = []
    reporter = Reporter(said.append, progress)
    more = [files.source.with_name("more")]
    train_system(files, out, settings, more, 1, reporter, workers=workers)
    return [line.partition(" in ")[0] for line in said]


def content(out):
    """All files of the system by their names."""
    files = [path for path in out.rglob("*") if path.is_file()]
    return {str(path.relative_to(out)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def here(files, tmp_path_factory):
    whole = replace(SETTINGS, train=ResourceSettings("0"))
    out = tmp_path_factory.mktemp("here")
    said = train(files, out, settings=whole)
    made = content(out)
    # what a system says of its own training
    made["model.toml"] = made["model.toml"].replace(b'memory = "0"', b'memory = "120KB"')
    return made, said


def changed(one, two):
    """Names of the files that differ."""
    return sorted(name for name in {*one, *two} if one.get(name) != two.get(name))


def test_the_files_are_the_same_though_workers_are_killed(files, here, tmp_path, monkeypatch):
    heard, killed, receive, out = [], [], FileService._write, tmp_path / "m"

    def kill_one(what, count):
        """In each of two steps."""
        heard.append(what)
        step = what.partition(",")[0]
        if (
            step in ("collecting phrase pairs", "fitting weights by AdaGrad")
            and step not in killed
            and count
        ):
            killed.append(step)
            os.kill(next(iter(client.run(os.getpid).values())), signal.SIGKILL)

    async def kill_all(service, ticket, **what):
        """While the result of a stage is on its way."""
        await receive(service, ticket, **what)
        if service._open[ticket].parent == out / "parts" and "all" not in killed:
            killed.append("all")
            for process in processes:
                with suppress(ProcessLookupError):  # killed before
                    os.kill(process, signal.SIGKILL)

    monkeypatch.setattr(FileService, "_write", kill_all)
    with cluster(tmp_path, 2, processes=True) as made, crew(made) as (client, workers):
        processes = client.run(os.getpid).values()
        said = train(files, out, workers, progress=kill_one)
        sent, received = workers.traffic
    assert {*killed} == {"all", "collecting phrase pairs", "fitting weights by AdaGrad"}
    assert changed(content(out), here[0]) == []
    assert said == here[1]
    assert len(here[0]) > 40
    assert sent > 100_000 < received
    parts = {what.partition(", parts of ")[::2] for what in heard if "parts of" in what}
    assert {what: int(n) > 3 for what, n in parts} == {
        "extracting phrase pairs": True,
        "collecting phrase pairs": True,
        "counting target phrases": True,
        "scoring phrase pairs": True,
    }


def test_one_worker_makes_the_same(files, here, tmp_path):
    with cluster(tmp_path, 1, processes=False) as made, crew(made) as (_, workers):
        train(files, tmp_path / "m", workers, SOME)
    check_some(content(tmp_path / "m"), here)


def test_a_run_that_was_stopped_goes_on_with_what_is_there(files, here, tmp_path):
    """And with more workers than before."""
    heard = []

    def stop(what, count):
        if what.startswith("counting") and count == 3:
            raise KeyboardInterrupt

    with cluster(tmp_path, 2, processes=False) as made:
        with pytest.raises(KeyboardInterrupt), crew(made) as (_, workers):
            train(files, tmp_path / "m", workers, SOME, stop)
        made.scale(3)
        made.wait_for_workers(3)
        with crew(made) as (_, workers):
            assert workers.n == 3
            train(files, tmp_path / "m", workers, SOME, lambda *what: heard.append(what))
    check_some(content(tmp_path / "m"), here)
    assert not [what for what, _ in heard if what.startswith(("extracting", "collecting"))]
    counted = [count for what, count in heard if what.startswith("counting target")]
    assert counted[0] == 0
    assert min([*counted[1:], 4]) == 4  # three were there, if not more


def check_some(made, here):
    """The files of `SOME` are those of all models."""
    del made["model.toml"]  # lists the models
    assert made.items() <= here[0].items()
    assert any(name.startswith("parts/distortion_sequence") for name in made)
