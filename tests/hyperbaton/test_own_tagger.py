"""Systems that were trained with tags tag plain sentences themselves."""

import shutil

import pytest

import hyperbaton
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.models.system.folder import load_source_tagger, read_system
from hyperbaton.samples import sample_files
from tests.command_line import run

PLAIN = "kare wa hon o katta ."


@pytest.fixture(scope="module")
def system(tmp_path_factory):
    """A small system with a model that needs tags, and what its training said."""
    folder = tmp_path_factory.mktemp("tagged")
    whole, said = sample_files("ja-en", "dev"), []
    files = {name: path for name, path in vars(whole).items() if name != "source_tree"}
    options = {"lm": {"order": 3}, "phrases": {"max_length": 4}}
    hyperbaton.train(
        **files,
        out=folder / "model",
        distortion=["linear", "pair,prior=16.0,passes=3"],
        verbose=said.append,
        **options,
    )
    return folder / "model", said


def test_training_tells_how_good_the_tagger_is(system):
    model, said = system
    [line] = [line for line in said if line.startswith("source_tagger")]
    tagger = load_source_tagger(model)
    assert f"{len(tagger.tags)} tags, {tagger.accuracy:.1%} of held-out words right" in line
    assert tagger.accuracy > 0.9


def test_plain_sentences_get_tags_and_given_tags_are_kept(system):
    model, _ = system
    translator = hyperbaton.Translator.load(model)
    tags = translator.own_tagger.tag(PLAIN.split())
    own = translator.translate(PLAIN)
    given = translator.translate(Sentence(tuple(PLAIN.split()), tags))
    assert own == given
    wrong = translator.decode(Sentence(tuple(PLAIN.split()), ("X",) * 6))
    assert wrong.sentence.tags == ("X",) * 6
    assert translator.with_weights({"lm": 0.1}).own_tagger is translator.own_tagger


def test_the_command_says_so_once(system):
    model, _ = system
    plain = run("translate", model, input=f"{PLAIN}\n" * 2)
    assert len(set(plain.stdout.splitlines())) == 1
    lines = [line for line in plain.stderr.splitlines() if "tagger" in line]
    right = f"{load_source_tagger(model).accuracy:.1%}"
    assert lines == [f"no tags given: using the system's tagger ({right} of held-out words right)"]
    tags = hyperbaton.Translator.load(model).own_tagger.tag(PLAIN.split())
    factored = " ".join(f"{w}|{t}" for w, t in zip(PLAIN.split(), tags, strict=True))
    tagged = run("translate", model, "--factored", input=f"{factored}\n")
    assert tagged.stdout.splitlines() == plain.stdout.splitlines()[:1]
    assert "tagger" not in tagged.stderr


def test_tuning_and_explaining_say_so_too(system, tmp_path, write):
    model = shutil.copytree(system[0], tmp_path / "model")
    notice = load_source_tagger(model).notice()
    dev = sample_files("ja-en", "dev")
    source, target, tags = (
        write(path.name, b"".join(path.read_bytes().splitlines(keepends=True)[:20]))
        for path in (dev.source, dev.target, dev.source_tags)
    )
    options = ["--source", source, "--reference", target, "--iterations", 1]
    tuned = run("tune", model, *options, "--replicas", 1, "--n-best", 5)
    assert tuned.stderr.count(notice) == 1
    tagged = run("tune", model, *options, "--replicas", 1, "--source-tags", tags)
    assert "tagger" not in tagged.stderr
    explained = run("explain", model, PLAIN)
    assert explained.stderr.count(notice) == 1


def test_the_next_word_of_plain_sentences(system, write):
    model, _ = system
    dev = sample_files("ja-en", "dev")
    files = ["--source", dev.source, "--target", dev.target, "--alignment", dev.alignment]
    plain = run("study", "next-word", model, *files, "--format", "json", "--resamples", 1)
    tagger = load_source_tagger(model)
    assert tagger.notice() in plain.stderr
    lines = dev.source.read_text(encoding="utf-8").splitlines()
    tags = write("tags", "".join(f"{' '.join(tagger.tag(line.split()))}\n" for line in lines))
    files += ["--source-tags", tags]
    tagged = run("study", "next-word", model, *files, "--format", "json", "--resamples", 1)
    assert tagged.stdout == plain.stdout
    assert "tagger" not in tagged.stderr


def test_a_system_without_tags_has_none(system, tmp_path):
    model, _ = system
    assert "source_tagger" in read_system(model)["parts"]
    whole = sample_files("ja-en", "dev")
    files = {name: getattr(whole, name) for name in ("source", "target", "alignment")}
    untagged = hyperbaton.train(**files, out=tmp_path / "model", distortion=["linear"])
    assert untagged.own_tagger is None
    assert "source_tagger" not in read_system(tmp_path / "model")["parts"]
