"""Which cluster is meant, and what is said if there is none."""

import subprocess
import sys

import pytest

from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.foundation.work.cluster.opening import ClusterSettings, cluster_workers, settings_of
from hyperbaton.tuning.weights.sections import read_toml
from tests.refusals import refusals


def test_addresses():
    assert settings_of("tcp://head:8786", read_toml) == ClusterSettings(
        "scheduler", options={"address": "tcp://head:8786"}
    )
    assert settings_of("local:4", read_toml) == ClusterSettings("local", 4)


def test_a_table(write):
    path = write(
        "c.toml",
        '[cluster]\nkind = "slurm"\nworkers = 16\ncache = "1GB"\nshared = false\n'
        'options = { cores = 4, queue = "long" }\n',
    )
    assert settings_of(str(path), read_toml) == ClusterSettings(
        "slurm", 16, "1GB", False, {"cores": 4, "queue": "long"}
    )


@pytest.mark.parametrize("text", ["head:8786", "local", "local:0", "local:x", ""])
def test_what_is_no_address(text):
    with pytest.raises(
        SettingError, match=r"is not a cluster\n  expected tcp://host:8786, local:4"
    ):
        settings_of(text, read_toml)


@refusals(
    ("[clutser]\n", "has no table"),
    ("[cluster]\nknid = 'local'\n", "unknown key 'knid' … did you mean kind"),
    ("[cluster]\nworkers = 'four'\n", "workers cannot be 'four' … expected a whole number"),
    ("[cluster]\nshared = 1\n", "shared cannot be 1 … expected true or false"),
    error=SettingError,
)
def test_wrong_tables(write, table):
    settings_of(str(write("c.toml", table)), read_toml)


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        (ClusterSettings("slrum"), SettingError, "did you mean slurm"),
        (ClusterSettings(cache="much"), SettingError, "'much' is not a size"),
        (ClusterSettings("scheduler"), SettingError, "exactly one option: address"),
        (ClusterSettings("slurm"), SettingError, r"pip install 'dask-jobqueue'"),
        (ClusterSettings("local", options={"n_wrokers": 1}), SettingError, "does not start"),
    ],
)
def test_clusters_that_cannot_be(settings, error, message):
    with pytest.raises(error, match=message), cluster_workers(settings, print):
        pass


def test_nobody_answers(monkeypatch):
    monkeypatch.setattr("hyperbaton.foundation.work.cluster.opening.SECONDS", 0.2)
    settings = settings_of("tcp://127.0.0.1:1", read_toml)
    with (
        pytest.raises(DataError, match=r"tcp://127\.0\.0\.1:1: no scheduler answers"),
        cluster_workers(settings, print),
    ):
        pass


WITHOUT = """
import sys
sys.modules["distributed"] = None  # as if it were not installed
from hyperbaton.main import main
main(["compare", "--sample", "ja-en", "--cluster", "local:2"])
"""


def test_without_the_extra_it_says_what_to_install():
    result = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True)
    assert result.returncode == 2
    assert "pip install 'hyperbaton[cluster]'" in result.stderr
    assert "Traceback" not in result.stderr


def test_nothing_imports_dask_without_being_asked():
    code = (
        "import sys, pkgutil, importlib\n"
        "import hyperbaton.commands as room\n"
        "for module in pkgutil.iter_modules(room.__path__):\n"
        "    importlib.import_module(f'hyperbaton.commands.{module.name}')\n"
        "import hyperbaton.models.system.training, hyperbaton.tuning.comparison.run\n"
        "import hyperbaton.decoder.translator\n"
        "assert not {'dask', 'distributed', 'tornado'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
