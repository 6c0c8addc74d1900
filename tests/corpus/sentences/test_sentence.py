import pytest

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.trees.brackets import parse_brackets
from hyperbaton.foundation.errors import DataError


def test_layers_say_what_there_is():
    assert Sentence.parse("a  b").words == ("a", "b")
    assert Sentence.parse("").layers == frozenset()
    factored = Sentence.parse("a|X b|Y", factored=True)
    assert (factored.tags, factored.layers) == (("X", "Y"), {"tags"})
    tree = parse_brackets("(S (X a) (Y b))").tree
    assert Sentence(("a", "b"), classes=(1, 2), tree=tree).layers == {"classes", "tree"}


@pytest.mark.parametrize(
    "layer", [{"tags": ("X",)}, {"classes": (1,)}, {"tree": parse_brackets("(X a)").tree}]
)
def test_a_layer_must_cover_the_sentence(layer):
    [name] = layer
    message = f"the layer '{name}' covers 1 words\n  the sentence has 2: a b"
    with pytest.raises(DataError, match=message):
        Sentence(("a", "b"), **layer)
