import numpy as np

from hyperbaton.corpus.corpora.builder import CorpusBuilder
from hyperbaton.corpus.corpora.files import load_corpus, save_corpus
from hyperbaton.corpus.trees.tree import Tree
from hyperbaton.foundation.arrays import Ragged


def test_a_corpus_comes_back_with_all_its_layers(tmp_path):
    builder = CorpusBuilder(source_tags=True, trees=True)
    tree = Tree(("S", "N"), np.array([0, 0]), np.array([2, 1]), np.array([-1, 0]))
    builder.add(["hon", "o"], ["a", "book"], [1, 0, 0, 1], ["N", "P"], None, tree)
    builder.add(["o"], ["x"], [], ["P"])
    corpus = builder.finish()
    save_corpus(corpus, ["one sentence without a tree"], tmp_path)
    again, remarks = load_corpus(tmp_path)
    assert remarks == ["one sentence without a tree"]
    for one, other in ((corpus.source, again.source), (corpus.target, again.target)):
        assert vars(one).keys() == vars(other).keys()
        for name, part in vars(one).items():
            if isinstance(part, Ragged):
                np.testing.assert_array_equal(part.values, vars(other)[name].values, strict=True)
                np.testing.assert_array_equal(part.offsets, vars(other)[name].offsets, strict=True)
            else:
                assert part == vars(other)[name]
    np.testing.assert_array_equal(corpus.links.values, again.links.values, strict=True)
    assert again.source.sentence(0).tags == ("N", "P")
    again.source.words.values[0] = 99  # compiled code takes only arrays that can be written to
    assert load_corpus(tmp_path)[0].source.words.values[0] == corpus.source.words.values[0]
