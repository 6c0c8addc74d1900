from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.trees.brackets import parse_brackets
from tests.refusals import refusals


def test_layers_say_what_there_is():
    assert Sentence.parse("a  b").words == ("a", "b")
    assert Sentence.parse("").layers == frozenset()
    factored = Sentence.parse("a|X b|Y", factored=True)
    assert (factored.tags, factored.layers) == (("X", "Y"), {"tags"})
    tree = parse_brackets("(S (X a) (Y b))").tree
    assert Sentence(("a", "b"), classes=(1, 2), tree=tree).layers == {"classes", "tree"}


@refusals(
    ({"tags": ("X",)}, "'tags' covers 1 words … has 2: a b"),
    ({"classes": (1,)}, "'classes' covers 1 words … has 2: a b"),
    ({"tree": parse_brackets("(X a)").tree}, "'tree' covers 1 words … has 2: a b"),
)
def test_a_layer_must_cover_the_sentence(layer):
    Sentence(("a", "b"), **layer)
