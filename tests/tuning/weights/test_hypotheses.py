"""Arrays of n-best lists against what the decoder says of single derivations."""

import pickle

import numpy as np
import pytest

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import NotFound
from hyperbaton.decoder.stream import Failure, decode_all
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.optimisers.objective import make_objective
from hyperbaton.tuning.weights.hypotheses import CollectNBest, collect, listed
from tests.decoder.systems import hand_translator
from tests.oracles import visit_sequence

LINES = ["kare wa hon o katta", "", "hon o nageta nageta", "kare"]
REFERENCES = [["he bought a book"], [""], ["he threw a book", "a book"], ["he"]]
VISITS = [[0, 4, 2], [], [2, 0], [0]]


@pytest.fixture(scope="module")
def translator():
    return hand_translator()


@pytest.fixture(scope="module")
def decoded(translator):
    return list(decode_all(translator, map(Sentence.parse, LINES), n_best=20))


def make(translator, decoded, **options):
    sentences = [Sentence.parse(line) for line in LINES]
    lists = [listed(one, **options) for one in decoded]
    return collect(lists, sentences, translator.phrases.target_vocabulary)


def test_texts_features_and_places(translator, decoded):
    hypotheses = make(translator, decoded)
    expected = [" ".join(one.words(number)) for one in decoded for number in range(len(one))]
    rows = np.arange(len(expected))
    assert hypotheses.texts(rows) == expected
    assert hypotheses.texts(rows[::-3]) == expected[::-3]
    assert any("nageta" in text for text in expected)
    np.testing.assert_array_equal(
        hypotheses.features, np.concatenate([one.features() for one in decoded])
    )
    assert np.diff(hypotheses.offsets).tolist() == list(map(len, decoded))
    texts = {}
    for key, text in zip(hypotheses.text_keys.tolist(), expected, strict=True):
        texts.setdefault(key, set()).add(text)
    assert all(len(same) == 1 for same in texts.values())


@pytest.mark.parametrize("metric", ["bleu", "bleu-ter", "kendall", "lrscore+bleu"])
def test_statistics_are_those_of_the_single_derivations(translator, decoded, metric):
    objective = make_objective(metric, REFERENCES)
    hypotheses = make(translator, decoded, links=objective.needs_visits)
    rows = np.arange(len(hypotheses.features))[1::2]
    found = hypotheses.statistics(rows, objective, Sentences("", (), REFERENCES, VISITS))
    flat = [(i, one, number) for i, one in enumerate(decoded) for number in range(len(one))]
    outputs = Outputs(
        [" ".join(one.words(number)) for _, one, number in flat],
        [REFERENCES[i] for i, _, _ in flat],
        [visit_sequence(one.links(number)) for _, one, number in flat],
        [VISITS[i] for i, _, _ in flat],
    )
    if objective.needs_visits:
        from hyperbaton.tuning.metrics.visits import visits_of_sequences

        lengths = [len(one.sentence) for _, one, _ in flat]
        outputs = Outputs(
            outputs.hypotheses,
            outputs.references,
            visits_of_sequences(outputs.hypothesis_visits, lengths),
            outputs.reference_visits,
        )
    np.testing.assert_allclose(found, objective.statistics(outputs)[rows])


def test_links_are_those_of_the_derivations(translator, decoded):
    links = make(translator, decoded, links=True).links
    expected = [one.links(number) for one in decoded for number in range(len(one))]
    assert [sorted(map(tuple, row.tolist())) for row in links] == expected


@pytest.mark.parametrize("metric", ["bleu", "kendall"])
def test_no_rows_have_no_statistics(translator, decoded, metric):
    objective = make_objective(metric, REFERENCES)
    hypotheses = make(translator, decoded, links=objective.needs_visits)
    dev = Sentences("", (), REFERENCES, VISITS)
    found = hypotheses.statistics(np.array([], np.int64), objective, dev)
    assert found.shape == (0, objective.n_statistics)


def test_lists_and_lattices_can_be_sent_without_the_system(translator, decoded):
    own = translator.with_settings(lattice=True)
    near, far = (CollectNBest(links=True, n_arcs=5, are_sent=sent) for sent in (False, True))
    for number, line in enumerate(LINES):
        result = own.decode(line, 20)
        kept, sent = near(own, number, result), pickle.loads(pickle.dumps(far(own, number, result)))
        np.testing.assert_array_equal(sent.hypotheses.features, decoded[number].features())
        assert list(map(list, sent.hypotheses.words)) == list(map(list, kept.hypotheses.words))
        restored = sent.arcs.restored(own, Sentence.parse(line))
        np.testing.assert_array_equal(restored.features, kept.arcs.features)
        for one, two in zip(restored.arcs, kept.arcs.arcs, strict=True):
            np.testing.assert_array_equal(one, two)
        assert restored.decoded.words() == result.words()
        np.testing.assert_array_equal(
            restored.decoded.features(), kept.arcs.restored(own, result.sentence).decoded.features()
        )


def test_failures_can_be_sent(translator):
    failure = Failure(Sentence(("a",)), NotFound("nothing", expected="some", advice="wait"))
    error = pickle.loads(
        pickle.dumps(CollectNBest(links=False, n_arcs=0, are_sent=True)(translator, 0, failure))
    )
    assert str(error) == "nothing\n  some\n  wait"
