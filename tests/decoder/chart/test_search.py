"""The chart search against all derivations of small grammars, and against the stack search."""

from collections import Counter

import numpy as np
import pytest

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.chart.derivations import best_of
from hyperbaton.decoder.chart.workspace import ITEMS
from hyperbaton.decoder.chart_decode import GAIN, ChartDecoder
from hyperbaton.decoder.decode import Decoder, SearchSettings, Stopped
from hyperbaton.foundation.files.vocabulary import SPECIAL
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.language_model.automaton import context_gains
from hyperbaton.models.language_model.several import LanguageModels
from hyperbaton.models.phrases.building import train_phrases
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.rules.building import train_rules
from hyperbaton.models.rules.settings import RuleSettings
from tests.decoder.chart import grammars
from tests.models.language_model.test_kenlm_model import both
from tests.models.phrases.corpora import corpus_of
from tests.models.rules.oracles import random_pairs

EXHAUSTIVE = SearchSettings(pop_limit=0, stack_size=0, options=64, chart_span=0)
MOST = 5_000  # derivations of a sentence


def random_words(random, n):
    """Words of which few are unknown."""
    return list(map(str, random.choice(list("abcz"), n, p=[0.3, 0.3, 0.3, 0.1])))


def searched(seed, n_rules=40, longest=0):
    """A random grammar, a sentence, its decoder, and all derivations with their scores; None if
    there are too many."""
    random = np.random.default_rng(seed)
    rules = grammars.random_rules(random, n_rules)
    lm, weights = grammars.random_language_model(random), grammars.random_weights(random)
    words = random_words(random, random.integers(2, 7))
    whole = grammars.derivations(rules, words, longest or len(words))
    if len(whole) > MOST:
        return None
    settings = SearchSettings(**{**vars(EXHAUSTIVE), "chart_span": longest})
    decoder = ChartDecoder(grammars.table_of(rules), lm, weights, settings)
    scored = []
    for values, text, links in whole:
        lm_score = lm.score(grammars.in_model(text))
        score = sum(weights[name] * value for name, value in values.items())
        scored.append((score + weights["lm"] * lm_score, text, links, {**values, "lm": lm_score}))
    return decoder, words, scored


def test_all_derivations_are_found_in_order():
    kinds = Counter()
    for seed in range(60):
        found = searched(seed, longest=3 if seed % 4 == 0 else 0)
        if found is None:
            continue
        decoder, words, scored = found
        decoded = decoder.decode(Sentence(tuple(words)), len(scored) + 10)
        assert len(decoded) == len(scored)
        expected = sorted((one[0] for one in scored), reverse=True)
        assert decoded.scores == pytest.approx(expected, abs=1e-5)
        for number, values in enumerate(decoded.features()):
            # one of the derivations with this text, these links and values
            text, links = decoded.words(number), decoded.links(number)
            assert (
                any(
                    grammars.spelled(one[1], words) == text
                    and sorted(one[2]) == links
                    and all(
                        value == pytest.approx(one[3].get(name, 0.0), abs=1e-5)
                        for name, value in zip(decoded.feature_names, values, strict=True)
                    )
                    for one in scored
                )
                or number > 30
            )  # comparing all would take long
        kinds["sentences"] += 1
        kinds["many"] += len(scored) > 100
        kinds["unknown"] += any("unknown" in one[3] for one in scored)
        recombined = decoder._workspace.counters
        kinds["recombined"] += int(recombined[1] > recombined[0])
        if number:
            best = decoder.decode(Sentence(tuple(words)))
            assert best.words() == decoded.words()
            assert best.scores == pytest.approx(decoded.scores[:1])
    assert kinds["sentences"] > 40
    assert min(kinds["many"], kinds["unknown"], kinds["recombined"]) > 8


def test_every_item_scores_its_rules_and_the_words_of_its_string():
    n_long = n_gaining = 0
    for seed in range(100, 130):
        found = searched(seed)
        if found is None:
            continue
        decoder, words, _ = found
        decoder.decode(Sentence(tuple(words)), 2)
        workspace, lm = decoder._workspace, decoder.lm
        weights, gains = decoder._weights, context_gains(lm.automaton)
        for number in range(workspace.counters[ITEMS]):
            item = workspace.items[number]
            derivations, scores = best_of(workspace, number, 1)
            if derivations.entry[0] < -1:
                continue  # of the chain
            decoded = decoder._decoded(Sentence(tuple(words)), derivations, scores)
            ids = ["<unk>" if w in words else w for w in decoded.words()]
            values = dict(zip(decoded.feature_names, decoded.features()[0], strict=True))
            values["lm"] = lm.score(ids, begin=False, end=False)
            named = [
                *(
                    f"translation.{n}"
                    for n in (
                        "inverse_phrase",
                        "inverse_lexical",
                        "direct_phrase",
                        "direct_lexical",
                    )
                )
            ]
            score = weights.lm * values["lm"] + values["unknown"] + sum(
                w * values[n] for w, n in zip(weights.translation, named, strict=True)
            )  # fmt: skip
            score += weights.phrase_penalty * values["phrase_penalty"]
            score += weights.word_penalty * values["word_penalty"]
            assert item["score"] == pytest.approx(score, abs=1e-5)
            gain = GAIN * weights.lm * gains[lm.encode(ids[:1])].sum()
            assert item["rank"] - item["score"] == pytest.approx(gain)
            n_gaining += abs(gain) > 0.1
            left = workspace.left["word"][number, : item["n_left"]].tolist()
            assert left == lm.encode(ids).tolist()[:2]  # the order is 3
            assert bool(item["is_whole"]) == (len(ids) <= 2)
            n_long += len(ids) > 4
    assert min(n_long, n_gaining) > 100


def test_words_after_gaps_are_expected_to_gain_from_them():
    kinds = Counter()
    for seed in range(100, 120):
        found = searched(seed)
        if found is None:
            continue
        decoder, words, _ = found
        decoder.decode(Sentence(tuple(words)))
        table, memo, lm = decoder.table, decoder._memo, decoder.lm
        gains = GAIN * context_gains(lm.automaton)
        for known in memo.entries[: memo.begin[memo.counters[0]]]:
            if known["entry"] < 0:
                continue
            side = table.target[known["entry"]]
            symbols = table.target_words[
                table.target_offsets[side] : table.target_offsets[side + 1]
            ]
            is_gap = symbols < len(SPECIAL)
            estimate, run = 0.0, []
            for symbol, gap in zip([*symbols, None], [*is_gap, True], strict=True):
                if not gap:
                    run.append(table.target_vocabulary.words[symbol])
                elif run:
                    estimate += lm.score(run, begin=False, end=False)
                    estimate += gains[lm.encode(run[:1])].sum()
                    run = []
            assert known["estimate"] == pytest.approx(decoder._weights.lm * estimate, abs=1e-5)
            kinds["after a gap"] += bool((is_gap[:-1] & ~is_gap[1:]).any())
            kinds["without gaps"] += not is_gap.any()
    assert min(kinds.values()) > 20


def phrase_rules(table):
    """The entries of a phrase table as rules without gaps."""
    from hyperbaton.models.phrases.moses_tables import source_texts, target_texts
    from hyperbaton.models.phrases.settings import GRID

    rules = []
    for entry, (f, e) in enumerate(zip(source_texts(table), target_texts(table), strict=True)):
        inner = int(table.inner_of(entry))
        links = {(b % GRID, b // GRID) for b in range(64) if inner >> b & 1}
        scores = np.exp(table.scores_of(entry).astype(float)).tolist()
        rules.append((tuple(f.split()), tuple(e.split()), links, scores))
    return rules


@pytest.mark.parametrize("seed", range(6))
def test_rules_without_gaps_are_phrases_without_distortion(seed):
    random = np.random.default_rng(seed)
    corpus = corpus_of(random_pairs(12, seed))
    phrases = train_phrases(corpus, PhraseSettings(max_length=3, reordering="none"))
    lm, weights = grammars.random_language_model(random, 4), grammars.random_weights(random)
    weights |= {"glue": 0.0, "linear": 0.0}
    settings = SearchSettings(**{**vars(EXHAUSTIVE), "distortion_limit": 0})
    stacks = Decoder(phrases, lm, [Linear()], weights, settings)
    chart = ChartDecoder(grammars.table_of(phrase_rules(phrases)), lm, weights, settings)
    for _ in range(5):
        words = tuple(random_words(random, 6))
        ours, theirs = (decoder.decode(Sentence(words), 200) for decoder in (chart, stacks))
        assert len(ours) == len(theirs) == 200
        assert ours.scores == pytest.approx(theirs.scores, abs=1e-5)
        # equal scores may stand in another order
        lists = [
            Counter(
                (tuple(one.words(n)), tuple(one.spans(n)), tuple(one.links(n)), one.unknown(n))
                for n in range(len(one)) if one.scores[n] > one.scores[-1] + 1e-6
            )
            for one in (ours, theirs)
        ]  # fmt: skip
        assert lists[0] == lists[1]
        assert sum(lists[0].values()) > 100
        values = ours.features()[:, : len(stacks.feature_names) - 1]
        texts = [" ".join(one.words(0)) for one in (ours, theirs)]
        assert texts[0] == texts[1]
        assert values[0] == pytest.approx(theirs.features()[0, :-1], abs=1e-5)
        assert (ours.features()[:, -1] == [len(ours.spans(n)) - 1 for n in range(200)]).all()


@pytest.fixture(scope="module")
def trained():
    corpus = corpus_of(random_pairs(60, seed=9))
    return train_rules(corpus, RuleSettings(min_gap=1))


def test_a_binary_and_sums_of_models_translate_alike(trained, tmp_path):
    random = np.random.default_rng(3)
    lm, weights = grammars.random_language_model(random), grammars.random_weights(random)
    weights["lm"] = 0.5
    ours, kenlm = both(tmp_path, lm.ngrams())
    twice = LanguageModels({"lm": ours, "lm.2": kenlm})
    scores = []
    for model, own in ((lm, {}), (kenlm, {}), (twice, {"lm": 0.2, "lm.2": 0.3})):
        # a binary does not tell which words gain from context, so a pruned search would differ
        decoder = ChartDecoder(trained, model, weights | own, EXHAUSTIVE)
        lists = [decoder.decode(Sentence(tuple(text)), 30).scores for text in ("abca", "bcz", "")]
        scores.append(np.concatenate(lists))
    for other in scores[1:]:
        assert other == pytest.approx(scores[0], abs=1e-3)


def test_more_pops_do_not_worsen_the_best_derivation_much_and_none_is_lost(trained):
    random = np.random.default_rng(4)
    lm, weights = grammars.random_language_model(random), grammars.random_weights(random)
    best = []
    for pops in (1, 30, 0):
        settings = SearchSettings(pop_limit=pops, stack_size=pops, options=10)
        decoder = ChartDecoder(trained, lm, weights, settings)
        sentences = [Sentence(tuple("abcabc")), Sentence(tuple("ccba"))]
        best.append(sum(decoder.decode(sentence).scores[0] for sentence in sentences))
    assert best[0] <= best[2] + 1e-9
    assert best[1] <= best[2] + 1e-9
    assert best[1] == pytest.approx(best[2], abs=0.5)


def test_the_best_derivation_is_the_first_of_the_list(trained):
    random = np.random.default_rng(6)
    lm, weights = grammars.random_language_model(random), grammars.random_weights(random)
    # with weights of 0, many derivations have the same score
    n_recombined, n_gaps = 0, 0
    for own in (weights, dict.fromkeys(weights, 0.0)):
        decoder = ChartDecoder(trained, lm, own, SearchSettings(pop_limit=100))
        for length in range(1, 10):
            sentence = Sentence(tuple(random.choice(list("abcz"), length)))
            best, several = decoder.decode(sentence), decoder.decode(sentence, 5)
            assert best.scores[0] == several.scores[0]
            first = several.derivations.take(np.array([0]))
            for column, expected in zip(best.derivations, first, strict=True):
                assert column.tolist() == expected.tolist()
            n_recombined += best.statistics.recombined
            n_gaps += best.derivations.n_gaps.sum()
    assert n_recombined > 1000
    assert n_gaps > 40


def test_small_arrays_are_enlarged_without_other_results(trained):
    random = np.random.default_rng(5)
    lm, weights = grammars.random_language_model(random), grammars.random_weights(random)
    decoders = [ChartDecoder(trained, lm, weights, SearchSettings()) for _ in range(2)]
    tiny = decoders[1]
    tiny._capacity = tiny._capacity._replace(items=4, matches=4, steps=8, slots=4)
    memo = tiny._memo
    tiny._memo = memo._replace(
        begin=memo.begin[:8], entries=memo.entries[:4], symbols=memo.symbols[:8]
    )
    for text in ("abcabcabc", "zab", "cab"):
        lists = [decoder.decode(Sentence(tuple(text)), 20).scores for decoder in decoders]
        assert lists[0].tolist() == lists[1].tolist()


def test_gaps_in_the_text_are_words():
    rules = [(("a", "X"), ("1", "A"), {(0, 1)}, [0.5] * 4)]
    random = np.random.default_rng(6)
    lm, weights = grammars.random_language_model(random), grammars.random_weights(random)
    decoder = ChartDecoder(grammars.table_of(rules), lm, weights)
    decoded = decoder.decode(Sentence(("a", "<s>")), 5)
    assert {tuple(decoded.words(n)) for n in range(len(decoded))} == {("<s>", "A"), ("a", "<s>")}


def test_unknown_words_can_be_dropped():
    rules = [(("a", "X"), ("1", "A"), {(0, 1)}, [0.5] * 4)]
    random = np.random.default_rng(6)
    lm, weights = grammars.random_language_model(random), grammars.random_weights(random)
    decoder = ChartDecoder(grammars.table_of(rules), lm, weights, SearchSettings(drop_unknown=True))
    decoded = decoder.decode(Sentence(("a", "z")), 5)
    texts = [decoded.words(n) for n in range(len(decoded))]
    assert sorted(texts) == [[], ["A"]]
    inside = texts.index(["A"])
    assert decoded.copied(inside) == ["z"]
    assert decoded.links(inside) == [(0, 0)]
    scores = [sum(w * v for w, v in zip(
        (weights[name] for name in decoded.feature_names), values, strict=True))
        for values in decoded.features()]  # fmt: skip
    assert decoded.scores == pytest.approx(scores, abs=1e-5)


def test_a_stopped_search_ends(trained):
    random = np.random.default_rng(7)
    lm, weights = grammars.random_language_model(random), grammars.random_weights(random)
    decoder = ChartDecoder(trained, lm, weights)
    decoder.is_stopped = lambda: True
    with pytest.raises(Stopped):
        decoder.decode(Sentence(tuple("abc")))
