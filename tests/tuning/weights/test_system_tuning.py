"""Systems on disk: what tuning reads, and when they get their weights."""

import pytest

from hyperbaton.decoder.decode import SearchSettings
from hyperbaton.foundation.errors import DataError
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.training import train_system
from hyperbaton.tuning.evaluation.data_sets import DataSet
from hyperbaton.tuning.weights import system_tuning
from hyperbaton.tuning.weights.settings import TuneSettings
from hyperbaton.tuning.weights.system_tuning import TuningJob, tune_system
from tests.tiny_systems import ALIGNMENT, SOURCE, TARGET, write_corpus


@pytest.mark.usefixtures("shared_stages")
@pytest.mark.parametrize("changed", ["source", "target"])
def test_a_development_set_that_changed_after_it_was_hashed_was_taken_for_the_old_one(
    tmp_path, monkeypatch, changed
):
    """Its state would be that of a text which is not the one that names it."""
    files = write_corpus(tmp_path, source=SOURCE, target=TARGET, alignment=ALIGNMENT)
    train_system(files, tmp_path / "model", TrainingSettings())
    before = (tmp_path / "model/model.toml").read_bytes()
    job = TuningJob(tmp_path / "model", DataSet(files.source, (files.target,)))
    load = system_tuning.load

    def change_and_load(*given):
        getattr(files, changed).write_text("another\n" * 24)
        return load(*given)

    monkeypatch.setattr(system_tuning, "load", change_and_load)
    with pytest.raises(DataError, match=f"{changed}: was changed while it was being read"):
        tune_system(job, TuneSettings(replicas=1, iterations=1), SearchSettings())
    assert (tmp_path / "model/model.toml").read_bytes() == before
    assert not (tmp_path / "model/tuning").exists()
