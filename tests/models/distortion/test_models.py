"""Every distortion model through the laws, and what is special about each."""

import numpy as np
import pytest

from decoder.options import OptionFinder, OptionWeights
from models.data.sentence import Sentence
from models.distortion.catalogue import MODELS, make_model
from models.distortion.conformance import check_model
from models.distortion.gaps import Gaps
from models.distortion.interface import DistortionModel, OptionTable, Steps
from models.distortion.linear import Linear
from models.distortion.msd.model import Lexicalised
from models.distortion.tables import Table, TableScorer
from models.errors import DataError, SettingError
from tests.decoder.systems import HAND, make_system

MSD = "wbe-msd-bidirectional-fe"
SENTENCE = Sentence.parse("kare wa hon o katta nani")


def options_for(kind, sentence=SENTENCE) -> OptionTable:
    table, lm = make_system(HAND, kind)
    weights = OptionWeights(np.full(4, 0.2), 0.2, -1.0, 0.5, 1.0)
    finder = OptionFinder(table, lm, weights)
    return finder.find(table.source_vocabulary.encode(sentence.words)).table


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
    # dpr: test_dpr.py; nine-class, pair, sequence: test_next_word.py; parse: test_parse.py
    others = {"dpr", "nine-class", "pair", "parse", "sequence"}
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


def test_a_model_that_hides_something_from_its_state_is_caught():
    class Forgetful(TableScorer):
        """Looks at the previous option but calls all of them the same."""

        def advance(self, steps):
            return np.zeros(len(steps.option), np.int64)

    options = options_for("")
    rows = np.arange(len(options) + 1, dtype=np.int32)
    values = np.random.default_rng(0).normal(size=(len(rows), options.n_words + 1, 1))
    table = Table(rows, options.start, values)

    class Broken(Linear):
        def prepare(self, sentence, options):  # noqa: ARG002
            return Forgetful(1, [table])

    with pytest.raises(AssertionError, match="equal coverage and state must have equal futures"):
        check_model(Broken, SENTENCE, options)


def test_a_model_that_names_too_many_features_is_caught():
    class Boastful(Linear):
        feature_names = ("linear", "more")

    with pytest.raises(AssertionError, match="as many features as its model names"):
        check_model(Boastful, SENTENCE, options_for(""))


def test_models_by_name_and_by_place():
    assert isinstance(make_model("linear"), Linear)
    assert isinstance(make_model("models.distortion.gaps:Gaps"), Gaps)
    assert make_model("msd", type=MSD).feature_names[1] == "msd.backward.swap"


@pytest.mark.parametrize(
    ("name", "settings", "message"),
    [
        ("liner", {}, "there is no distortion model 'liner'\n  did you mean linear?"),
        ("nowhere:Model", {}, "the distortion model 'nowhere:Model' cannot be loaded: No module"),
        ("models.distortion.gaps:Nothing", {}, "cannot be loaded: module"),
        ("linear", {"x": 1}, "the distortion model 'linear' does not take these settings"),
        ("builtins:dict", {}, "'builtins:dict' is not a distortion model"),
    ],
)
def test_models_that_cannot_be_made(name, settings, message):
    with pytest.raises(SettingError) as error:
        make_model(name, **settings)
    assert message in str(error.value)


def test_a_table_without_the_right_reordering_scores_is_refused():
    with pytest.raises(
        DataError, match=f"needs reordering scores of type {MSD}\n  the phrase table"
    ):
        Lexicalised(MSD).prepare(SENTENCE, options_for(""))


def test_a_missing_layer_is_named_before_the_search():
    class Tagged(Linear):
        name = "tagged"
        requires = frozenset({"tags"})  # a plain attribute will do

    assert issubclass(Tagged, DistortionModel)
    with pytest.raises(DataError, match="the model tagged needs the layer 'tags'\n  it has"):
        Tagged().check(SENTENCE)
    Tagged().check(Sentence(("a",), tags=("N",)))
