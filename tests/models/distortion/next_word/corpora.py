"""Small random corpora with tags, for the models of the next word.

Every corpus holds the hard cases by construction; `hard_cases` counts them.
"""

from collections import Counter

import numpy as np
from hypothesis import strategies as st

from hyperbaton.corpus.corpora.builder import CorpusBuilder
from hyperbaton.models.distortion.next_word.symbols import SymbolCoder

LABELS = {"C": 0, "I": 1}


@st.composite
def tagged_pairs(draw, max_words=6):
    source = draw(st.lists(st.sampled_from("abcd"), min_size=1, max_size=max_words))
    target = draw(st.lists(st.sampled_from("ABC"), min_size=1, max_size=max_words))
    tags = [draw(st.sampled_from("NV")) for _ in source]
    link = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return source, target, draw(st.lists(link, min_size=1, max_size=7)), tags


# docs/understand/next-word.md: "not" is linked to "ne" and "pas", so it is the current place twice
NE_PAS = (
    ["he", "does", "not", "come", "here"],
    ["il", "ne", "vient", "pas", "ici"],
    [(0, 0), (2, 1), (3, 2), (2, 3), (4, 4)],
    list("NVNVN"),
)
HARD = [
    NE_PAS,
    # one target word with two source words, and one current place for three events
    (list("abcd"), list("ABABA"), [(1, 0), (3, 1), (1, 2), (0, 3), (2, 3), (1, 4)], list("NVNV")),
    (list("ab"), list("AB"), [], list("NN")),  # no links
    (list("aaaa"), list("AB"), [(2, 0), (0, 1)], list("NNNN")),  # candidates that are alike
]
tagged_corpora = st.lists(tagged_pairs(), min_size=1, max_size=4).map(lambda own: [*own, *HARD])


def hard_cases(examples, events):
    """How often each hard case occurs in a corpus with these events."""
    counts = Counter(
        several_links=sum(
            len(links) > len({source for source, _ in links}) for _, _, links, _ in examples
        ),
        no_links=sum(not links for _, _, links, _ in examples),
        ties=sum(
            len(source) > len(set(zip(source, tags, strict=True)))
            for source, _, _, tags in examples
        ),
    )
    for number in range(events.n_sentences):
        current = events.current[events.offsets[number] : events.offsets[number + 1]]
        counts["current_twice"] += len(current) - len(np.unique(current))
    return counts


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
