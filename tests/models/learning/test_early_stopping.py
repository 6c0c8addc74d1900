from itertools import product

import numpy as np
from scipy.sparse import csr_matrix

from hyperbaton.foundation.errors import SettingError
from hyperbaton.models.learning.catalogue import make_learner, parse_learner
from hyperbaton.models.learning.clusters import ClusteredExamples, ClusteredLearner
from hyperbaton.models.learning.early_stopping import choose_settings
from hyperbaton.models.learning.perceptron import Perceptron
from tests.refusals import refusals

LEARNING_RATES = Perceptron.searched["learning_rate"]
ROUNDS = Perceptron.searched["max_rounds"]


def problem(n_sentences=60, n_features=60):
    """A fifth of the classes is noise, and there are features enough to learn it by heart."""
    random = np.random.default_rng(1)
    sentence = np.repeat(np.arange(n_sentences, dtype=np.int32), 5)
    y = random.integers(0, 3, len(sentence))
    mixed = random.normal(size=(n_features, n_features)) / 5
    centres = 0.6 * random.normal(size=(3, n_features))
    features = (centres[y] + random.normal(size=(len(y), n_features))) @ mixed
    y = np.where(random.random(len(y)) < 0.2, random.integers(0, 3, len(y)), y)
    return csr_matrix(features), y, sentence


def chosen(name="mms", settings=None, sentence=None, **how):
    examples, y, own = problem()
    labelled = ClusteredExamples(examples, y, 3, np.zeros(len(y), np.int64))
    sentence = own if sentence is None else sentence
    return choose_settings(name, settings or {}, labelled, sentence, 10_000, **how)


def test_what_is_chosen_does_not_depend_on_threads():
    found = chosen()
    assert set(found) == {"learning_rate", "max_rounds"}
    assert found == chosen(threads=2)


def test_who_decides_about_the_rounds_is_obeyed():
    assert chosen(settings={"max_rounds": 7})["max_rounds"] == 7
    assert chosen(settings={"learning_rate": 0.5})["learning_rate"] == 0.5
    both = {"max_rounds": 7, "learning_rate": 0.5}
    assert chosen(settings=both) == both


def test_what_is_chosen_makes_fewest_errors_on_the_held_out_sentences():
    examples, y, sentence = problem()
    numbers = np.random.default_rng(0).permutation(np.arange(60))
    held_out, train = np.isin(sentence, numbers[:6]), np.isin(sentence, numbers[6:])
    cluster = np.zeros(len(y), np.int64)
    seen, unseen = {}, {}
    for candidate in product(LEARNING_RATES, ROUNDS):
        own = make_learner("mms", learning_rate=candidate[0], max_rounds=candidate[1])
        learner = ClusteredLearner(own, 10_000).fit(
            ClusteredExamples(examples[train], y[train], 3, cluster[train])
        )
        for rows, errors in ((train, seen), (held_out, unseen)):
            found = learner.decision(examples[rows], cluster[rows]).argmax(axis=1)
            errors[candidate] = int((found != y[rows]).sum())
    assert len(set(unseen.values())) > 3
    assert unseen[min(seen, key=seen.get)] > min(unseen.values())  # what was seen misleads
    found = chosen()
    assert unseen[found["learning_rate"], found["max_rounds"]] == min(unseen.values())


def test_after_a_bad_number_of_rounds_a_good_one_is_found(monkeypatch):
    class Known:
        """Makes a given number of errors."""

        def __init__(self, learner, _):
            other_rate = learner.learning_rate != LEARNING_RATES[0]
            self.n_wrong = n_wrong[learner.max_rounds] + other_rate

        def fit(self, *_, **__):
            return self

        def n_errors(self, unseen):
            assert unseen.X.shape[0] == np.isin(problem()[2], held_out).sum()
            return self.n_wrong

    held_out = np.random.default_rng(0).permutation(60)[:6]
    n_wrong = dict(zip(ROUNDS, (5, 7, 3, 6), strict=True))  # of the other rate one more
    monkeypatch.setattr("hyperbaton.models.learning.early_stopping.ClusteredLearner", Known)
    found = chosen()
    assert (found["learning_rate"], found["max_rounds"]) == (LEARNING_RATES[0], ROUNDS[2])


def test_seeds_decide_what_is_held_out_and_how_is_learned(monkeypatch):
    seeds, held_out = [], []

    class Noting:
        def __init__(self, *_):
            pass

        def fit(self, _, *, seed, threads):  # noqa: ARG002
            seeds.append(seed)
            return self

        def n_errors(self, unseen):
            held_out.append(unseen.X.toarray().tobytes())
            return 0

    monkeypatch.setattr("hyperbaton.models.learning.early_stopping.ClusteredLearner", Noting)
    for seed in (3, 4):
        chosen(seed=seed)
    assert set(seeds) == {3, 4}
    assert len(set(held_out)) == 2


def test_other_learners_are_left_alone():
    assert chosen("me", {"sigma": 2.0}) == {"sigma": 2.0}


def test_of_many_examples_some_are_enough(monkeypatch):
    # one sentence: none to test
    monkeypatch.setattr("hyperbaton.models.learning.early_stopping.MOST_EXAMPLES", 9)
    assert chosen()["max_rounds"] == ROUNDS[len(ROUNDS) // 2]


def test_too_few_sentences_to_tell():
    sentence = np.zeros(300, np.int32)
    assert chosen(sentence=sentence)["max_rounds"] == ROUNDS[len(ROUNDS) // 2]


def test_learners_as_text():
    assert parse_learner("mms") == ("mms", {})
    assert parse_learner("mms:learning_rate=1:max_rounds=3") == (
        "mms",
        {"learning_rate": 1.0, "max_rounds": 3},
    )
    place = "hyperbaton.models.learning.hinge:SupportVectors"
    assert parse_learner(f"{place}:penalty=2") == (place, {"penalty": 2.0})


@refusals(
    ("mmss", "'mmss' … did you mean mms?"),
    ("mms:max_rounds", "mms:max_rounds: 'max_rounds' has no value … name:key=value:…"),
    ("mms:rounds=3", "the learner 'mms' has no setting 'rounds'"),
    ("mms:max_rounds=few", "mms.max_rounds cannot be 'few' … expected a whole number"),
    ("mms:max_rounds=0", "mms.max_rounds: 0 is not possible"),
    ("nowhere:Learner:x=1", "the learner 'nowhere:Learner' cannot be loaded: No module named"),
    error=SettingError,
)
def test_learners_that_cannot_be_made(text):
    parse_learner(text)
