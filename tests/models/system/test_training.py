"""Whole systems: trained, resumed, exported, imported, and what can be wrong with them."""

import gzip
import hashlib
import os
import shutil
import sys
import tomllib
from dataclasses import replace
from functools import partial
from pathlib import Path

import kenlm
import numpy as np
import pytest

from hyperbaton.corpus.corpora.reading import CorpusFiles, CorpusSettings, read_corpus
from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.progress import Reporter
from hyperbaton.models.language_model.arpa import write_arpa
from hyperbaton.models.phrases.moses_tables import source_texts, target_texts
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.phrases.steps import PhraseSteps
from hyperbaton.models.system import stage_work, training_inputs
from hyperbaton.models.system.folder import (
    load_distortion,
    load_language_model,
    load_phrases,
    read_system,
)
from hyperbaton.models.system.moses_exchange import export_moses, import_moses
from hyperbaton.models.system.settings import (
    BOTH,
    ClassSettings,
    LanguageModelSettings,
    ResourceSettings,
    TrainingSettings,
)
from hyperbaton.models.system.training import train_system
from tests.refusals import refusals, refused


@pytest.fixture
def files(write):
    return CorpusFiles(
        write("t.ja", "hon o katta\nhon o yonda\nkare wa itta\n"),
        write("t.en", "bought a book\nread a book\nhe went\n"),
        write("t.align", "0-2 2-0\n0-2 2-0\n0-0 2-1\n"),
    )


def train(files, out, **options):
    """Trains and gives what was said."""
    said = []
    train_system(files, out, reporter=Reporter(said.append), **options)
    return [line.partition(" in ")[0] for line in said]


@pytest.mark.parametrize("name", ["t.align", "more.en"])
def test_a_text_that_changes_while_it_is_read_leaves_no_stage_of_its_name(
    files, write, tmp_path, monkeypatch, name
):
    more = write("more.en", "he read\n")
    reader = "read_text" if name == "more.en" else "read_corpus"
    module = stage_work if name == "more.en" else training_inputs
    read = getattr(module, reader)

    def read_and_change(*given):
        result = read(*given)
        with (tmp_path / name).open("a") as stream:
            stream.write("\n")  # as if somebody were still writing
        return result

    monkeypatch.setattr(module, reader, read_and_change)
    changed = f"{name}: was changed while it was being read"
    refused(changed, lambda: train(files, tmp_path / "m", lm_texts=[more]))
    stage = "lm" if name == "more.en" else "phrases"
    assert not list((tmp_path / "m/parts").glob(f"{stage}-*"))


def test_a_system_holds_a_table_a_language_model_and_its_story(files, tmp_path):
    out = tmp_path / "m"
    assert train(files, out) == [
        "phrases: 19 phrase pairs of 3 sentence pairs",
        "lm: 32 n-grams of 8 words",
        "source_classes: 7 words",
        "target_classes: 6 words",
    ]
    content = tomllib.loads((out / "model.toml").read_text())
    assert content["settings"]["phrases"]["max_length"] == 7
    assert content["corpus"]["source"]["file"] == str(files.source)
    assert content["weights"]["word_penalty"] == -1.2
    assert content["weights"]["msd.forward.swap"] == 0.3
    assert content["search"]["distortion_limit"] == 6
    assert "hon" in load_phrases(out).source_vocabulary
    assert load_language_model(out).order == 5


def test_only_stages_whose_inputs_changed_are_run_again(files, write, tmp_path):
    out = tmp_path / "m"
    train(files, out)
    assert train(files, out) == [
        f"{stage}: nothing has changed"
        for stage in ("phrases", "lm", "source_classes", "target_classes")
    ]
    trigram = TrainingSettings(lm=LanguageModelSettings(order=3))
    first, second, *_ = train(files, out, settings=trigram)
    assert first == "phrases: nothing has changed"
    assert second.startswith("lm: ")
    assert load_language_model(out).order == 3
    write("t.align", "0-2\n0-2 2-0\n0-0 2-1\n")
    assert "nothing" not in "".join(train(files, out, settings=trigram))
    assert len(list((out / "parts").iterdir())) == 4  # what is no longer used is gone


def test_the_phrase_table_is_read_only_for_models_that_need_it(files, tmp_path, monkeypatch):
    def read(folder):
        raise AssertionError(folder)

    train(files, tmp_path / "m")
    monkeypatch.setattr(stage_work.PhraseTable, "load", read)
    models = ("pair", "nine-class", "dpr")
    train(files, tmp_path / "m", settings=TrainingSettings(distortion=models))
    assert len(list((tmp_path / "m/parts").glob("distortion_*"))) == len(models)


def test_models_were_learned_again_because_of_parts_that_they_do_not_use(files, tmp_path):
    out, settings = tmp_path / "m", TrainingSettings(distortion=("pair",))
    train(files, out, settings=settings)
    for changed in (
        replace(settings, lm=LanguageModelSettings(order=3)),
        replace(settings, grammar=BOTH),
        replace(settings, phrases=PhraseSettings(min_count=2)),
    ):
        assert "distortion_pair: nothing has changed" in train(files, out, settings=changed)
    said = train(files, out, settings=replace(settings, classes=ClassSettings(3)))
    assert said[-1] == "distortion_pair: fitted to 3 sentence pairs"


def test_more_text_for_the_language_model(files, write, tmp_path):
    extra = write("more.en", "the cat sat\nthe book\n")
    train(files, tmp_path / "m", lm_texts=[extra])
    model = load_language_model(tmp_path / "m")
    assert "cat" in model.vocabulary
    everything = write("all.en", files.target.read_text() + extra.read_text())
    train(CorpusFiles(everything, everything, write("none", "0-0\n" * 5)), tmp_path / "n")
    other = load_language_model(tmp_path / "n")
    for words in (["the", "book"], ["he", "went"], ["bought", "the", "cat"]):
        assert model.score(words) == pytest.approx(other.score(words))


def test_kenlm_reads_the_language_model(files, tmp_path):
    train(files, tmp_path / "m")
    ours = load_language_model(tmp_path / "m")
    write_arpa(ours.ngrams(), tmp_path / "lm.arpa")
    theirs = kenlm.Model(str(tmp_path / "lm.arpa"))
    for text in ("he bought a book", "unknown words went", ""):
        assert ours.score(text.split()) == pytest.approx(
            theirs.score(text) * np.log(10), abs=1e-4 * (len(text.split()) + 1)
        )


def test_memory_does_not_matter(files, tmp_path):
    models = ("linear", "pair,passes=2")
    for name, memory in (("whole", "0"), ("parts", "1")):
        settings = TrainingSettings(train=ResourceSettings(memory), distortion=models)
        train(files, tmp_path / name, settings=settings)
    whole, parts = (sorted((tmp_path / name / "parts").rglob("*")) for name in ("whole", "parts"))
    assert [path.name for path in whole] == [path.name for path in parts]
    assert {"distortion_pair", "phrases", "lm"} < {path.parent.name.split("-")[0] for path in whole}
    for one, other in zip(whole, parts, strict=True):
        assert one.is_dir() or one.read_bytes() == other.read_bytes(), one.name


def test_an_interrupted_phrase_table_is_continued(files, tmp_path, monkeypatch):
    settings = TrainingSettings(train=ResourceSettings("1"))
    score, collect = PhraseSteps._score, PhraseSteps._collect

    def interrupted(self, part):
        if part == 2:
            raise KeyboardInterrupt
        return score(self, part)

    collected = []
    monkeypatch.setattr(PhraseSteps, "_score", interrupted)
    monkeypatch.setattr(
        PhraseSteps, "_collect", lambda *what: (collected.append(what[-1]), collect(*what))[1]
    )
    with pytest.raises(KeyboardInterrupt):
        train(files, tmp_path / "m", settings=settings)
    n = len(collected)
    monkeypatch.setattr(PhraseSteps, "_score", score)
    assert train(files, tmp_path / "m", settings=settings)[0].startswith("phrases: 19 phrase pairs")
    assert len(collected) == n > 2
    assert not [path for path in (tmp_path / "m" / "parts").rglob("*") if "work" in path.name]


def test_a_large_corpus_is_read_once(files, write, tmp_path, monkeypatch):
    tagged = replace(
        files,
        source_tags=write("t.tags", "N P V\nN P V\nN P V\n"),
        source_tree=write("t.tree", "(S (N hon) (P o) (V katta))\n\n\n"),
    )
    settings = TrainingSettings(distortion=("linear", "msd", "pair"), classes=ClassSettings(3))
    said = train(tagged, tmp_path / "small", settings=settings)
    monkeypatch.setattr("hyperbaton.models.system.training_inputs.LARGE_CORPUS", 0)
    reads = []

    def read(*arguments):
        reads.append(arguments)
        return read_corpus(*arguments)

    monkeypatch.setattr("hyperbaton.models.system.training_inputs.read_corpus", read)
    with monkeypatch.context() as patch:
        patch.setattr(stage_work, "estimate", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):  # after the phrase table
            train(tagged, tmp_path / "large", settings=settings)
    again = train(tagged, tmp_path / "large", settings=settings)
    assert len(reads) == 1
    assert again[0] == "phrases: nothing has changed"
    assert again[1:] == said[2:]  # the first says that sentences have no tree, which was said
    one, other = (read_system(tmp_path / name) for name in ("small", "large"))
    assert one["parts"] == other["parts"]
    for part in [*one["parts"].values(), one["distortion"][2]["part"]]:
        for path in (tmp_path / "small" / part).iterdir():
            assert path.read_bytes() == (tmp_path / "large" / part / path.name).read_bytes(), path
    assert not list((tmp_path / "large" / "parts").glob("corpus*"))


def test_export_and_import_give_the_same_system(files, tmp_path):
    train(files, tmp_path / "m")
    export_moses(tmp_path / "m", tmp_path / "moses")
    import_moses(tmp_path / "moses" / "moses.ini", tmp_path / "again")
    before, after = load_phrases(tmp_path / "m"), load_phrases(tmp_path / "again")
    pairs = list(zip(source_texts(before), target_texts(before), strict=True))
    other = list(zip(source_texts(after), target_texts(after), strict=True))
    rows = [pairs.index(pair) for pair in other]
    assert sorted(rows) == list(range(len(pairs)))
    np.testing.assert_allclose(after.scores_of(), before.scores_of(rows), atol=1e-5)
    np.testing.assert_allclose(after.reordering_of(), before.reordering_of(rows), atol=1e-5)
    ours, theirs = read_system(tmp_path / "m"), read_system(tmp_path / "again")
    assert ours["weights"] == theirs["weights"]
    assert ours["search"] == theirs["search"]
    words = ["he", "bought", "it"]
    lm, again = load_language_model(tmp_path / "m"), load_language_model(tmp_path / "again")
    assert lm.score(words) == pytest.approx(again.score(words), abs=1e-5)
    export_moses(tmp_path / "again", tmp_path / "moses2")
    for path in (tmp_path / "moses").iterdir():
        assert path.read_bytes() == (tmp_path / "moses2" / path.name).read_bytes(), path.name


def test_a_system_without_reordering_scores(files, tmp_path):
    settings = TrainingSettings(phrases=PhraseSettings(reordering="none"))
    train(files, tmp_path / "m", settings=settings)
    assert "msd.forward.swap" not in read_system(tmp_path / "m")["weights"]
    export_moses(tmp_path / "m", tmp_path / "moses")
    assert "LexicalReordering" not in (tmp_path / "moses" / "moses.ini").read_text()
    import_moses(tmp_path / "moses" / "moses.ini", tmp_path / "again")
    assert load_phrases(tmp_path / "again").reordering_type == ""


LENGTHS = """
import numpy as np
from hyperbaton.foundation.files.array_files import load_arrays, save_arrays
from hyperbaton.models.distortion.interface import DistortionModel
from hyperbaton.models.distortion.linear import Linear

class Lengths(Linear):
    "Learns the mean sentence length, tells the classes that it saw."

    def __init__(self, factor: float = 1.0):
        self.factor = factor

    @property
    def feature_names(self):
        return (f"lengths{self.factor:g}",)

    def settings(self):
        return {"factor": self.factor}

    def fit(self, corpus, *, phrases=None, seed=0, threads=2, progress=None):
        seen = [side.classes.values.max() for side in (corpus.source, corpus.target)]
        mean = self.factor * np.diff(corpus.source.words.offsets).mean()
        self.learned_ = np.array([mean, len(phrases), seed, *seen])
        return self

    def save(self, directory):
        save_arrays(directory, 1, {}, {"learned": self.learned_}, {})

    def load(self, directory):
        self.learned_ = load_arrays(directory, 1).arrays["learned"]
        return self
"""


@pytest.fixture
def lengths(tmp_path, monkeypatch):
    """A place where `lengths:Lengths` is a distortion model that learns."""
    (tmp_path / "lengths.py").write_text(LENGTHS)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "lengths", raising=False)
    return "lengths:Lengths"


def test_distortion_models_are_fitted_once_and_loaded_by_their_settings(files, tmp_path, lengths):
    out = tmp_path / "m"
    wanted = ("linear", lengths, f"{lengths},factor=2")
    settings = TrainingSettings(distortion=wanted, seed=5, classes=ClassSettings(3))
    said = train(files, out, settings=settings)
    assert said[-2:] == ["distortion_lengths_lengths: fitted to 3 sentence pairs"] * 2
    again = train(files, out, settings=settings)
    assert again[-2:] == ["distortion_lengths_lengths: nothing has changed"] * 2
    linear, one, two = load_distortion(out, allow_plugins=True)
    assert linear.name == "linear"
    # three sentences of three words; 19 phrase pairs; classes 0, 1 and 2 on both sides
    assert one.learned_.tolist() == [3, 19, 5, 2, 2]
    assert two.learned_.tolist() == [6, 19, 5, 2, 2]
    [chosen] = load_distortion(out, [f"{lengths},factor=2.0"])
    assert chosen.learned_[0] == 6
    assert read_system(out)["weights"]["lengths2"] == 0.3
    for wrong, facts in (
        (lengths, "is ambiguous"),
        (f"{lengths},factor=3", "factor=3' … with --distortion"),
    ):
        refused(facts, partial(load_distortion, out, [wrong]), SettingError)
    assert [model.name for model in load_distortion(out, ["gaps"])] == ["gaps"]  # learns nothing
    train(files, out)
    assert not list((out / "parts").glob("distortion_*"))  # what is no longer used is gone


PRUNED = partial(LanguageModelSettings, order=2)
NOT_PRUNED = "lm.prune: invalid pruning thresholds"


@refusals(
    ({"distortion": ("linear", "linear")}, "two distortion models have the feature 'linear'"),
    ({"distortion": ("linear,x=1",)}, "'linear' has no setting 'x'"),
    ({"distortion": ("msd,type",)}, "'type' has no value"),
    (
        {"distortion": ("msd",), "phrases": PhraseSettings(reordering="none")},
        "the model msd needs reordering scores … phrases.reordering is none",
    ),
    (
        {"distortion": ("msd,type=hier-mslr-bidirectional-fe",)},
        "of type hier-mslr-bidirectional-fe … --set phrases.reordering=hier-mslr-bidirectional-fe",
    ),
    ({"lm": PRUNED(prune="0 x")}, "lm.prune: '0 x' is not a list of … expected wh"),
    ({"lm": LanguageModelSettings(prune="1")}, f"{NOT_PRUNED} '1'"),
    ({"lm": PRUNED(prune="0 0 1")}, NOT_PRUNED),
    ({"lm": LanguageModelSettings(order=9)}, "lm.order: … order 9"),
    ({"lm": LanguageModelSettings(order=7)}, "lm.order: … order 7"),
    ({"corpus": CorpusSettings(max_length=-1)}, "corpus.max_length: -1"),
    ({"phrases": PhraseSettings(top=-1)}, "phrases.top: -1"),
    ({"phrases": PhraseSettings(significance="x")}, "'x'"),
    ({"train": ResourceSettings("big")}, "train.memory: 'big'"),
    error=SettingError,
)
def test_wrong_settings_were_found_after_the_work(files, tmp_path, settings):
    try:
        train(files, tmp_path / "m", settings=TrainingSettings(**settings))
    finally:
        assert not (tmp_path / "m").exists()


def test_one_pair_and_equal_pairs_are_enough(write, tmp_path):
    for n in (1, 50):
        files = CorpusFiles(
            write("s", "a b\n" * n), write("t", "x y\n" * n), write("a", "0-0\n" * n)
        )
        train(files, tmp_path / f"m{n}")
        assert len(load_phrases(tmp_path / f"m{n}")) == 4  # b and y are unaligned: with or without


@refusals(
    ("", "", "", "s: the corpus has no sentence pairs"),
    ("a\n", "x\n", "\n", "a: no phrase pairs can be extracted"),
    ("a\n", "x\n", "0-1\n", "a:1: link 0-1 is outside its sentence pair"),
    ("a\nb\n", "x\n", "0-0\n0-0\n", "t:2: the file ends here"),
)
def test_bad_corpora_leave_no_system(write, tmp_path, source, target, alignment):
    files = CorpusFiles(write("s", source), write("t", target), write("a", alignment))
    try:
        train(files, tmp_path / "m")
    finally:
        assert not (tmp_path / "m" / "model.toml").exists()


STREAM = "-: a stream cannot be used here"


@refusals(
    ({"source": Path("-")}, [], STREAM),
    ({}, [Path("-")], STREAM),
    ({"alignment": None}, [], "training needs a word alignment … make one"),
    error=SettingError,
)
def test_standard_input_was_used_up_before_it_was_read(files, tmp_path, change, lm_texts):
    train(replace(files, **change), tmp_path / "m", lm_texts=lm_texts)


@pytest.mark.parametrize("broken", ["truncated", "not packed"])
def test_a_broken_gz_file_was_called_a_defect(files, write, tmp_path, broken):
    packed = gzip.compress(files.source.read_bytes())[:-9] if broken == "truncated" else b"text"
    broken_files = replace(files, source=write("t.ja.gz", packed))
    refused("t.ja.gz: … broken gzip file", lambda: train(broken_files, tmp_path / "m"))


def test_training_again_reset_the_weights(files, tmp_path):
    out = tmp_path / "m"
    train(files, out)
    toml = out / "model.toml"
    edited = toml.read_text().replace("lm = 0.5", "lm = 0.77")
    search = "distortion_limit = 9\nmbr_scale = 5.0"
    toml.write_text(edited.replace("distortion_limit = 6", search))
    said = train(files, out, settings=TrainingSettings(lm=LanguageModelSettings(order=2)))
    assert said[-1] == f"keeping the weights and the distortion limit of {toml}"
    assert read_system(out)["weights"]["lm"] == 0.77
    assert read_system(out)["search"] == {"distortion_limit": 9, "mbr_scale": 5.0}
    other = TrainingSettings(phrases=PhraseSettings(reordering="none"))
    assert train(files, out, settings=other)[-1] == (
        "using default weights, because the features have changed"
    )
    assert read_system(out)["weights"]["lm"] == 0.5
    assert read_system(out)["search"] == {"distortion_limit": 6}


def test_a_broken_model_file_is_made_anew(files, tmp_path):
    train(files, tmp_path / "m")
    (tmp_path / "m" / "model.toml").write_text("[broken")
    said = train(files, tmp_path / "m")[-1]
    assert said.startswith("using default weights, because the old ones cannot be read: ")
    assert read_system(tmp_path / "m")["weights"]["lm"] == 0.5


@pytest.mark.parametrize("part", ["phrases", "lm"])
@pytest.mark.parametrize("content", [b"", b"{}"])
def test_training_did_not_repair_a_damaged_part(files, tmp_path, part, content):
    out = tmp_path / "m"
    train(files, out)
    damaged = out / read_system(out)["parts"][part]
    (damaged / "header.json").write_bytes(content)
    said = train(files, out)
    assert f"{part}: files" in said  # were changed or lost
    assert len(load_phrases(out)) == 19
    assert load_language_model(out).order == 5


def test_a_language_model_of_another_format_was_taken_for_finished(files, tmp_path, monkeypatch):
    train(files, tmp_path / "m")
    monkeypatch.setattr("hyperbaton.models.system.training.LM_FORMAT", 99)
    phrases, lm, *_ = train(files, tmp_path / "m")
    assert phrases == "phrases: nothing has changed"
    assert lm == "lm: 32 n-grams of 8 words"


def test_a_model_of_an_older_revision_loads_and_is_learned_again(files, tmp_path, lengths):
    out, settings = tmp_path / "m", TrainingSettings(distortion=("linear", lengths))
    train(files, out, settings=settings)
    sys.modules["lengths"].Lengths.REVISION = 2
    _, old = load_distortion(out, allow_plugins=True)
    assert old.learned_[0] == 3
    said = train(files, out, settings=settings)
    assert said[-1] == "distortion_lengths_lengths: fitted to 3 sentence pairs"
    assert said[0] == "phrases: nothing has changed"


def test_training_removed_folders_of_the_user(files, tmp_path):
    (tmp_path / "m" / "parts" / "thesis").mkdir(parents=True)
    train(files, tmp_path / "m")
    assert (tmp_path / "m" / "parts" / "thesis").is_dir()


def test_hashes_of_the_corpus_are_those_of_its_files(files, tmp_path):
    train(files, tmp_path / "m")
    for name, entry in read_system(tmp_path / "m")["corpus"].items():
        content = getattr(files, name).read_bytes()
        assert entry["sha256"] == hashlib.sha256(content).hexdigest()


def test_file_names_that_are_not_utf8(files, tmp_path):
    odd = os.fsdecode(os.fsencode(tmp_path / "t") + b"\xff")
    shutil.copyfile(files.source, odd)
    train(replace(files, source=Path(odd)), tmp_path / "m")
    assert read_system(tmp_path / "m")["corpus"]["source"]["file"] == f"{tmp_path / 't'}\\xff"


def test_an_empty_system_was_a_success(files, tmp_path):
    settings = TrainingSettings(phrases=PhraseSettings(min_count=99))
    facts = "t.align: all 19 phrase pairs would be dropped"
    refused(facts, lambda: train(files, tmp_path / "m", settings=settings))
    assert not (tmp_path / "m" / "model.toml").exists()


LIMIT = "distortion_limit = 6"


@refusals(
    ("[parts]", "[pieces]", "model.toml: has no table [parts] … train or import"),
    ("[parts]", "parts = 3\n[pieces]", "model.toml: has no table [parts]"),
    ("phrases = ", "phrase = ", "parts.phrases is None, not a folder … train or import"),
    ("lm = 0.5", 'lm = "x"', "weights.lm is 'x', not a number"),
    ("lm = 0.5", "lm = nan", "weights.lm is nan, not a number"),
    (LIMIT, f"{LIMIT}.5", "search.distortion_limit is 6.5 … exp"),
    (LIMIT, f"{LIMIT}\nmbr_scale = 0", "search.mbr_scale is 0 … exp"),
    ("format = 2", "format = 7", "has format 7 … reads format 2 … train"),
    ("format = 2", "[broken", "is not TOML"),
)
def test_a_model_file_without_what_it_needs(files, tmp_path, old, new):
    train(files, tmp_path / "m")
    toml = tmp_path / "m" / "model.toml"
    toml.write_text(toml.read_text().replace(old, new, 1))
    load_phrases(tmp_path / "m")


def test_folders_that_are_not_systems(tmp_path):
    no_system = "none: is not a folder with a trained system"
    refused(no_system, lambda: read_system(tmp_path / "none"))
    refused("model.toml: no such file", lambda: read_system(tmp_path))


def test_progress_showed_the_reading_while_tables_were_made(files, tmp_path):
    seen = []
    reporter = Reporter(progress=lambda *step: seen.append(step))
    train_system(files, tmp_path / "m", reporter=reporter)
    begun = [what for what, done in seen if done == 0 and what.startswith("making")]
    assert begun == [
        f"making {what}"
        for what in (
            "the phrase table",
            "the language model",
            "source word classes",
            "target word classes",
        )
    ]


def test_a_whole_number_in_the_model_file_is_a_weight(files, tmp_path):
    train(files, tmp_path / "m")
    path = tmp_path / "m" / "model.toml"
    path.write_text(path.read_text().replace("lm = 0.5", "lm = 1"))
    assert type(read_system(tmp_path / "m")["weights"]["lm"]) is float
