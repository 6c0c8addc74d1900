"""The committed samples are what the grammars generate, and are what their README says."""

import gzip
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from data_samples.generator import generate
from data_samples.generator.lexicon import Lexicon
from hyperbaton.samples import SAMPLES, SPLITS
from models.data.corpus_statistics import distances, statistics
from tests.samples import sample_and_report

FOLDER = Path(generate.__file__).parent.parent


@pytest.fixture(scope="module", params=SAMPLES)
def sample(request):
    """Name and the three splits, read with every layer and without a single bad line."""
    splits = {}
    for split in SPLITS:
        splits[split], report = sample_and_report(request.param, split)
        assert report.lines() == []
    return request.param, splits


@pytest.mark.parametrize("name", SAMPLES)
def test_generating_again_gives_the_committed_files(name, tmp_path, monkeypatch):
    monkeypatch.setattr(generate, "GRAMMARS", {name: generate.GRAMMARS[name]})
    generate.write(tmp_path)
    made = {path.name: path for path in (tmp_path / name).iterdir()}
    committed = {path.name: path for path in (FOLDER / name).iterdir()}
    assert set(made) == set(committed)
    for file_name, path in made.items():  # another zlib may pack the same text differently
        unpack = gzip.decompress if path.suffix == ".gz" else bytes
        assert unpack(path.read_bytes()) == unpack(committed[file_name].read_bytes()), file_name


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
    target = generate.GRAMMARS[name].TARGET
    lines = (FOLDER / name / f"test.2.{target}").read_text(encoding="utf-8").splitlines()
    assert len(lines) == len(splits["test"])
    second = [(i, line) for i, line in enumerate(lines) if line]
    assert len(second) == len(lines) // 3
    for number, line in second:
        assert tuple(line.split()) != splits["test"].target.sentence(number).words


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


def test_lexicon_entries_are_whole():
    for language in ("japanese", "chinese"):
        lexicon = Lexicon(language)
        for category in lexicon._entries:
            for entry in lexicon.entries(category):
                assert all(entry.forms), entry
