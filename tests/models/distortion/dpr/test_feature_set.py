"""Both feature sets against the papers' own examples and against features spelt out one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from hyperbaton.corpus.words.word_classes import WordClasses
from hyperbaton.foundation.errors import SettingError
from hyperbaton.models.distortion.dpr.alrajeh_features import AlrajehFeatures
from hyperbaton.models.distortion.dpr.feature_set import (
    DROPPED,
    SOURCE,
    TRANSLATION,
    DescribedPlaces,
    Layers,
)
from hyperbaton.models.distortion.dpr.ni_features import NiFeatures
from hyperbaton.models.distortion.dpr.samples import collect_samples
from tests.models.phrases.corpora import corpus_of, small_corpora
from tests.refusals import refusals


def layers_of(side, n_classes=3):
    classes = WordClasses.fit(side.words, side.vocabulary, n_classes)
    return Layers(side.words, classes.layer(side.words))


class Described:
    """A corpus with its examples, and their features by name."""

    def __init__(self, examples, features, parts=SOURCE | TRANSLATION):
        self.names = {}
        self.corpus = corpus_of(examples)
        self.source, self.target = layers_of(self.corpus.source), layers_of(self.corpus.target)
        self.samples = collect_samples(self.corpus)
        self.places = self.samples.places
        self.features = features
        self.texts = features.fit(self.source, self.target, self.corpus.links)
        all_columns = np.arange(features.n_columns_, dtype=np.int32)
        self.rows = features.rows(*self.texts, self.places, all_columns, parts)

    def name(self, column):
        if column not in self.names:
            self.names[column] = self.features.describe(
                column,
                lambda word: self.corpus.source.vocabulary.words[word],
                lambda word: self.corpus.target.vocabulary.words[word],
            )
        return self.names[column]

    def of(self, row):
        begin, columns, values = self.rows
        here = slice(begin[row], begin[row + 1])
        return dict(zip(map(self.name, columns[here].tolist()), values[here].tolist(), strict=True))

    def find(self, source, target):
        """The example of a phrase pair that occurs once."""
        for row in range(len(self.samples)):
            first = self.source.words.values[slice(*self.span(row)[0])]
            second = self.target.words.values[slice(*self.span(row)[1])]
            words = self.corpus.source.vocabulary.decode(first)
            if (words, self.corpus.target.vocabulary.decode(second)) == (source, target):
                return row
        raise AssertionError("no such phrase pair")

    def span(self, row):
        s = self.samples.places
        return (s.source_start[row], s.source_end[row]), (s.target_start[row], s.target_end[row])


def figure_3():
    """The sentence of Ni et al., Figure 3, whose features Figure 7 shows."""
    source = ["Zhou", "liu", "Xiang", "gang", "yi", "min", "ju", "fa", "sheng", "huo", "zai"]
    target = ["on", "Friday", "a", "fire", "Hong", "Kong"]
    return [(source, target, [(0, 0), (1, 1), (2, 4), (3, 5), (9, 3), (10, 2)])]


def test_figure_7_of_ni_et_al():
    described = Described(figure_3(), NiFeatures(window=3, order=3, edges=False))
    row = described.find(["Xiang", "gang"], ["Hong", "Kong"])
    words = {name for name in described.of(row) if name.startswith("word")}
    assert words == {
        "word -2: Zhou", "word -1: liu", "word +1: yi", "word +2: min", "word +3: ju",
        "word -2: Zhou liu", "word +1: yi min", "word +2: min ju", "word +1: yi min ju",
    }  # fmt: skip
    target = {name for name in described.of(row) if name.startswith("target word")}
    assert target == {"target word: Hong", "target word: Kong", "target word: Hong Kong"}


def test_edge_words_are_features_if_wanted():
    described = Described(figure_3(), NiFeatures(window=1, order=1))
    row = described.find(["Xiang", "gang"], ["Hong", "Kong"])
    words = {name for name in described.of(row) if name.startswith("word")}
    assert words == {"word first: Xiang", "word last: gang", "word -1: liu", "word +1: yi"}


def ni_features_by_looking(described, row, window, order, edges):
    """Names of all features, from the definition."""
    (start, end), (first, last) = described.span(row)
    offsets = described.corpus.source.words.offsets
    sentence = described.samples.sentence[row]
    begin, stop = offsets[sentence], offsets[sentence + 1]
    names = set()
    sides = (described.source, described.target)
    for layer, name in enumerate(("word", "class")):

        def text(side, at, n, layer=layer):
            ids = sides[side][layer].values[at : at + n]
            corpus = (described.corpus.source, described.corpus.target)[side]
            return " ".join(map(str, ids) if layer else corpus.vocabulary.decode(ids))

        if edges:
            names |= {f"{name} first: {text(0, start, 1)}", f"{name} last: {text(0, end - 1, 1)}"}
        for n in range(1, order + 1):
            for at in range(max(begin, start - window), start - n + 1):
                names.add(f"{name} {at - start}: {text(0, at, n)}")
            for at in range(end, min(stop, end + window) - n + 1):
                names.add(f"{name} +{at - end + 1}: {text(0, at, n)}")
            for at in range(first, last - n + 1):
                names.add(f"target {name}: {text(1, at, n)}")
    return names


@given(small_corpora, st.integers(0, 3), st.integers(1, 3), st.booleans())
def test_ni_features_are_those_of_table_3(examples, window, order, edges):
    described = Described(examples, NiFeatures(window, order, edges))
    for row in range(0, len(described.samples), 3):
        found = described.of(row)
        assert set(found) == ni_features_by_looking(described, row, window, order, edges)
        assert set(found.values()) == {1.0}
    begin, columns, _ = described.rows
    for row in range(len(described.samples)):  # what learners ask for
        assert (np.diff(columns[begin[row] : begin[row + 1]]) > 0).all()


def table_1():
    """The sentence pair of Alrajeh and Niranjan, Table 1."""
    source, target = ["f1", "f2", "f3", "f4", "f5", "f6"], ["e1", "e2", "e3", "e4", "e5"]
    return [(source, target, [(0, 0), (1, 0), (2, 4), (4, 3), (5, 1), (5, 2)])]


def test_table_1_of_alrajeh_and_niranjan():
    described = Described(table_1(), AlrajehFeatures())
    first = described.of(described.find(["f1", "f2"], ["e1"]))
    second = described.of(described.find(["f3", "f4", "f5"], ["e4", "e5"]))
    third = described.of(described.find(["f6"], ["e2", "e3"]))
    assert first == {"f1 & e1": 1, "f2 & e1": 1, "beside: f3": 1}
    assert second == {"f3 & e5": 1, "f5 & e4": 1, "beside: f2": 1, "beside: f6": 1}
    # the table's last row also marks f6 as a neighbour, but its column "context" has f5 alone
    assert third == {"f6 & e2": 1, "f6 & e3": 1, "beside: f5": 1}


@given(small_corpora, st.integers(0, 3))
def test_alrajeh_features_are_linked_pairs_and_neighbours(examples, window):
    described = Described(examples, AlrajehFeatures(window))
    offsets = described.corpus.source.words.offsets
    for row in range(0, len(described.samples), 3):
        sentence = described.samples.sentence[row]
        source, target, links = examples[sentence]
        (start, end), (first, last) = described.span(row)
        start, end = start - offsets[sentence], end - offsets[sentence]
        first, last = np.array([first, last]) - described.corpus.target.words.offsets[sentence]
        names = [f"{source[f]} & {target[e]}" for f, e in set(links) if start <= f < end]
        names += [f"beside: {word}" for word in source[max(0, start - window) : start]]
        names += [f"beside: {word}" for word in source[end : end + window]]
        assert described.of(row) == {name: names.count(name) for name in names}
    begin, columns, _ = described.rows
    for row in range(len(described.samples)):
        assert (np.diff(columns[begin[row] : begin[row + 1]]) > 0).all()


@pytest.mark.parametrize("features", [NiFeatures(2, 2), AlrajehFeatures(2)])
@given(small_corpora)
def test_a_row_is_its_source_features_and_its_translation_features(features, examples):
    both = Described(examples, features)
    source, translation = (Described(examples, features, part) for part in (SOURCE, TRANSLATION))
    for row in range(len(both.samples)):
        assert both.of(row) == source.of(row) | translation.of(row)


@pytest.mark.parametrize(
    "features", [NiFeatures(2, 2), NiFeatures(1, 2, False), AlrajehFeatures(2)]
)
@given(small_corpora, st.integers(0, 3))
def test_source_features_are_those_of_the_two_edges(features, examples, dropped):
    described = Described(examples, features, SOURCE)
    number = np.arange(features.n_columns_, dtype=np.int32)
    number[number % 4 == dropped] = DROPPED
    begin, columns, values = features.rows(*described.texts, described.places, number, SOURCE)
    samples, source = described.samples, described.corpus.source.words
    for row in range(len(samples)):
        sentence = samples.sentence[row]
        words, classes = described.source.words[sentence], described.source.classes[sentence]
        edges = features.edge_columns(words, classes, number)
        assert edges.shape[:2] == (2, len(words) + 1)
        start, end = (
            at[row] - source.offsets[sentence]
            for at in (samples.places.source_start, samples.places.source_end)
        )
        found = np.concatenate([edges[0, start], edges[1, end]])
        here = slice(begin[row], begin[row + 1])
        expected = np.repeat(columns[here], values[here].astype(int))
        assert sorted(found[found != DROPPED].tolist()) == sorted(expected.tolist())


@pytest.mark.parametrize("features", [NiFeatures(2, 2), AlrajehFeatures(2)])
@given(small_corpora, small_corpora)
def test_another_text_has_the_features_that_it_shares_with_the_first(features, examples, others):
    described = Described(examples, features)
    vocabularies = described.corpus.source.vocabulary, described.corpus.target.vocabulary
    other = corpus_of(others)
    samples = collect_samples(other)
    layers = []
    for side, vocabulary in zip((other.source, other.target), vocabularies, strict=True):
        ids = vocabulary.encode(side.vocabulary.words)
        words = type(side.words)(ids[side.words.values], side.words.offsets)
        layers.append(Layers(words, type(words)(words.values % 3, words.offsets)))
    all_columns = np.arange(features.n_columns_, dtype=np.int32)
    texts = (features.text(side, target=at == 1) for at, side in enumerate(layers))
    rows = features.rows(*texts, samples.places, all_columns)
    found = [described.name(column) for column in rows[1].tolist()]
    again = Described(others, type(features)(**features.settings()))
    known = {described.name(column) for column in all_columns.tolist()}
    expected = [name for row in range(len(again.samples)) for name in again.of(row)]
    # word classes are not comparable, and no example has the column of unknown words
    assert sorted(name for name in found if "class" not in name and "<unk>" not in name) == sorted(
        name for name in expected if "class" not in name and name in known
    )


@pytest.mark.parametrize("features", [NiFeatures(2, 2), AlrajehFeatures(2)])
def test_saved_features_are_the_same(features):
    described = Described(figure_3(), features)
    again = type(features)(**features.settings()).restore(features.arrays())
    all_columns = np.arange(features.n_columns_, dtype=np.int32)
    texts = (again.text(described.source, target=False), again.text(described.target, target=True))
    rows = again.rows(*texts, described.places, all_columns)
    for old, new in zip(described.rows, rows, strict=True):
        assert np.array_equal(old, new)


def test_threads_and_chunks_do_not_matter(monkeypatch):
    described = Described(figure_3() + table_1(), NiFeatures())
    places = described.features, *described.texts, described.places
    at_once, _ = DescribedPlaces(*places).matrix(1)
    monkeypatch.setattr("hyperbaton.models.distortion.dpr.feature_set.ROWS_AT_ONCE", 5)
    for threads in (1, 3):
        matrix, _ = DescribedPlaces(*places, threads).matrix(1)
        assert (matrix != at_once).nnz == 0


@pytest.mark.parametrize("features", [NiFeatures(), AlrajehFeatures()])
@pytest.mark.parametrize("min_count", [0, 1, 2])
def test_the_matrix_is_that_of_all_rows_without_rare_columns(features, min_count, monkeypatch):
    described = Described(figure_3() + table_1() + figure_3(), features)
    monkeypatch.setattr("hyperbaton.models.distortion.dpr.feature_set.ROWS_AT_ONCE", 5)
    own = DescribedPlaces(features, *described.texts, described.places)
    matrix, number = own.matrix(min_count)
    assert csr_matrix((matrix.data, matrix.indices, matrix.indptr)).has_canonical_format
    columns = described.rows[1].tolist()
    often = sorted(column for column in set(columns) if columns.count(column) >= min_count)
    assert np.flatnonzero(number != DROPPED).tolist() == often
    for row, values in enumerate(matrix.toarray()):
        expected = described.of(row)
        found = zip(often, values.tolist(), strict=True)
        named = {described.name(column): value for column, value in found if value}
        kept = {described.name(column) for column in often}
        assert named == {name: value for name, value in expected.items() if name in kept}


@refusals(
    (NiFeatures(window=-1), "ni.window: -1 … 0 to 20"),
    (NiFeatures(order=0), "ni.order: 0 … 1 to 20"),
    (AlrajehFeatures(window=-2), "alrajeh.window: -2 … 0 to 20"),
    error=SettingError,
)
def test_impossible_settings_are_refused(features):
    features.check()
