"""Small random corpora with tags, for the models of the next word."""

from hypothesis import strategies as st

from models.data.corpus_builder import CorpusBuilder
from models.distortion.next_word.symbols import SymbolCoder

LABELS = {"C": 0, "I": 1}


@st.composite
def tagged_pairs(draw, max_words=6):
    source = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=max_words))
    target = draw(st.lists(st.sampled_from("ABC"), min_size=1, max_size=max_words))
    tags = [draw(st.sampled_from("NV")) for _ in source]
    link = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return source, target, draw(st.lists(link, min_size=1, max_size=7)), tags


tagged_corpora = st.lists(tagged_pairs(), min_size=1, max_size=4)


def tagged_corpus(examples):
    builder = CorpusBuilder(source_tags=True)
    for source, target, links, tags in examples:
        builder.add(source, target, [place for link in links for place in link], tags)
    return builder.finish()


def sentences_of(corpus, events):
    """(words, tags, events) of each sentence, as the oracles want them."""
    symbols = SymbolCoder.of(corpus).corpus(corpus)
    moves = list(zip(events.current.tolist(), events.next.tolist(), strict=True))
    for number in range(events.n_sentences):
        words = slice(*events.word_offsets[number : number + 2])
        yield (
            symbols.words[words].tolist(),
            symbols.tags[words].tolist(),
            moves[slice(*events.offsets[number : number + 2])],
        )
