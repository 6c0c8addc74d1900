"""Directed alignments: eflomal's (or a stand-in's), their files, and the priors counted in them."""

import importlib.util
import sys
from collections import Counter
from itertools import pairwise
from pathlib import Path
from subprocess import CalledProcessError
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.aligning.aligner import (
    AlignerSettings,
    Directions,
    Priors,
    align_corpus,
    count_priors,
    load_eflomal,
    n_too_long,
    prior_lines,
    read_directions,
    read_priors,
)
from hyperbaton.corpus.corpora.alignment import link_lines, read_links
from hyperbaton.corpus.corpora.builder import CorpusBuilder
from hyperbaton.foundation.errors import BadLine, SettingError
from tests.mapped_arrays import ragged_links
from tests.models.phrases.corpora import corpus_of as linked_corpus
from tests.refusals import refusals, refused

HAS_EFLOMAL = importlib.util.find_spec("eflomal") is not None
needs_eflomal = pytest.mark.skipif(not HAS_EFLOMAL, reason="eflomal is not installed")


def corpus_of(*pairs):
    return linked_corpus([(source.split(" "), target.split(" "), []) for source, target in pairs])


class StandIn(SimpleNamespace):
    """Has eflomal's functions, writes numbers as text, and aligns word i to word i."""

    def __init__(self, n_lines=None):
        super().__init__(n_lines=n_lines, texts=[], priors=None, options=None)

    def TextIndex(self, index):  # noqa: N802
        return index

    def write_text(self, stream, sentences, n_words):
        assert all(sentence.dtype == np.uint32 for sentence in sentences)
        self.texts.append(([sentence.tolist() for sentence in sentences], n_words))
        stream.write(b"".join(b"%d\n" % len(sentence) for sentence in sentences))

    def to_eflomal_priors_file(self, priors, source_index, target_index, stream):
        self.priors = (priors, source_index, target_index)
        stream.write("priors\n")

    def align(self, source, target, **options):
        self.options = options
        lengths = [list(map(int, Path(p).read_text().split())) for p in (source, target)]
        lines = [
            " ".join(f"{i}-{i}" for i in range(min(both))) for both in zip(*lengths, strict=True)
        ]
        for name in ("links_filename_fwd", "links_filename_rev"):
            Path(options[name]).write_text("".join(f"{line}\n" for line in lines[: self.n_lines]))


@pytest.fixture
def stand_in(monkeypatch):
    module = StandIn()
    monkeypatch.setitem(sys.modules, "eflomal", module)
    return module


def test_an_absent_or_broken_eflomal(monkeypatch, write):
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "eflomal", None)
        for use in (load_eflomal, lambda: align_corpus(corpus_of(("a", "b")))):
            refused("eflomal is not installed … pip install eflomal", use)
    folder = write("eflomal.py", "import no_such_module_at_all").parent
    monkeypatch.delitem(sys.modules, "eflomal", raising=False)
    monkeypatch.syspath_prepend(str(folder))
    refused("eflomal cannot be loaded … no_such_mod", load_eflomal)


def test_words_go_out_as_numbers_without_case(stand_in):
    # an ideographic space is a letter of its word, and eflomal must not split there
    corpus = corpus_of(("Hon\u3000o hon", "A book"), ("HON", "a"))
    forward, backward = align_corpus(corpus)
    assert stand_in.texts == [([[0, 1], [1]], 2), ([[0, 1], [0]], 2)]
    assert [links.tolist() for links in forward] == [[[0, 0], [1, 1]], [[0, 0]]]
    assert [links.tolist() for links in backward] == [[[0, 0], [1, 1]], [[0, 0]]]


def test_words_that_do_not_occur_are_not_counted(stand_in):
    corpus = corpus_of(("a b", "x"), ("c", "y z"))
    align_corpus(corpus.take(np.array([1])))
    assert stand_in.texts == [([[0]], 1), ([[0, 1]], 2)]


def test_settings_and_priors_reach_eflomal(stand_in):
    align_corpus(corpus_of(("a", "b")), AlignerSettings(5, 0.5, 0.1))
    assert stand_in.options["n_samplers"] == 5
    assert stand_in.options["rel_iterations"] == 0.5
    assert stand_in.options["null_prior"] == 0.1
    assert stand_in.options["priors_filename"] is None
    priors = Priors([("a", "b", 2.0)], {}, {}, [], [])
    align_corpus(corpus_of(("A", "b")), priors=priors)
    assert stand_in.priors == (priors, {"a": 0}, {"b": 0})
    assert stand_in.options["priors_filename"].endswith("priors")


def fail(*_arguments, **_options):
    raise CalledProcessError(1, "eflomal")


@refusals(
    ({"n_lines": 0}, 2, "stopped before it had aligned all pairs"),
    ({"n_lines": 1}, 2, "stopped before it had aligned all pairs"),
    ({"align": lambda *_, **__: None}, 1, "stopped before it had aligned all pairs"),
    ({"align": fail}, 1, "stopped before it had aligned all pairs"),
    ({}, 0, "no sentence pairs"),
)
def test_half_an_alignment_is_an_error(stand_in, change, n_pairs):
    vars(stand_in).update(change)
    align_corpus(corpus_of(*[("a", "b")] * n_pairs))


def test_pairs_with_a_side_of_1024_words_are_too_long():
    long, just = " ".join(["a"] * 1024), " ".join(["a"] * 1023)
    assert n_too_long(corpus_of(("a", long), (just, just), (long, long), ("a", "a"))) == 2


link_lists = st.lists(st.tuples(st.integers(0, 65534), st.integers(0, 12)), max_size=6)


@given(st.lists(link_lists, max_size=5))
def test_lines_hold_the_links_in_their_order(pairs):
    expected = [" ".join(f"{s}-{t}" for s, t in links) for links in pairs]
    assert list(link_lines(ragged_links(pairs))) == expected


def test_links_of_a_file(write):
    links = read_links(write("a.align", "2-1 0-0\n\n65534-3\n"))
    assert [row.tolist() for row in links] == [[[2, 1], [0, 0]], [], [[65534, 3]]]
    assert links.values.dtype == np.uint16


@refusals(
    (b"0-0\n0:0\n", "a.align:2: '0:0' … 0-0 1-2"),
    (b"0-0\n\xff\n", "a.align:2: … 0xff … column 1"),
    (b"0-65535\n", "a.align:1: … 65535 … at most 65535"),
    error=BadLine,
)
def test_bad_links_are_named_with_their_line(write, content):
    read_links(write("a.align", content))


def test_directions_need_as_many_lines(write):
    short, long = write("short", "0-0\n"), write("long", "0-0\n1-1\n\n")
    assert len(read_directions(short, short).backward) == 1
    for paths in ((short, long), (long, short)):
        refused(f"{short}:2: … lines as in {long}", lambda paths=paths: read_directions(*paths))
    dash = Path("-")
    refused("both … standard input", lambda: read_directions(dash, dash), SettingError)


@needs_eflomal
def test_priors_worked_by_hand():
    corpus = corpus_of(("hon o katta", "bought a book"), ("hai", "yes yes"), ("a", "x"))
    # book-hon, bought-katta; both yes from hai; nothing in the last pair
    forward = ragged_links([[(2, 0), (0, 2)], [(0, 0), (0, 1)], []])
    backward = ragged_links([[(0, 2), (2, 0)], [(0, 1)], []])
    priors = count_priors(corpus, Directions(forward, backward))
    assert sorted(priors.lexical) == [("hai", "yes", 2), ("hon", "book", 1), ("katta", "bought", 1)]
    # from -1 to 2, 0, the end 3; from -1 to 0, 0, the end 1; from -1 to the end 1
    assert priors.forward_jumps == {3: 2, -2: 1, 1: 2, 0: 1, 2: 1}
    # along the source: -1, 2, 0, 3; -1, 1, 2; -1, 1
    assert priors.backward_jumps == {3: 2, -2: 1, 2: 2, 1: 1}
    assert sorted(priors.forward_fertility) == [("hai", 2, 1), ("hon", 1, 1), ("katta", 1, 1)]
    assert sorted(priors.backward_fertility) == [("book", 1, 1), ("bought", 1, 1), ("yes", 1, 1)]


@st.composite
def aligned_pairs(draw):
    """Sentences of few words, for each target and each source word at most one link."""
    source = draw(st.lists(st.sampled_from("abc"), min_size=1, max_size=5))
    target = draw(st.lists(st.sampled_from("xyz"), min_size=1, max_size=5))
    source_of = draw(st.dictionaries(*(st.integers(0, len(s) - 1) for s in (target, source))))
    target_of = draw(st.dictionaries(*(st.integers(0, len(s) - 1) for s in (source, target))))
    return source, target, source_of, target_of


@needs_eflomal
@given(st.lists(aligned_pairs(), max_size=5))
def test_priors_agree_with_counting(pairs):
    builder = CorpusBuilder()
    for source, target, _, _ in pairs:
        builder.add(source, target, [])
    forward = ragged_links([[(s, t) for t, s in source_of.items()] for _, _, source_of, _ in pairs])
    backward = ragged_links([list(target_of.items()) for _, _, _, target_of in pairs])
    priors = count_priors(builder.finish(), Directions(forward, backward))

    lexical, fertility, jumps = Counter(), Counter(), Counter()
    for source, target, source_of, target_of in pairs:
        lexical.update((source[s], target[t]) for t, s in source_of.items())
        fertility.update((source[s], n) for s, n in Counter(source_of.values()).items())
        path = [-1, *(target_of[s] for s in sorted(target_of)), len(target)]
        jumps.update(after - before for before, after in pairwise(path))
    assert {(s, t): n for s, t, n in priors.lexical} == lexical
    assert {(s, n_links): n for s, n_links, n in priors.forward_fertility} == fertility
    assert priors.backward_jumps == jumps


def test_priors_come_back_from_their_file(write):
    # 1234567 has more digits than %g writes
    priors = Priors(
        [("hon\u3000o", "book", 1234567.0), ("x", "<NULL>", 0.25)],
        {-1: 3.0, 1: 7.0},
        {},
        [("hon", 2, 1.0)],
        [("a\u0085", 0, 4.0)],
    )
    lines = list(prior_lines(priors))
    assert lines[0] == "LEX\thon\u3000o\tbook\t1234567"
    assert lines[2] == "HMMF\t-1\t3"
    assert read_priors(write("p", "".join(f"{line}\n" for line in lines))) == priors


@pytest.mark.parametrize(
    "wrong",
    [
        *(b"", b"LEX\ta\tb", b"LEX\ta\tb\tc", b"LEX\ta\t1", b"LEX a b 1", b"LEX\t\xff\tb\t1"),
        *(b"HMMF\tx\t1", b"HMM\t1\t1", b"FERF\ta\t-1\t1"),
        *(b"HMMR\t1\t-1", b"HMMR\t1\tnan", b"HMMR\t1\tinf"),
    ],
)
def test_what_is_not_a_prior_is_named_with_its_line(write, wrong):
    path = write("p", b"HMMF\t1\t2\n" + wrong + b"\n")
    refused(f"{path}:2: … LEX … --save-priors", lambda: read_priors(path))


def shuffled(n_pairs):
    """Pairs of five words out of twelve, S7 and t7 being translations, in any order."""
    rng = np.random.default_rng(n_pairs)
    samples = [rng.choice(12, 5, replace=False) for _ in range(n_pairs)]
    return corpus_of(
        *(
            (" ".join(f"S{w}" for w in words), " ".join(f"t{w}" for w in rng.permutation(words)))
            for words in samples
        )
    )


def share_found(corpus, links):
    n_right = 0
    for row, pair in enumerate(links):
        source, target = corpus.source.sentence(row).words, corpus.target.sentence(row).words
        n_right += sum(source[s][1:] == target[t][1:] for s, t in pair.tolist())
    return n_right / len(corpus.source.words.values)


@needs_eflomal
def test_eflomal_finds_translations_and_priors_carry_them_over():
    # It cannot be seeded. In 60 trials the large text came out at 0.81 or better, the means with
    # priors at 0.92 or better, and the means without priors at 0.47 or worse.
    large, small = shuffled(300), shuffled(4)
    settings = AlignerSettings(length=0.3)
    directions = align_corpus(large, settings)
    assert min(share_found(large, links) for links in directions) > 0.6
    priors = count_priors(large, directions)
    runs = [align_corpus(small, settings, priors) for _ in range(5)]
    assert np.mean([share_found(small, links) for run in runs for links in run]) > 0.75


@needs_eflomal
def test_eflomal_leaves_pairs_that_are_too_long():
    long = (" ".join(["a"] * 1024), "x")
    corpus = corpus_of(long, *[("a", "x"), ("b", "y")] * 50)
    directions = align_corpus(corpus, AlignerSettings(length=0.2, null_prior=0.01))
    assert n_too_long(corpus) == 1
    for links in directions:
        assert links.lengths[0] == 0
        assert links.lengths[1:].sum() > 50
