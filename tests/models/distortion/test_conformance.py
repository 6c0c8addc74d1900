"""Each law is broken by a toy model that breaks no other one; whole models break none."""

import numpy as np
import pytest

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.errors import NotFitted, SettingError
from hyperbaton.models.distortion.conformance import ModelLaws, check_model
from hyperbaton.models.distortion.gaps import Gaps, GapScorer
from hyperbaton.models.distortion.interface import DistortionModel, Steps
from hyperbaton.models.distortion.tables import Table, TableScorer
from tests.decoder.systems import HAND, find_options, make_system
from tests.models.phrases.corpora import corpus_of
from tests.refusals import refusals, refused

SENTENCE = Sentence(("kare", "wa", "hon", "o", "katta", "nani"), tags=tuple("NPNPVN"))
CORPUS = corpus_of(HAND)


def options_for(words=SENTENCE.words):
    return find_options(words, *make_system(HAND))


OPTIONS = options_for()


class Whole(DistortionModel):
    """log p of the distance, from how often each distance occurs between linked words."""

    name = "whole"
    requires = frozenset({"tags"})

    def __init__(self, most: int = 5) -> None:
        self.most = most

    @property
    def feature_names(self):
        return ("whole",)

    def fit(self, corpus):
        jumps = np.diff(corpus.links.values[:, 0].astype(int))
        counts = np.bincount(np.minimum(np.abs(jumps), self.most), minlength=self.most + 1) + 1
        self.share_ = counts / counts.sum()
        return self

    def prepare(self, sentence, options):  # noqa: ARG002
        places = np.arange(options.n_words + 1)
        distances = np.minimum(np.abs(places[None, :] - places[:, None]), self.most)
        values = np.log(self.share_)[distances][:, :, None]
        rows = np.concatenate([[0], options.end]).astype(np.int32)
        return self.scorer([Table(rows, options.start, values)])

    def scorer(self, tables):
        return WholeScorer(self.share_, tables)


class WholeScorer(TableScorer):
    def __init__(self, share, tables):
        super().__init__(1, tables)
        self.share = share

    def distributions(self):
        return [self.share[None, :]]


def slowly(model, sentence, options, path):  # noqa: ARG001
    """One step after the other."""
    total, end = 0.0, 0
    for option in path:
        distance = min(abs(int(options.start[option]) - end), model.most)
        total += np.log(model.share_[distance])
        end = int(options.end[option])
    return np.array([total])


class Learning(Whole):
    """The constructor learns."""

    def __init__(self, most: int = 5) -> None:
        super().__init__(most)
        self.fit(CORPUS)


class Changing(Whole):
    """The constructor does not keep its argument as it is."""

    def __init__(self, most: int = 5) -> None:
        super().__init__(most + 1)


class Twins(Whole):
    """Two features of one name."""

    @property
    def feature_names(self):
        return ("whole", "whole")

    def scorer(self, tables):
        return Doubled(self.share_, tables)


class Doubled(WholeScorer):
    def __init__(self, share, tables):
        double = [Table(t.rows, t.columns, np.repeat(t.values / 2, 2, axis=2)) for t in tables]
        TableScorer.__init__(self, 2, double)
        self.share = share


class Careless(Whole):
    """Guesses if it has not learned anything."""

    def prepare(self, sentence, options):
        if self.learned():
            return super().prepare(sentence, options)
        return Whole().fit(CORPUS).prepare(sentence, options)


class Ungrateful(Whole):
    """`fit` returns nothing."""

    def fit(self, corpus):
        super().fit(corpus)


class Lenient(Whole):
    """Lets sentences without tags pass."""

    def check(self, sentence):
        pass


class Infinite(WholeScorer):
    """Estimates that an option costs everything."""

    def option_estimate(self, n_options):
        return np.full((n_options, 1), -np.inf)


class Impatient(WholeScorer):
    """Ends cost more in company."""

    def finish(self, state):
        return np.full((len(state), 1), float(len(state) > 1))


class Forgetful(WholeScorer):
    """Looks at where the previous option ends, but calls all ends the same."""

    def __init__(self, share, tables):
        super().__init__(share, tables)
        self.state_of_option = np.zeros(len(OPTIONS) + 1, np.int64)


class Remembering(GapScorer):
    """Says the more, the more it was asked before."""

    asked = 0

    def features(self, steps: Steps):
        self.asked += len(steps.option) > 1 and self.asked < 1
        return super().features(steps) - self.asked


class Wrong(WholeScorer):
    """Is worth twice what it should be."""

    def __init__(self, share, tables):
        super().__init__(share, [Table(t.rows, t.columns, 2 * t.values) for t in tables])


class Cheating(WholeScorer):
    """Shows the search other values than everybody else."""

    def projected(self, weights):
        return [(rows, columns, 2 * values) for rows, columns, values in super().projected(weights)]


class Spendthrift(WholeScorer):
    """Has more probability than there is."""

    def distributions(self):
        return [2 * self.share[None, :]]


class Lossy(Whole):
    """Saves fewer digits than it has."""

    def save(self, directory):
        exact = self.share_
        self.share_ = exact.astype(np.float32).astype(np.float64)
        super().save(directory)
        self.share_ = exact


def with_scorer(made):
    return type(made.__name__, (Whole,), {"scorer": lambda self, t: made(self.share_, t)})


class RememberingGaps(Gaps):
    def prepare(self, sentence, options):  # noqa: ARG002
        return Remembering(options)


BROKEN = [
    ("constructor", Changing, "keeps its argument most as it is"),
    ("names", Twins, "feature names must be distinct"),
    ("not fitted", Careless, "prepare before fit must raise NotFitted"),
    ("fit", Ungrateful, "fit must return the model itself"),
    ("layers", Lenient, "must refuse a sentence without the layer tags"),
    ("shapes", with_scorer(Infinite), "option_estimate must be finite"),
    ("batches", with_scorer(Impatient), "a batch is its steps"),
    ("states", with_scorer(Forgetful), "equal coverage and state must have equal futures"),
    ("sums", RememberingGaps, "must not depend on those that were scored before"),
    ("reference", with_scorer(Wrong), "the reference says"),
    ("tables", with_scorer(Cheating), "weighted tables must hold the weighted features"),
    ("probabilities", with_scorer(Spendthrift), "probabilities must sum to one"),
    ("saving", Lossy, "a loaded model must give what the saved one gives"),
]


@pytest.mark.parametrize(("law", "make", "message"), BROKEN, ids=[law for law, *_ in BROKEN])
def test_a_broken_model_fails_the_law_that_it_breaks_and_no_other(law, make, message):
    reference = slowly if issubclass(make, Whole) and make is not Twins else None
    failed = {}
    for name, check in ModelLaws(make(), SENTENCE, OPTIONS, 0, CORPUS, reference):
        try:
            assert check() > 0
        except AssertionError as error:
            failed[name] = str(error)
    assert set(failed) == {law}
    assert message in failed[law]


def test_every_law_is_broken_by_somebody():
    checked = check_model(Whole, SENTENCE, OPTIONS, corpus=CORPUS, reference=slowly)
    assert set(checked) == {law for law, *_ in BROKEN}
    assert min(checked.values()) > 0
    assert checked["states"] > 10


SHORT = Sentence(("kare", "wa"), tags=("N", "P"))


@refusals(
    (Learning, SENTENCE, CORPUS, "a constructor learns nothing"),
    (Whole, SHORT, CORPUS, "the law on states has compared nothing"),
    (Whole, SENTENCE, None, "is checked with a corpus"),
    error=AssertionError,
)
def test_what_cannot_be_checked(model, sentence, corpus):
    check_model(model, sentence, options_for(sentence.words), corpus=corpus)


def test_attributes_that_were_not_learned_yet_say_so():
    model = Whole()
    assert not hasattr(model, "share_")
    with pytest.raises(NotFitted, match="whole is not fitted\n  call fit or load"):
        _ = model.share_
    with pytest.raises(AttributeError, match="no attribute 'shares'"):
        _ = model.shares


def test_what_is_learned_is_saved_without_further_ado(tmp_path):
    model = Whole(3).fit(CORPUS)
    model.words_, model.counts_ = CORPUS.source.vocabulary, {"pairs": [len(CORPUS), 0.5]}
    model.save(tmp_path)
    loaded = Whole(3).load(tmp_path)
    assert np.array_equal(loaded.share_, model.share_)
    assert loaded.words_.words == CORPUS.source.vocabulary.words
    assert loaded.counts_ == {"pairs": [len(CORPUS), 0.5]}
    assert loaded.settings() == {"most": 3}
    model.FORMAT = 2
    facts = "has format 1 … this version of hyperbaton reads format 2"
    refused(facts, lambda: model.load(tmp_path))
    model.pairs_ = {(1, 2): 3}
    refused("the model whole cannot save pairs_, which is a dict", lambda: model.save(tmp_path))


def test_a_constructor_that_loses_an_argument_is_told_so():
    class Losing(Whole):
        def __init__(self, least: int = 0) -> None:
            super().__init__(5 + least)

    with pytest.raises(SettingError, match="Losing does not store its setting 'least'\n  a constr"):
        Losing().settings()
