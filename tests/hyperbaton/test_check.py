"""`hyperbaton check`, and what damaged or hostile systems can do."""

import shutil
import tomllib

import numpy as np
import pytest
import tomli_w

from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.files.sealed_folders import MANIFEST, seal
from hyperbaton.models.system.folder import read_system, write_variant
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.training import train_system
from tests.command_line import run
from tests.refusals import refused
from tests.tiny_systems import ALIGNMENT, SOURCE, TARGET, train_all_models, write_corpus
from tools.damage import HARMLESS, REFUSED, try_damages


@pytest.fixture
def copy(model, tmp_path):
    return shutil.copytree(model, tmp_path / "m")


def part(system, name):
    [folder] = system.glob(f"parts/{name}-*")
    return folder


def change(path, at=-3):
    content = bytearray(path.read_bytes())
    content[at] ^= 1
    path.write_bytes(content)


def seal_again(folder):
    (folder / MANIFEST).unlink()
    seal(folder)


def test_a_whole_system(model):
    result = run("check", model)
    assert result.stdout == (
        "phrases: intact\nlm: intact\nsource_classes: intact\ntarget_classes: intact\n"
        f"{model} is intact; translated 6 words\n"
    )


@pytest.mark.parametrize("name", ["phrases", "lm", "source_classes"])
def test_every_flipped_bit_is_noticed_and_mended(copy, name):
    folder = part(copy, name)
    contents = {path.name: path.read_bytes() for path in folder.iterdir()}
    [path, *_] = sorted(folder.glob("*.npy"), key=lambda path: -path.stat().st_size)
    change(path)
    result = run("translate", copy, input="hon o katta\n", code=1)
    assert f"{path.name}: has changed since it was made" in result.stderr
    result = run("check", copy, code=1)
    assert f"{name}: has changed since it was made: {path.name}\n" in result.stdout
    assert "is damaged; hyperbaton check --repair may repair it" in result.stderr
    result = run("check", copy, "--repair")
    assert f"{copy} is intact" in result.stdout
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == contents


def test_a_lost_part(copy):
    shutil.rmtree(part(copy, "lm"))
    assert "lm: is missing\n" in run("check", copy, code=1).stdout


def test_what_is_sealed_again_must_still_obey_the_laws(copy):
    folder = part(copy, "phrases")
    target = np.load(folder / "target.npy")
    target[0] = 10**9
    np.save(folder / "target.npy", target)
    seal_again(folder)
    answer = "target.npy: has numbers from"
    assert answer in run("check", copy, code=1).stdout
    assert answer in run("translate", copy, input="hon\n", code=1).stderr


def set_field(name, at, value):
    def change(array):
        array[name][at] = value

    return change


def set_value(at, value):
    def change(array):
        array[at] = value

    return change


@pytest.mark.parametrize(
    ("name", "array", "change", "said"),
    [
        # bit 8 · 7 + 7: the eighth target word and the eighth source word
        ("phrases", "alignments", set_value(0, 1 << 63), "has links to words outside their phr"),
        ("phrases", "trie_children", set_value(1, 1), "has nodes that are their own children"),
        ("phrases", "target_words", set_value(0, -1), "has numbers from -1 to"),
        ("lm", "states", set_field("suffix", 2, 2), "suffix has a state that is not longer"),
        ("lm", "states", set_field("backoff", 1, np.nan), "backoff has NaN, infinite or too"),
        ("lm", "transitions", set_field("next", 0, 10**6), "next has numbers from"),
        ("lm", "unigrams", set_field("logprob", 3, np.inf), "logprob has NaN, infinite or too"),
        ("source_classes", "of_word", set_value(0, 50), "has numbers from"),
    ],
)
def test_the_laws_of_a_system(copy, name, array, change, said):
    folder = part(copy, name)
    values = np.load(folder / f"{array}.npy")
    change(values)
    np.save(folder / f"{array}.npy", values)
    seal_again(folder)
    lines = run("check", copy, code=1).stdout.splitlines()
    [line] = [line for line in lines if "intact" not in line]
    assert f".npy: {said}" in line


def test_without_the_training_data_nothing_is_repaired(copy):
    change(part(copy, "lm") / "unigrams.npy")
    content = tomllib.loads((copy / "model.toml").read_text())
    content["corpus"]["source"]["sha256"] = "0" * 64
    (copy / "model.toml").write_text(tomli_w.dumps(content))
    result = run("check", copy, "--repair", code=1)
    assert "source: is missing or has changed since the system was trained" in result.stderr
    del content["corpus"]
    (copy / "model.toml").write_text(tomli_w.dumps(content))
    result = run("check", copy, "--repair", code=1)
    assert "does not record how to train this system again" in result.stderr


@pytest.mark.parametrize(
    ("table", "key", "value", "said"),
    [
        ("parts", "lm", "/etc", "parts.lm is '/etc', not a folder"),
        ("parts", "lm", "../other/parts/lm", "parts.lm is '../other/parts/lm', not a folder"),
        ("parts", "lm", "parts/..", "parts.lm is 'parts/..', not a folder"),
        ("parts", "source_classes", 5, "parts.source_classes is 5, not a folder"),
        ("weights", "lm", 1e308, "weights.lm is 1e+308, not a number"),
        ("weights", "lm", int("9" * 400), f"weights.lm is {'9' * 40}, not a number"),
        ("weights", "lm", float("nan"), "weights.lm is nan, not a number"),
        ("weights", "unknown", None, "the feature 'unknown' has no weight"),
        ("search", "distortion_limit", 2**63, "search.distortion_limit is 9223372036854775808"),
        ("search", "distortion_limit", -2, "search.distortion_limit is -2"),
    ],
)
def test_a_description_that_asks_for_the_impossible(copy, table, key, value, said):
    content = tomllib.loads((copy / "model.toml").read_text())
    if value is None:
        del content[table][key]
    else:
        content[table][key] = value
    (copy / "model.toml").write_text(tomli_w.dumps(content))
    refused(f"model.toml: {said}", lambda: Translator.load(copy))


def test_whoever_changes_what_was_read_does_not_change_it_for_others(model):
    read_system(model)["weights"]["lm"] = 7.0
    assert read_system(model)["weights"]["lm"] != 7.0


def test_a_part_is_checked_against_the_settings_of_its_model(tmp_path):
    """Settings say how arrays are read: those of a part that was found to be whole with other
    settings are checked again."""
    system = tmp_path / "m"
    texts = {"source": "a b\nb a\n", "target": "x y\ny x\n", "alignment": "0-0 1-1\n0-0 1-1\n"}
    files = write_corpus(tmp_path, times=4, **texts)
    train_system(files, system, TrainingSettings(distortion=("dpr",)))
    assert run("translate", system, input="a b\n").stdout == "x y\n"
    text = (system / "model.toml").read_text()
    (system / "model.toml").write_text(text.replace("order = 3", "order = 2"))
    result = run("translate", system, input="a b\n", code=1)
    assert "_sizes.npy: contains (3,) of int64, not (2) of int64" in result.stderr


def test_settings_that_no_model_can_have_are_refused(tmp_path):
    files = write_corpus(tmp_path, source=SOURCE, target=TARGET, alignment=ALIGNMENT)
    system = tmp_path / "m"
    train_system(files, system, TrainingSettings(distortion=("nine-class,passes=3",)))
    text = (system / "model.toml").read_text()
    for old, new, problem in (
        ('bins = "goto"', 'bins = "gto"', "unknown distance classes 'gto'"),
        ("min_count = 4", "min_count = 0", "nine-class.min_count: 0 is not possible"),
    ):
        (system / "model.toml").write_text(text.replace(old, new))
        result = run("translate", system, input="hon o katta\n", code=2)
        assert result.stderr.startswith(f"hyperbaton: {system}/model.toml: {problem}")


def test_a_variant_finds_its_parts_inside_its_folder(model, tmp_path):
    content = tomllib.loads((model / "model.toml").read_text())
    write_variant(tmp_path / "v", model, ["linear"], content["weights"] | {"lm": 0.7}, -1)
    assert run("translate", tmp_path / "v", input="hon o katta\n").stdout == "bought a book\n"
    made = tomllib.loads((tmp_path / "v" / "model.toml").read_text())
    assert made["parts"] == content["parts"]
    assert (made["weights"]["lm"], made["search"]) == (0.7, {"distortion_limit": -1})
    assert (tmp_path / "v" / content["parts"]["lm"]).is_symlink()


def test_no_damage_to_any_array_crashes_a_translation(tmp_path):
    """Once for every array of a system with all models; `tools/damage.py` does it as often as one
    likes."""
    model = train_all_models(tmp_path)
    found = try_damages(model, times=1, seed=5)
    assert len(found) > 60
    for name, outcomes in found.items():
        assert outcomes.keys() <= {HARMLESS, REFUSED}, name
