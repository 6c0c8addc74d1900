"""The committed samples are what the grammars generate, and are what their README says."""

import gzip
import shutil
from collections import Counter

import numpy as np
import pytest

from hyperbaton.corpus.corpora.statistics import distances, statistics
from hyperbaton.data_samples.generator import generate
from hyperbaton.samples import SAMPLES, SPLITS
from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.order import PDscore
from hyperbaton.tuning.metrics.visits import read_visits
from tests.samples import sample_and_report

FOLDER = generate.HERE.parent
IS_RECORDED = generate.record(FOLDER) == generate.RECORD.read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=SAMPLES)
def sample(request):
    """Name and the three splits, read with every layer and without a single bad line."""
    splits = {}
    for split in SPLITS:
        splits[split], report = sample_and_report(request.param, split)
        assert report.lines() == []
    return request.param, splits


def lines_of(path):
    content = path.read_bytes()
    return (gzip.decompress(content) if path.suffix == ".gz" else content).splitlines()


@pytest.mark.parametrize("name", SAMPLES)
def test_generating_again_gives_the_committed_files(name, tmp_path, monkeypatch):
    """All of them if the code or the samples have changed, otherwise the first lines."""
    monkeypatch.setattr(generate, "GRAMMARS", {name: generate.GRAMMARS[name]})
    if IS_RECORDED:
        monkeypatch.setitem(generate.SIZES, "train", 200)
    generate.write(tmp_path)
    made = {path.name: lines_of(path) for path in (tmp_path / name).iterdir()}
    committed = {path.name: lines_of(path) for path in (FOLDER / name).iterdir()}
    assert set(made) == set(committed)
    for file_name, lines in made.items():
        expected = committed[file_name]
        assert lines == (expected[: len(lines)] if IS_RECORDED else expected), file_name
        assert len(lines) == generate.SIZES[file_name.partition(".")[0]]


def test_the_record_knows_code_and_samples(tmp_path, monkeypatch):
    """It is made again with the samples."""
    assert IS_RECORDED, "run python -m hyperbaton.data_samples.generator.generate"
    code = shutil.copytree(generate.HERE, tmp_path / "generator")
    samples = [shutil.copytree(FOLDER / name, tmp_path / name) for name in SAMPLES]
    monkeypatch.setattr(generate, "HERE", code)
    assert generate.record(tmp_path) == generate.RECORD.read_text(encoding="utf-8")
    for path in (
        code / "japanese/lexicon.tsv",
        code / "english.py",
        code / "chinese/nouns.rules",
        samples[1] / "dev.en",
    ):
        before = generate.record(tmp_path)
        path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
        assert generate.record(tmp_path) != before


def test_sizes_and_lengths(sample):
    _, splits = sample
    assert {split: len(pairs) for split, pairs in splits.items()} == generate.SIZES
    for pairs in splits.values():
        for side in (pairs.source, pairs.target):
            assert side.words.lengths.min() >= generate.SHORTEST
            assert side.words.lengths.max() <= generate.LONGEST


def test_nothing_of_dev_and_test_occurs_in_training(sample):
    _, splits = sample
    texts = {
        split: [pairs.source.sentence(i).words for i in range(len(pairs))]
        for split, pairs in splits.items()
    }
    everything = [text for lines in texts.values() for text in lines]
    assert len(set(everything)) == len(everything)


def test_the_lexicon_is_large_and_skewed(sample):
    _, splits = sample
    train = splits["train"].source
    counts = np.sort(np.bincount(train.words.values))[::-1]
    assert np.count_nonzero(counts) >= 600
    assert counts[:20].sum() > 0.25 * counts.sum()  # few words make up much of the text
    assert np.count_nonzero(counts == 1) < np.count_nonzero(counts > 1)


def test_dev_and_test_have_unknown_words(sample):
    _, splits = sample
    known = splits["train"].source.vocabulary
    for split in ("dev", "test"):
        side = splits[split].source
        words = side.vocabulary.decode(side.words.values)
        share = np.mean([word not in known for word in words])
        assert 0.003 < share < 0.05


def test_words_move_far_and_often(sample):
    _, splits = sample
    moves = distances(splits["train"])
    assert np.abs(moves).max() >= 20
    assert np.mean(moves < 0) > 0.2  # a good part of the moves goes back
    assert np.mean(np.abs(moves) >= 8) > 0.05
    unaligned = statistics(splits["train"]).source.share_unaligned
    assert 0.03 < unaligned < 0.3


def test_tags_of_trees_are_the_tags(sample):
    _, splits = sample
    for number in range(len(splits["test"])):
        sentence = splits["test"].source.sentence(number)
        assert sentence.tree.tags == sentence.tags


def test_training_alignments_are_spoilt_by_three_percent(sample, monkeypatch):
    name, _ = sample
    monkeypatch.setitem(generate.SIZES, "train", 1000)
    grammar = generate.GRAMMARS[name]
    examples, seeds = generate._split(name, grammar, "train", set())
    clean = wrong = 0
    for example, seed in zip(examples, seeds, strict=True):
        noisy = generate._spoil(example, generate.Stream(f"{seed}:noise"), generate.NOISE)
        clean += len(example.links)
        wrong += len(set(example.links) - set(noisy))
    assert 0.025 < wrong / clean < 0.035


def test_a_third_of_the_test_sentences_has_a_second_reference(sample):
    name, splits = sample
    target = generate.GRAMMARS[name].target
    lines = (FOLDER / name / f"test.2.{target}").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(splits["test"])
    second = [(i, line) for i, line in enumerate(lines) if line]
    assert len(second) == len(lines) // 3
    for number, line in second:
        assert tuple(line.split()) != splits["test"].target.sentence(number).words
    links = (FOLDER / name / "test.2.align").read_text(encoding="utf-8").splitlines()
    assert [bool(line) for line in links] == [bool(line) for line in lines]
    for number, line in second:
        source, target = zip(*(link.split("-") for link in links[number].split()), strict=True)
        assert max(map(int, source)) < len(splits["test"].source.sentence(number))
        assert max(map(int, target)) < len(line.split())


def test_word_order_of_two_references(sample):
    """Counted apart from the metric; an upper bound as in Xiang et al. 2011, Table 2."""
    name, splits = sample
    expected = {"ja-en": (1005, 1034), "zh-en": (1093, 1144)}[name]
    second = read_visits(FOLDER / name / "test.2.align")
    first = read_visits(FOLDER / name / "test.align")
    texts = [""] * len(splits["test"])
    assert (
        tuple(PDscore().statistics(Outputs(texts, [texts], second, first)).sum(axis=0)) == expected
    )


def test_a_word_is_translated_by_its_context(sample):
    """Many source words have two translations that are each frequent."""
    _, splits = sample
    train = splits["train"]
    pairs = Counter()
    for number in range(len(train)):
        source, target = train.source.words[number], train.target.words[number]
        links = train.links[number]
        pairs.update(zip(source[links[:, 0]].tolist(), target[links[:, 1]].tolist(), strict=True))
    by_source = {}
    for (s, _), count in pairs.items():
        by_source.setdefault(s, []).append(count)
    ambiguous = [
        s for s, counts in by_source.items() if sorted(counts)[-2:][0] >= 5 and len(counts) > 1
    ]
    assert len(ambiguous) >= 40


@pytest.mark.parametrize("name", SAMPLES)
def test_the_files_are_small(name):
    assert sum(path.stat().st_size for path in (FOLDER / name).iterdir()) < 1_500_000
