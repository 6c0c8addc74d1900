"""The parse model in decoding: laws, a slow twin, normalisation, fallbacks, messages."""

from functools import cache, partial

import numpy as np
import pytest

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.foundation.errors import NotFitted, SettingError
from hyperbaton.models.distortion.catalogue import make_model, parse_model
from hyperbaton.models.distortion.conformance import check_model, random_derivations
from hyperbaton.models.distortion.interface import START, Steps
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.distortion.parse.model import Parse
from hyperbaton.models.distortion.parse.rewrites import read_rewrites, rewrite_tree
from hyperbaton.models.distortion.parse.templates import parse_use
from hyperbaton.models.language_model import LanguageModel, estimate
from hyperbaton.models.phrases.building import train_phrases
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.system.folder import default_weights
from tests.decoder.systems import find_options
from tests.models.distortion.parse.slow_scorer import slow_features
from tests.models.distortion.parse.small import small_corpus, small_model
from tests.models.distortion.parse.trees import parse_tree
from tests.models.phrases.corpora import corpus_of
from tests.refusals import refusals, refused

EVERYTHING = "me+prior+history+cov+sib"
TREE = (
    "(IP (NP (NR ta)) (VP (PP (P gei) (NP (CP (IP (VP (VV mai) (NP (NN shu)))) (DEC de))"
    " (QP (CD san)) (NP (NN ren)))) (VP (VV kan) (AS le) (NP (DP (DT na) (CLP (M xie)))"
    " (NP (NN nani))))))"
)


@cache
def system():
    corpus = small_corpus()
    table = train_phrases(corpus, PhraseSettings(max_length=4, reordering="none"))
    ngrams = estimate(corpus.target.words, corpus.target.vocabulary, order=3)
    return table, LanguageModel.from_ngrams(ngrams)


@cache
def fitted(use, **settings):
    return Parse(use=use, **settings).fit(small_corpus(), phrases=system()[0])


def sentence(*, tree=True, tags=True):
    parsed, words = parse_tree(TREE)
    return Sentence(tuple(words), parsed.tags if tags else None, tree=parsed if tree else None)


def options_for(given):
    return find_options(given.words, *system(), 5)


def walk(scorer, options, path):
    """The summed features of a derivation, step by step."""
    state, previous = scorer.initial_state, START
    coverage = np.zeros((1, (options.n_words + 63) // 64), np.uint64)
    total = np.zeros(scorer.n_features)
    for option in path:
        step = Steps(np.array([previous], np.int32), np.array([option], np.int32), coverage.copy(),
                     np.array([state], np.int64))  # fmt: skip
        total += scorer.features(step)[0]
        state, previous = int(scorer.advance(step)[0]), option
        for place in range(options.start[option], options.end[option]):
            coverage[0, place >> 6] |= np.uint64(1) << np.uint64(place & 63)
    return total + scorer.finish(np.array([state]))[0]


PRESETS = ("me", "me+prior", "me+cov", "me+sib", "me+cov+sib", "me+prior+cov+sib")


ONE_ALPHA = [(use, 0.0) for use in (*PRESETS, "prior") if "prior" in use]


@pytest.mark.parametrize(
    ("use", "half"),
    [*((use, 80.0) for use in (*PRESETS, EVERYTHING, "lexical", "prior")), *ONE_ALPHA],
)
def test_the_laws(use, half):
    given = sentence()
    options = options_for(given)
    check_model(lambda: Parse(use=use, alpha_half=half), given, options, corpus=small_corpus())


@pytest.mark.parametrize("tree", [True, False])
@pytest.mark.parametrize("use", [*PRESETS, EVERYTHING, "cov+sib", "history+lexical"])
def test_a_derivation_is_what_the_slow_twin_says(use, tree):
    given = sentence(tree=tree)
    options, model = options_for(given), fitted(use)
    own = rewrite_tree(given.tree, given.words, read_rewrites("de")[1]) if tree else None
    scorer = model.prepare(given, options)
    for path in random_derivations(options, 4, seed=3):
        expected = slow_features(model, given, own, options, path)
        np.testing.assert_allclose(walk(scorer, options, path), expected, atol=1e-9)


def test_probabilities_sum_to_one():
    """Over the candidates of a source phrase and all jumps, in any situation."""
    given = sentence()
    scorer = fitted("me+prior+cov+sib").prepare(given, options_for(given))
    options = options_for(given)
    for path in random_derivations(options, 20, seed=1):
        walk(scorer, options, path)
    memory = scorer._memory
    n = int(memory.counters[0])
    assert n > 50
    tables = [np.exp(memory.log_p[memory.begin[k] : memory.begin[k + 1]]) for k in range(n)]
    np.testing.assert_allclose([p.sum() for p in tables], 1.0)
    jumps = [p.sum(axis=0) for p in tables]
    np.testing.assert_allclose(np.exp(memory.log_jumps[:n]), jumps)


def test_the_cut_into_phrases_does_not_matter():
    """Two options in a row score as the option that holds both of them."""
    given = sentence()
    options, model = options_for(given), fitted("me+prior+cov+sib")
    scorer = model.prepare(given, options)
    spans = {}
    for option in range(len(options)):
        words = tuple(options.target_words[option].tolist())
        spans[int(options.start[option]), int(options.end[option]), words] = option
    found = 0
    for (start, end, words), option in spans.items():
        for middle in range(start + 1, end):
            for cut in range(1, len(words)):
                first = spans.get((start, middle, words[:cut]))
                second = spans.get((middle, end, words[cut:]))
                if first is None or second is None:
                    continue
                whole, parts = (
                    walk(scorer, options, [option]),
                    walk(scorer, options, [first, second]),
                )
                np.testing.assert_allclose(whole, parts)
                found += 1
    assert found


def test_estimates_are_the_values_of_monotone_steps():
    """All words before the option are translated, the last one stands before its first unit."""
    given = sentence()
    options = options_for(given)
    for use in ("me+prior+cov+sib", EVERYTHING):
        scorer = fitted(use).prepare(given, options)
        estimates = scorer.option_estimate(len(options))
        one = [
            next(
                o for o in range(len(options)) if options.start[o] == w and options.end[o] == w + 1
            )
            for w in range(len(given))
        ]
        n_units = np.diff(scorer._units.begin)
        plain = np.flatnonzero(n_units == 1).tolist()
        for option in plain if use != EVERYTHING else []:
            before = one[: options.start[option]]
            step = walk(scorer, options, [*before, option]) - walk(scorer, options, before)
            np.testing.assert_allclose(estimates[option], step, atol=1e-9)
        assert np.isfinite(estimates).all()
        assert (estimates <= 1e-12).all()


def test_the_decoder_adds_up_what_the_model_says():
    given = sentence()
    table, lm = system()
    for use in ("me+prior+cov+sib", EVERYTHING):
        model = fitted(use)
        weights = default_weights("") | {"parse.logp": 0.5, "parse.prior": 0.1, "parse.jump": 0.2}
        decoder = Decoder(
            table, lm, [Linear(), model], weights, SearchSettings(distortion_limit=-1)
        )
        decoded = decoder.decode(given, n_best=30)
        values = decoded.features()
        names = decoder.feature_names
        np.testing.assert_allclose(
            values @ np.array([weights[name] for name in names]), decoded.scores, atol=1e-6
        )
        scorer = model.prepare(given, decoded.options.table)
        for number in range(len(decoded)):
            own = walk(scorer, decoded.options.table, decoded.chosen[number].tolist())
            np.testing.assert_allclose(values[number, -3:], own, atol=1e-9)


def test_a_verb_before_its_pp_is_learned():
    """With the PP open the verb is likely to be translated after a jump over it."""
    model = fitted("me+prior+cov+sib")
    parsed, words = parse_tree(
        "(IP (NP (NR wo)) (VP (PP (P gei) (NP (PN ta))) (VP (VV kan) (NP (NN shu)))))"
    )
    given = Sentence(tuple(words), parsed.tags, tree=parsed)
    options = options_for(given)
    scorer = model.prepare(given, options)
    one = {int(s): o for o, (s, e) in enumerate(zip(options.start, options.end, strict=True))
           if e - s == 1}  # fmt: skip
    verb_first = walk(scorer, options, [one[0], one[3], one[4], one[1], one[2]])
    monotone = walk(scorer, options, [one[0], one[1], one[2], one[3], one[4]])
    assert verb_first[0] > monotone[0] + 2


def test_sentences_without_trees_are_counted_and_scored():
    corpus = small_corpus(trees=False)
    model = Parse(iterations=5).fit(corpus)
    assert model.learned_.report["without_tree"] == len(corpus) == 18
    assert fitted("me+prior+cov+sib").learned_.report["without_tree"] == 0
    given = sentence(tree=False)
    options = options_for(given)
    without, with_tree = (
        fitted("me+prior+cov+sib").prepare(g, options) for g in (given, sentence())
    )
    path = next(iter(random_derivations(options, 1, seed=0)))
    assert not np.allclose(walk(without, options, path), walk(with_tree, options, path))


def test_tags_are_needed_if_it_was_trained_with_them():
    model = fitted("me+prior+cov+sib")
    refused("the model parse needs the layer 'tags'", lambda: model.check(sentence(tags=False)))
    model.check(sentence(tree=False))  # a tree is used where there is one
    assert fitted("lexical+cov").requires == frozenset()
    plain = corpus_of([(["a", "b"], ["B", "A"], [(0, 1), (1, 0)])] * 3)
    assert Parse().fit(plain).requires == frozenset()
    assert Parse().requires == frozenset()


def test_more_room_is_made_where_it_is_needed(monkeypatch):
    monkeypatch.setattr("hyperbaton.models.distortion.parse.scorer.ROOM", 4)
    given = sentence()
    options = options_for(given)
    model = fitted(EVERYTHING)
    small = model.prepare(given, options)
    monkeypatch.undo()
    large = model.prepare(given, options)
    for path in random_derivations(options, 3, seed=5):
        assert np.array_equal(walk(small, options, path), walk(large, options, path))
    assert len(small._memory.log_jumps) > 4


def test_the_units_of_entries_are_remembered():
    model = Parse(use="me", iterations=1).fit(small_corpus(), phrases=system()[0])
    given = sentence()
    options = options_for(given)
    first = model.prepare(given, options)._units
    known = model._known[id(options.phrases)][2]
    assert known[options.entry[options.entry >= 0]].any(axis=1).all()
    second = model.prepare(given, options)._units
    assert np.array_equal(first.begin, second.begin)
    assert np.array_equal(first.shape, second.shape)
    n_units = first.begin[-1]  # there is room for more
    assert np.array_equal(first.units[:n_units], second.units[:n_units])


def test_long_sentences():
    """More words than one number has bits."""
    parsed, words = parse_tree("(S " + " ".join(f"(NP (NN w{i}))" for i in range(70)) + ")")
    given = Sentence(tuple(words), parsed.tags, tree=parsed)
    options, model = options_for(given), fitted("me+prior+cov+sib")
    path = next(iter(random_derivations(options, 1, seed=0)))
    expected = slow_features(model, given, parsed, options, path)
    np.testing.assert_allclose(walk(model.prepare(given, options), options, path), expected)


@pytest.mark.parametrize(
    ("text", "families", "prior"),
    [
        ("me", 1 + 2 + 8 + 16, "count"),
        ("me+prior+cov+sib", 1 + 2 + 8 + 16 + 32 + 64, "smoothed"),
        ("lexical", 1, "none"),
        ("tags+count", 8, "count"),
        ("me+history", 1 + 2 + 4 + 8 + 16, "count"),
    ],
)
def test_what_is_used(text, families, prior):
    assert parse_use(text) == (families, prior)


def test_models_from_text():
    model = parse_model("parse,use=me+cov,alpha=0.5,min_count=3,alpha_half=0")
    assert isinstance(model, Parse)
    assert (model.use, model.alpha, model.min_count) == ("me+cov", 0.5, 3)
    assert make_model("parse").feature_names == ("parse.logp", "parse.prior", "parse.jump")


@refusals(
    ({"use": "me+cow"}, "parse.use=me+cow: unknown part 'cow' … did you mean cov"),
    ({"levels": 0}, "parse.levels: 0 … 1 or more"),
    ({"min_count": 0}, "parse.min_count: 0 … 1 or more"),
    ({"max_sentences": -1}, "parse.max_sentences: -1 … 0 or more"),
    ({"iterations": 0}, "parse.iterations: 0 … 1 or more"),
    ({"alpha": 1.0}, "parse.alpha: 1.0 … a number from 0 to less than 1"),
    ({"alpha_half": -1.0}, "parse.alpha_half: -1.0 … 0 or more"),
    ({"variance": 0.0}, "parse.variance: 0.0 … a number above 0"),
    ({"tag_variance": 0.0}, "parse.tag_variance: 0.0 … a number above 0"),
    ({"jump_variance": -1.0}, "parse.jump_variance: -1.0 … 0 or more"),
    ({"translation_variance": -0.5}, "parse.translation_variance: -0.5 … 0 or more"),
    ({"unaligned": "lef"}, "parse.unaligned: 'lef' … did you mean left?"),
    ({"trainer": "gis"}, "parse.trainer: 'gis' … did you mean iis?"),
    error=SettingError,
)
def test_settings_that_cannot_be(settings):
    Parse(**settings).fit(small_corpus())


def test_systems_without_the_newer_variances_load(tmp_path):
    model = fitted("me")
    model.save(tmp_path)
    older = model.settings()
    del older["jump_variance"], older["translation_variance"]
    loaded = make_model("parse", **older).load(tmp_path)
    assert loaded.settings() == model.settings()
    assert np.array_equal(loaded.learned_.weights, model.learned_.weights)


def test_what_cannot_be_learned_from_or_used():
    refused("no pair has a link", lambda: Parse().fit(corpus_of([(["a"], ["A"], [])])))
    attempt = partial(Parse().prepare, sentence(), options_for(sentence()))
    refused("parse is not fitted", attempt, NotFitted)


def test_both_trainers_and_fewer_sentences():
    few = small_model("lexical+sib", max_sentences=4)
    assert few.learned_.report["sentences"] == 4
    said = []
    scaled = Parse(use="lexical", trainer="iis", iterations=2).fit(
        small_corpus(), progress=lambda what, n: said.append((what, n))
    )
    assert ("scaling", 2) in said
    assert scaled.learned_.weights.any()
