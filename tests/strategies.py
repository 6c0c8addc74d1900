"""Random inputs for property tests."""

from hypothesis import settings
from hypothesis import strategies as st

from hyperbaton.foundation.files.vocabulary import RESERVED
from tests.oracles import Nested


def examples(share: float) -> settings:
    """For a property whose examples are costly (below 1), or whose rare cases need many (above):
    this share of what the profile asks for."""
    return settings(max_examples=round(share * settings.default.max_examples))


def words_from(lowest: int) -> st.SearchStrategy[str]:
    """Words of letters with this code or a higher one."""
    letters = st.characters(
        codec="utf-8", min_codepoint=lowest, exclude_characters=" \t\r\n|()\ufeff"
    )
    return st.text(letters, min_size=1, max_size=6).filter(
        lambda word: word not in RESERVED and not word.startswith("-")
    )


words = words_from(0)
sentences = st.lists(words, min_size=1, max_size=8)
printable_sentences = st.lists(words_from(ord(" ")), min_size=1, max_size=8)


@st.composite
def pairs(
    draw: st.DrawFn, sentences: st.SearchStrategy[list[str]] = sentences
) -> tuple[list[str], list[str], list[tuple[int, int]]]:
    """A source and a target sentence with links between them."""
    source, target = draw(sentences), draw(sentences)
    link = st.tuples(st.integers(0, len(source) - 1), st.integers(0, len(target) - 1))
    return source, target, draw(st.lists(link, max_size=12))


labels = st.sampled_from(["S", "NP", "VP", "PP", "NP-SBJ"])
tags = st.sampled_from(["N", "V", "P", "-LRB-"])
nested_trees: st.SearchStrategy[Nested] = st.recursive(
    st.tuples(tags, words),
    lambda inner: st.tuples(labels, st.lists(inner, min_size=1, max_size=4)),
    max_leaves=10,
)


@st.composite
def heads(draw: st.DrawFn) -> list[int]:
    """The heads of a random dependency tree, projective or not, with one root or more."""
    n = draw(st.integers(1, 9))
    order = draw(st.permutations(range(n)))
    result = [-1] * n
    for rank in range(1, n):
        result[order[rank]] = draw(st.sampled_from([-1, *order[:rank], *order[:rank]]))
    return result


def garbage(alphabet: bytes) -> st.SearchStrategy[bytes]:
    """Bytes: anything at all, or shreds of the format that the alphabet belongs to."""
    shreds = st.lists(st.sampled_from([alphabet[i : i + 1] for i in range(len(alphabet))]))
    return st.one_of(st.binary(max_size=60), shreds.map(b"".join))
