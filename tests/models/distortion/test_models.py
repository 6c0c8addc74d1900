"""Every distortion model through the laws, and what is special about each."""

from functools import partial

import numpy as np
import pytest

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.errors import SettingError
from hyperbaton.models.distortion.catalogue import MODELS, make_model
from hyperbaton.models.distortion.conformance import check_model
from hyperbaton.models.distortion.gaps import Gaps
from hyperbaton.models.distortion.interface import DistortionModel, OptionTable, Steps, fit_model
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.distortion.msd.model import Lexicalised
from tests.decoder.systems import HAND, find_options, make_system
from tests.refusals import refusals, refused

MSD = "wbe-msd-bidirectional-fe"
SENTENCE = Sentence.parse("kare wa hon o katta nani")


def options_for(kind, sentence=SENTENCE) -> OptionTable:
    return find_options(sentence.words, *make_system(HAND, kind))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("linear", {}),
        ("gaps", {}),
        ("msd", {"type": MSD}),
        ("msd", {"type": "wbe-mslr-backward-f"}),
        ("msd", {"type": "phrase-leftright-forward-fe"}),
        ("msd", {"type": "wbe-monotonicity-bidirectional-fe"}),
        ("msd", {"type": "hier-mslr-bidirectional-fe"}),
    ],
)
def test_every_model_obeys_the_laws(name, settings, seed):
    options = options_for(settings.get("type", ""))
    check_model(lambda: make_model(name, **settings), SENTENCE, options, seed)


def test_all_models_of_the_catalogue_are_checked():
    # by the tests in the folder of each family
    others = {"attention", "dpr", "nine-class", "oracle", "osm", "pair", "parse", "sequence"}
    assert set(MODELS) == {"linear", "gaps", "msd"} | others


def test_linear_distortion_by_hand():
    options = options_for("")
    scorer = Linear().prepare(SENTENCE, options)
    # from the end of "kare" (1) to "hon" (2:3): 1; and back to "kare" from the end of "hon": 3
    kare = int(np.flatnonzero((options.start == 0) & (options.end == 1))[0])
    hon = int(np.flatnonzero((options.start == 2) & (options.end == 3))[0])
    steps = Steps(np.array([-1, kare, hon]), np.array([hon, hon, kare]),
                  np.zeros((3, 1), np.uint64), np.zeros(3, np.int64))  # fmt: skip
    assert scorer.features(steps).tolist() == [[-2.0], [-1.0], [-3.0]]


def test_a_model_that_names_too_many_features_is_caught():
    class Boastful(Linear):
        feature_names = ("linear", "more")

    with pytest.raises(AssertionError, match="as many features as its model names"):
        check_model(Boastful, SENTENCE, options_for(""))


def test_models_by_name_and_by_place():
    assert isinstance(make_model("linear"), Linear)
    assert isinstance(make_model("hyperbaton.models.distortion.gaps:Gaps"), Gaps)
    assert make_model("msd", type=MSD).feature_names[1] == "msd.backward.swap"


class Unprepared(Linear):
    def prepare(self, sentence):
        raise NotImplementedError


@refusals(
    ("liner", {}, "'liner' … did you mean linear?"),
    ("nowhere:Model", {}, "'nowhere:Model' cannot be loaded: No module"),
    ("hyperbaton.models.distortion.gaps:Nothing", {}, "cannot be loaded: module"),
    ("msd", {"x": 1}, "'msd' has no setting 'x' … known: t"),
    ("builtins:dict", {}, "'builtins:dict' is not a distortion model"),
    (f"{__name__}:Unprepared", {}, "cannot be called: … prepare(sentence, options)"),
    error=SettingError,
)
def test_models_that_cannot_be_made(name, settings):
    make_model(name, **settings)


class Fitted(Linear):
    """Remembers what `fit` was given."""

    name = "fitted"

    def fit(self, corpus):
        self.given_ = [corpus]
        return self


class FittedWithSome(Fitted):
    def fit(self, corpus, *, seed=0, phrases=None):
        self.given_ = [corpus, seed, phrases]
        return self


class FittedWithAll(Fitted):
    def fit(self, corpus, **everything):
        self.given_ = [corpus, everything]
        return self


class Demanding(Fitted):
    def fit(self, corpus, lexicon):
        raise NotImplementedError


def test_fit_is_given_what_it_takes():
    offered = {"phrases": "phrases", "seed": 3, "threads": 1, "progress": None}
    for made, given in (
        (Fitted, ["corpus"]),
        (FittedWithSome, ["corpus", 3, "phrases"]),
        (FittedWithAll, ["corpus", offered]),
    ):
        model = made()
        assert model.learns
        assert fit_model(model, "corpus", **offered) is model
        assert model.given_ == given
    assert not Linear().learns
    assert isinstance(fit_model(Linear(), "corpus", **offered), Linear)


def test_a_fit_that_asks_for_more_is_refused():
    attempt = partial(fit_model, Demanding(), "corpus", seed=0, threads=2)
    refused("fitted asks for 'lexicon' … fit(corpus) … seed, threads", attempt, SettingError)


def test_settings_are_those_of_the_constructor():
    assert make_model("msd", type="wbe-msd-bidirectional-f").settings() == {
        "type": "wbe-msd-bidirectional-f"
    }
    assert make_model("gaps").settings() == {}
    assert set(make_model("dpr").settings()) == {
        "classes", "use", "learner", "features", "window", "order", "min_examples", "min_count",
        "max_sentences", "word_classes", "moves", "beta", "cap", "monotone_penalty",
    }  # fmt: skip


def test_a_table_without_the_right_reordering_scores_is_refused():
    facts = f"needs reordering scores of type {MSD} … the phrase table"
    refused(facts, lambda: Lexicalised(MSD).prepare(SENTENCE, options_for("")))


def test_a_missing_layer_is_named_before_the_search():
    class Tagged(Linear):
        name = "tagged"
        requires = frozenset({"tags"})  # a plain attribute will do

    assert issubclass(Tagged, DistortionModel)
    refused("tagged needs the layer 'tags' … the sentence has", lambda: Tagged().check(SENTENCE))
    Tagged().check(Sentence(("a",), tags=("N",)))
