"""Long sentences: where they are cut, and that the whole is the sum of its pieces."""

from time import sleep

import numpy as np
import pytest

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.trees.brackets import parse_brackets
from hyperbaton.decoder.decode import Decoder, SearchSettings, Stopped
from hyperbaton.decoder.explanation import explain
from hyperbaton.decoder.output import lattice_lines
from hyperbaton.decoder.pieces import cut
from hyperbaton.decoder.stream import decode_all
from hyperbaton.decoder.translator import Translator
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.system.folder import default_weights
from tests.decoder.systems import HAND, make_system
from tests.refusals import refused

TABLE, LM = make_system(HAND)
WEIGHTS = default_weights("")


def translator(**settings):
    return Translator(TABLE, LM, [Linear()], WEIGHTS, SearchSettings(**settings))


def tree_of(words):
    return parse_brackets(f"(S {' '.join(f'(X {word})' for word in words)})").tree


@pytest.mark.parametrize(
    ("text", "longest", "expected"),
    [
        ("a b c", 3, ["a b c"]),
        ("a b c d", 3, ["a b c", "d"]),
        ("a b , d e", 4, ["a b ,", "d e"]),
        # the mark is in the first half: that piece would be too short
        ("a , c d e f g", 6, ["a , c d e f", "g"]),
        # the end of a sentence goes before a comma that comes later
        ("a b . c , d e", 6, ["a b .", "c , d e"]),
        ("a b 。 c 、 d e", 6, ["a b 。", "c 、 d e"]),
        # nothing begins after an opening bracket, and a word with a full stop is a word
        ("a b ( c e.g. d", 4, ["a b ( c", "e.g. d"]),
        ("a b c » d e", 5, ["a b c »", "d e"]),
        ("", 3, [""]),
    ],
)
def test_where_sentences_are_cut(text, longest, expected):
    assert [" ".join(piece.words) for piece in cut(Sentence.parse(text), longest)] == expected


def test_layers_are_cut_with_the_words():
    words, tags = tuple("abcde"), tuple("vwxyz")
    whole = Sentence(words, tags, (1, 2, 3, 4, 5), tree_of("abcde"))
    first, second = cut(whole, 3)
    assert (first.tags, second.tags) == (tags[:3], tags[3:])
    assert (first.classes, second.classes) == ((1, 2, 3), (4, 5))
    assert first.tree is second.tree is None


def test_the_whole_is_the_sum_of_its_pieces():
    one, other = "kare wa hon o katta", "hon o zzz"
    words = tuple(f"{one} . {other}".split())
    whole = translator(max_length=6).decode(Sentence(words), n_best=3)
    parts = [translator().decode(text, n_best=3) for text in (f"{one} .", other)]
    assert whole.n_pieces == 2
    assert len(whole) == max(map(len, parts)) == 3
    for number in range(3):
        ranks = [min(number, len(part) - 1) for part in parts]
        chosen = [part.take(np.array([rank])) for part, rank in zip(parts, ranks, strict=True)]
        assert whole.words(number) == chosen[0].words() + chosen[1].words()
        assert whole.scores[number] == pytest.approx(sum(part.scores[0] for part in chosen))
        first = len(chosen[0].words())
        moved = [(source + 6, target + first) for source, target in chosen[1].links()]
        assert whole.links(number) == chosen[0].links() + moved
        spans = [(a + 6, b + 6, c + first, d + first) for a, b, c, d in chosen[1].spans()]
        assert whole.spans(number) == chosen[0].spans() + spans
        values = chosen[0].features()[0] + chosen[1].features()[0]
        np.testing.assert_allclose(whole.features()[number], values)
    assert whole.statistics.words == 9
    assert whole.statistics.pops == sum(part.statistics.pops for part in parts)
    unknown = [words.index("zzz")]
    assert [whole.spans()[step][0] for step in whole.unknown()][-1:] == unknown
    second = whole.take(np.array([1]))
    assert second.words() == whole.words(1)
    np.testing.assert_allclose(second.features()[0], whole.features()[1])
    assert list(lattice_lines(0, whole)) == []
    refused("9 words was translated in pieces", lambda: explain(translator(), whole))


def test_distinct_translations_stay_distinct():
    decoder = translator(max_length=3)
    decoded = decoder.decode("kare wa hon o katta", n_best=5, distinct=True)
    texts = [tuple(decoded.words(number)) for number in range(len(decoded))]
    assert len(set(texts)) == len(texts) > 1


def test_no_sentence_is_cut_if_none_shall_be():
    long = Sentence(tuple(["kare", "wa", "hon", "o", "katta"] * 60))
    assert translator().decode(long).n_pieces == 2
    assert translator(max_length=0).decode(long).n_pieces == 1


def test_a_model_that_needs_the_tree_gets_it():
    class Rooted(Linear):
        name = "rooted"
        requires = frozenset({"tree"})

        def prepare(self, sentence, options):
            assert sentence.tree is not None
            return super().prepare(sentence, options)

    words = ("kare", "wa", "hon", "o", "katta")
    tree = tree_of(words)
    decoder = Translator(TABLE, LM, [Rooted()], WEIGHTS, SearchSettings(max_length=2))
    assert decoder.decode(Sentence(words, tree=tree)).n_pieces == 1


def test_a_search_that_nobody_waits_for_stops():
    long = Sentence(tuple(["kare", "wa", "hon", "o", "katta"] * 40))
    asked = []

    def is_stopped():
        asked.append(True)
        return len(asked) == 3

    slow = translator(pop_limit=50_000, stack_size=20, distortion_limit=2)
    with pytest.raises(Stopped):
        slow.decode(long, is_stopped=is_stopped)
    assert len(asked) == 3


def test_leaving_a_stream_stops_the_searches_under_way(monkeypatch):
    seen = []

    def decode(decoder, sentence, *_, **__):
        seen.append(sentence.words)
        if len(seen) == 1:
            return sentence
        while not decoder.is_stopped():  # a long search
            sleep(0.001)
        raise Stopped

    monkeypatch.setattr(Decoder, "decode", decode)
    results = decode_all(translator(), [Sentence((word,)) for word in "abcd"])
    assert next(results).words == ("a",)
    results.close()  # waits for the threads
    assert len(seen) < 4


def test_pauses_change_nothing(monkeypatch):
    long = Sentence(("kare", "wa", "hon", "o", "katta") * 4)
    without = translator(distortion_limit=-1).decode(long, n_best=20)
    monkeypatch.setattr("hyperbaton.decoder.search.PAUSE", 1)  # after every stack
    asked = []
    with_pauses = translator(distortion_limit=-1).decode(
        long, n_best=20, is_stopped=lambda: asked.append(True) or False
    )
    assert len(asked) >= len(long)  # more if the search began again with more room
    np.testing.assert_array_equal(with_pauses.scores, without.scores)
    assert with_pauses.statistics.counts() == without.statistics.counts()
