"""`hyperbaton study next-word`: its numbers, formats and messages."""

import csv
import gzip
import io
import json

import numpy as np
import pytest

from hyperbaton.corpus.corpora.reading import CorpusFiles, read_corpus
from hyperbaton.foundation.errors import SettingError
from hyperbaton.models.distortion.catalogue import make_model
from hyperbaton.models.distortion.next_word.held_out import with_layers
from hyperbaton.models.system.folder import load_distortion, load_source_classes
from hyperbaton.samples import sample_files
from hyperbaton.tuning.reproduction.next_word_study import FARTHEST, next_word_models, study_models
from tests import command_line
from tests.refusals import refused
from tests.samples import sample

N_TRAIN = 250
QUICK = "prior=8,passes=5"
MODELS = [f"nine-class,{QUICK}", f"pair,{QUICK}", f"sequence,{QUICK}"]


def run(*arguments, **options):
    return command_line.outcome("study", "next-word", *arguments, **options)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """The first pairs of the sample, without tags."""
    folder, sample = tmp_path_factory.mktemp("corpus"), sample_files("ja-en")
    options = []
    for name, path in (
        ("source", sample.source), ("target", sample.target), ("alignment", sample.alignment)
    ):  # fmt: skip
        with gzip.open(path, "rt", encoding="utf-8") as stream:
            text = "".join(stream.readlines()[:N_TRAIN])
        (folder / name).write_text(text, encoding="utf-8")
        options += [f"--{name}", folder / name]
    return options


@pytest.fixture(scope="module")
def model(tmp_path_factory, corpus):
    """A system with word classes."""
    folder = tmp_path_factory.mktemp("system") / "model"
    distortion = [word for name in ("linear", *MODELS) for word in ("--distortion", name)]
    command_line.run("train", *corpus, *distortion, "--lm-order", 2, "--out", folder)
    return folder


def test_the_table(model, corpus):
    out, _ = run(model, *corpus, "--top-weights", 3)
    lines = out.splitlines()
    [head] = [n for n, line in enumerate(lines) if line.startswith(f"source: {N_TRAIN} sentences")]
    assert lines[head + 1].split() == ["model", "right", "rank", "log", "P", "gain", "95%",
                                       "open", "log", "P"]  # fmt: skip
    assert [line.split()[0] for line in lines[head + 2 : head + 7]] == [
        "uniform", "distance", "nine-class", "pair", "sequence"
    ]  # fmt: skip
    assert "source: log P by distance" in lines
    figure, footnote = (line for line in lines if line.startswith("Goto et al. 2013, "))
    assert figure.startswith("Goto et al. 2013, Figure 5: sequence follows the corpus")
    assert footnote.startswith("Goto et al. 2013, footnote 16: a place 7 to 20 words ahead gets")
    for name in ("nine-class", "pair", "sequence"):
        at = lines.index(f"{name}: largest weights")
        weights = [abs(float(line.split()[0])) for line in lines[at + 2 : at + 5]]
        assert weights == sorted(weights, reverse=True)


def test_the_formats_agree(model, corpus):
    out, _ = run(model, *corpus, "--format", "json")
    record = json.loads(out)
    table = list(csv.DictReader(io.StringIO(run(model, *corpus, "--format", "csv")[0])))
    assert [row["model"] for row in table] == list(record["models"])
    for row in table:
        for column in ("right", "rank", "log_p", "open_log_p"):
            assert float(row[column]) == record["models"][row["model"]][column]
    log_p = {name: values["log_p"] for name, values in record["models"].items()}
    # on its own training sentences every model knows more than the one before
    assert sorted(log_p, key=log_p.__getitem__) == list(log_p)
    gain = record["models"]["pair"]["gain"]
    assert gain["mean"] == pytest.approx(log_p["pair"] - log_p["nine-class"])
    assert gain["low"] < gain["mean"] < gain["high"]
    distances = list(csv.DictReader(io.StringIO(run(model, *corpus, "--format", "distances")[0])))
    assert [int(row["distance"]) for row in distances] == list(range(-FARTHEST, FARTHEST + 1))
    for name, values in record["by_distance"].items():
        assert {row["distance"]: float(row[name]) for row in distances if row[name]} == values
    shown = run(model, *corpus)[0].splitlines()
    head = shown.index("source: average probability by distance, as in Figure 5")
    for row in shown[head + 2 : head + 43]:
        distance, *values = row.split()
        for name, value in zip(("nine-class", "pair", "sequence"), values, strict=False):
            exact = record["by_distance"][name].get(distance)
            assert value == ("-" if exact is None else f"{exact:.4f}")


def studied(model, corpus, name):
    """One model of a system, ten sentences, and the study of both."""
    pairs, _ = read_corpus(CorpusFiles(*corpus[1::2]))
    models = next_word_models(load_distortion(model, [name]), "")
    few = with_layers(pairs.take(np.arange(10)), models, load_source_classes(model))
    return models[0], few, study_models(models, few, n_resamples=5)


def test_numbers_are_those_of_the_models(model, corpus):
    # what the study says of pair is what its table says, worked out once more
    pair, few, study = studied(model, corpus, "pair")
    events, total = study.events, 0.0
    for number in range(10):
        table = pair.table(few.source.sentence(number))[:, :, 0]
        for event in range(*events.offsets[number : number + 2]):
            total += table[events.current[event], events.next[event] - 1]
    assert study.mean("pair", "log_p") == pytest.approx(total / len(events.current))


def test_outbound_classes_by_distance(model, corpus):
    # every place d words ahead of a current word has the probability of d's class there
    nine_class, few, study = studied(model, corpus, "nine-class")
    found = {}
    for number in range(10):
        sentence = few.source.sentence(number)
        outbound = nine_class.distributions(sentence)[0]
        for event in range(*study.events.offsets[number : number + 2]):
            current = study.events.current[event]
            for place in range(current + 1, len(sentence) + 2):
                distance = place - current - 1
                class_ = 4 + sum(distance >= first for first in (1, 2, 4, 7))
                found.setdefault(distance, []).append(outbound[current, class_])
    assert max(found) >= 7
    for distance in range(min(max(found), FARTHEST) + 1):
        assert study.outbound.mean[FARTHEST + distance] == pytest.approx(np.mean(found[distance]))


def test_the_picture(model, tmp_path, corpus):
    path = tmp_path / "distances.svg"
    _, err = run(model, *corpus, "--distortion", "pair", "--plot", path)
    assert f"drawn: {path}" in err
    text = path.read_text(encoding="utf-8")
    assert "source: average probability by" in text
    assert ">average P<" in text
    assert ">corpus<" in text


def test_an_empty_corpus_is_refused(model, write):
    empty = write("empty", "")
    options = ["--source", empty, "--target", empty, "--alignment", empty]
    command_line.refuses("no sentences to test on", 1, "study", "next-word", model, *options)


def test_models_of_different_events_cannot_be_compared():
    models = [make_model("pair"), make_model("sequence", order="asc")]
    facts = "model: … different events … order=asc,leave_out= … --distortion"
    refused(facts, lambda: next_word_models(models, "model"), SettingError)


def test_variants_of_one_model_keep_apart():
    pairs = sample("ja-en", "dev")
    few = pairs.take(np.arange(40))
    models = [
        make_model("pair", prior=8.0, passes=2, candidates=candidates).fit(few)
        for candidates in ("all", "open")
    ]
    study = study_models(models, few, n_resamples=5)
    assert list(study.predictions) == ["uniform", "distance", "pair.logp", "pair.open.logp"]
