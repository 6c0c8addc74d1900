"""Small random corpora for phrase tests."""

from hypothesis import strategies as st

from hyperbaton.corpus.corpora.builder import CorpusBuilder


def corpus_of(examples):
    builder = CorpusBuilder()
    for source, target, links in examples:
        builder.add(source, target, [position for link in links for position in link])
    return builder.finish()


@st.composite
def small_pairs(draw, words="abc"):
    """A sentence pair of up to six words over a tiny alphabet, so that phrases repeat."""
    source = draw(st.lists(st.sampled_from(words), min_size=1, max_size=6))
    target = draw(st.lists(st.sampled_from(words.upper()), min_size=1, max_size=6))
    link = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return source, target, draw(st.lists(link, max_size=7))


# The last pair makes sure that there is something to extract
small_corpora = st.lists(small_pairs(), max_size=6).map(
    lambda corpus: [*corpus, (["a"], ["A"], [(0, 0)])]
)
