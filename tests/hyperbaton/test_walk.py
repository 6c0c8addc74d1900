"""From raw text to a comparison, typed and in Python: the same numbers at every step.

The aligner, which is optional and cannot be seeded, is replaced by the gold links of the sample.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import hyperbaton
from hyperbaton.corpus.aligning import aligning_files
from hyperbaton.corpus.aligning.aligner import Directions
from hyperbaton.corpus.raw_text.pipeline import TextPipeline
from hyperbaton.foundation.arrays import Ragged
from hyperbaton.models.system.folder import read_system
from hyperbaton.tuning.comparison import run as comparison_run
from tests import command_line
from tests.samples import sample
from tests.tuning.comparison.tiny import in_this_process

N_PAIRS = 260
TUNE = {"replicas": 1, "iterations": 2, "n_best": 20}
LANGUAGES = {"source_language": "romaji", "target_language": "en"}
TEXT = LANGUAGES | {"source_tokeniser": "words", "target_tokeniser": "words"}
COMPARISON = """limits = [6]
metrics = ["bleu"]
[train]
source = "data/train.romaji"
target = "data/train.en"
alignment = "links"
[dev]
source = "data/dev.romaji"
references = ["data/dev.en"]
[[test]]
name = "test"
source = "data/test.romaji"
references = ["data/test.en"]
[[system]]
name = "LINEAR"
distortion = ["linear"]
[text]
source_language = "romaji"
target_language = "en"
source_tokeniser = "words"
target_tokeniser = "words"
[tune]
method = "none"
"""


@pytest.fixture
def raw(tmp_path, monkeypatch):
    """Two files of text as people write it, and an aligner that knows the right links."""
    pairs, text = sample("ja-en", "train"), TextPipeline.of("en", "words", "true")
    rows = np.arange(N_PAIRS)
    for name, side in (("raw.romaji", pairs.source), ("raw.en", pairs.target)):
        words = (side.vocabulary.decode(side.words[row].tolist()) for row in rows)
        lines = [f"{text.detokenise(own)}\n" for own in words]
        (tmp_path / name).write_text("".join(lines))
    known = {}
    for row in rows.tolist():
        words = pairs.source.vocabulary.decode(pairs.source.words[row].tolist())
        known["".join(words).lower()] = pairs.links[row]

    def align(corpus, *_):
        sides = (corpus.source.vocabulary.decode(row.tolist()) for row in corpus.source.words)
        links = [known["".join(words).lower()] for words in sides]
        offsets = np.append(0, np.cumsum([len(own) for own in links]))
        both = Ragged(np.concatenate(links).astype(np.uint16), offsets)
        return Directions(both, both)

    monkeypatch.setattr(aligning_files, "load_eflomal", lambda: None)
    monkeypatch.setattr("hyperbaton.corpus.aligning.aligner.load_eflomal", lambda: None)
    monkeypatch.setattr(aligning_files, "align_corpus", align)
    monkeypatch.setattr(comparison_run, "run_jobs", in_this_process)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def typed():
    """What a user types; the numbers of every step."""
    run = command_line.run
    languages = ["--source-language=romaji", "--target-language=en"]
    words = ["--set=text.source_tokeniser=words", "--set=text.target_tokeniser=words"]
    run("prepare", "raw.romaji", "raw.en", *languages, "--dev", 30, "--test", 20, "-o", "data")
    both = ["--source", "data/train.romaji", "--target", "data/train.en", *languages, *words]
    run("align", *both, "--symmetrise", "intersection", "-o", "links")
    run("train", *both, "--alignment", "links", "--lm-order", 3, "-o", "system")
    dev = ["--source", "data/dev.romaji", "--reference", "data/dev.en"]
    run("tune", "system", *dev, "--replicas", 1, "--iterations", 2, "--n-best", 20)
    lists = ["--n-best", 5, "--n-best-file", "lists"]
    run("translate", "system", "data/test.romaji", *lists, "-o", "out")
    learned = ["--reference", "data/test.en", "--weights-out", "w.toml", "-o", "best"]
    run("rerank", "lists", "--system", "system", *learned)
    run("compare", "c.toml", "-o", "compared")
    judged = ["--reference", "data/test.en", "--metrics", "bleu", "--format=json"]
    scores = run("evaluate", "out", *judged).stdout
    return {
        "links": Path("links").read_text().splitlines(),
        "weights": read_system(Path("system"))["weights"],
        "translations": Path("out").read_text().splitlines(),
        "reranked": Path("best").read_text().splitlines(),
        "BLEU": json.loads(scores)["systems"][0]["scores"]["BLEU"]["score"],
        "compared": json.loads(Path("compared/results.json").read_text())["scores"],
    }


def in_python():
    """The same with lists instead of files where that is possible."""

    def read(name):
        return Path(f"data/{name}").read_text().splitlines()

    hyperbaton.prepare(["raw.romaji", "raw.en"], **LANGUAGES, out="data", dev=30, test=20)
    source, target = read("train.romaji"), read("train.en")
    links = hyperbaton.align(source, target, symmetrise="intersection", text=TEXT)
    Path("links").write_text("".join(f"{' '.join(f'{i}-{j}' for i, j in own)}\n" for own in links))
    corpus = {"source": source, "target": target, "alignment": links}
    hyperbaton.train(**corpus, out="system", lm={"order": 3}, text=TEXT)
    dev = {"source": read("dev.romaji"), "references": read("dev.en")}
    hyperbaton.tune("system", **dev, tune=TUNE)
    system = hyperbaton.Translator.load("system")
    translations = system.translate(read("test.romaji"))
    command_line.run(
        "translate", "system", "data/test.romaji", "--n-best", 5, "--n-best-file", "lists"
    )
    reranked = hyperbaton.rerank("lists", system="system", references=read("test.en"))
    result = hyperbaton.evaluate(translations, read("test.en"))
    compared = hyperbaton.compare("c.toml", out="compared", threads=1)
    return {
        "links": [" ".join(f"{i}-{j}" for i, j in own) for own in links],
        "weights": system.weights,
        "translations": [one.text for one in translations],
        "reranked": reranked.translations,
        "BLEU": result.score_of("bleu").score,
        "compared": json.loads(json.dumps(compared.records())),
    }


def test_the_same_numbers_typed_and_in_python(raw, monkeypatch):
    found = []
    for name, walk in (("typed", typed), ("python", in_python)):
        folder = raw / name
        folder.mkdir()
        for file in ("raw.romaji", "raw.en"):
            (folder / file).write_bytes((raw / file).read_bytes())
        (folder / "c.toml").write_text(COMPARISON)
        monkeypatch.chdir(folder)
        found.append(walk())
    first, second = found
    assert len(first["translations"]) == len(first["reranked"]) == 20
    assert first["BLEU"] > 5  # something was learned
    for step, value in first.items():
        assert second[step] == value, step
