"""A small corpus with tags and trees, and a model fitted on it."""

from hyperbaton.corpus.corpora.builder import CorpusBuilder
from hyperbaton.models.distortion.parse.model import Parse
from tests.models.distortion.parse.trees import parse_tree

# a PP before the verb goes behind it; a relative clause before its noun goes behind it
PAIRS = [
    ("(IP (NP (NR wo)) (VP (PP (P gei) (NP (PN ta))) (VP (VV mai) (AS le) (NP (NN shu)))))",
     "i bought a book for him", "PRP VBD DT NN IN PRP", "0-0 1-4 2-5 3-1 5-3"),
    ("(IP (NP (NR ta)) (VP (PP (P gei) (NP (PN wo))) (VP (VV kan) (NP (NN shu)))))",
     "he read a book for me", "PRP VBD DT NN IN PRP", "0-0 1-4 2-5 3-1 4-3"),
    ("(NP (CP (IP (VP (VV mai) (NP (NN shu)))) (DEC de)) (QP (CD san)) (NP (NN ren)))",
     "three men who bought books", "CD NNS WP VBD NNS", "0-3 1-4 2-2 3-0 4-1"),
    ("(NP (CP (IP (NP (PN wo)) (VP (VV kan))) (DEC de)) (NP (NN shu)))",
     "books i read", "NNS PRP VBD", "0-1 1-2 3-0"),
    ("(IP (NP (NR ta)) (VP (VV mai) (AS le) (NP (NN shu))))",
     "he bought books", "PRP VBD NNS", "0-0 1-1 3-2"),
    ("(NP (DP (DT na) (CLP (M xie))) (NP (NN ren)))", "those men", "DT NNS", "0-0 1-0 2-1"),
]  # fmt: skip
# a word with two target words apart, two words of one target word that are apart, no links at all,
# and words that cannot be told apart
HARD = [
    ("(IP (NP (NR ta)) (VP (ADVP (AD bu)) (VP (VV mai) (NP (NN shu)))))",
     "il n' achete pas livres", "PRP RB VBZ RB NNS", "0-0 1-1 2-2 1-3 3-4"),
    ("(IP (NP (NR wo)) (VP (VV kan) (NP (NN shu)) (SP le)))", "i read books", "PRP VBD NNS",
     "0-0 1-1 3-1 2-2"),
    ("(NP (NN shu))", "hm", "UH", ""),
    ("(NP (NN shu) (NN shu) (NN shu))", "books books", "NNS NNS", "2-0 0-1"),
]  # fmt: skip


def small_corpus(repeat=3, trees=True, target_tags=True, pairs=PAIRS):
    """The pairs, so often that features are seen more than once."""
    builder = CorpusBuilder(source_tags=True, target_tags=target_tags, trees=True)
    for number in range(repeat * len(pairs)):
        brackets, target, tags, links = pairs[number % len(pairs)]
        tree, words = parse_tree(brackets)
        positions = [int(x) for link in links.split() for x in link.split("-")]
        builder.add(
            words, target.split(), positions, tree.tags, tags.split() if target_tags else None,
            tree if trees else None,
        )  # fmt: skip
    return builder.finish()


def small_model(use="me+prior+cov+sib", **settings):
    return Parse(use=use, **settings).fit(small_corpus())
