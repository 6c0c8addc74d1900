import numpy as np

from hyperbaton.corpus.corpora.builder import CorpusBuilder
from hyperbaton.corpus.trees.brackets import parse_brackets


def small_corpus():
    builder = CorpusBuilder(source_tags=True, target_tags=True, trees=True)
    tree = parse_brackets("(S (N a) (V b))").tree
    builder.add(["a", "b"], ["x"], [1, 0, 0, 0], ["N", "V"], ["X"], tree)
    builder.add(["c"], ["y", "z"], [], ["N"], ["Y", "Z"])
    builder.add(["b", "a"], ["x"], [0, 0], ["V", "N"], ["X"], tree)
    return builder.finish()


def test_taking_pairs_takes_every_layer():
    whole = small_corpus()
    part = whole.take(np.array([2, 0]))
    assert len(part) == 2
    for new, old in enumerate((2, 0)):
        before, after = whole.source.sentence(old), part.source.sentence(new)
        assert (after.words, after.tags) == (before.words, before.tags)
        assert after.tree.labels == before.tree.labels
        assert part.target.sentence(new).tags == whole.target.sentence(old).tags
        assert part.links[new].tolist() == whole.links[old].tolist()
    assert part.source.vocabulary is whole.source.vocabulary


def test_a_sentence_without_a_tree_has_none():
    assert small_corpus().source.sentence(1).tree is None
    assert small_corpus().source.sentence(1).layers == {"tags"}
