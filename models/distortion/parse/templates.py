"""Feature templates, as packed numbers.

A feature combines a condition on the context (the source phrase s, its neighbours, the coverage)
with a part of the outcome (the target phrase t, its tag, the jump j). All features with the same
condition form a *group*, and a group is a sparse table over parts of the outcome. There are four
parts:

    J   the jump                         T   the target phrase
    W   target phrase and jump           G   tag of the target phrase, and jump

A group's key has the number of its template and two components, a and b:

    template                     a                        b                            part
    JUMP                         -                        -                            J
    lexical   WORD WORD_J        s                        -                            T, J
              WORD_TJ            s                        -                            W
    context   LEFT RIGHT         s                        source word before, after    T
              LEFT_J RIGHT_J     s                        source word before, after    J
    history   LAST BEFORE_LAST   s                        previous target words        T
    tags      TAG                tag of s                 -                            G
              LEFT_TAG RIGHT_TAG tag of s                 tag before, after            J
    words     NEAR               s                        left open or right covered   J
              NEAR_TAG           tag of s                 left open or right covered   G
    cov       INSIDE             s                        parent, anything covered?    W
    sib       SIBLING            s                        sibling, coverage, side      W
              SIBLING_TAG        tag of s                 sibling, coverage, side      G

`INSIDE` is the parse coverage feature of Xiang et al. 2011, section 5.2, the two sibling templates
are those of section 5.3, the others are those of section 3. Conditions are binary, so a group
counts once even if two siblings are alike. The tag of a phrase of several words is the pair of its
first and last tag. The words of section 3's segmentation features are our tokens.
"""

import numpy as np

from hyperbaton.foundation.errors import SettingError, nearest
from hyperbaton.foundation.kernels import inner

N_JUMPS = 11  # −5 … 5; farther jumps count as the farthest (section 3)
FARTHEST = 5
MOST_CANDIDATES = 22  # 20 translations, the empty one, and all others together
# parts of the outcome
J, T, W, G = 0, 1, 2, 3
# their first columns in a table of all parts
T_COLUMN = N_JUMPS
W_COLUMN = T_COLUMN + MOST_CANDIDATES
G_COLUMN = W_COLUMN + MOST_CANDIDATES * N_JUMPS
(
    JUMP, WORD, WORD_J, WORD_TJ, LEFT, RIGHT, LEFT_J, RIGHT_J, LAST,
    BEFORE_LAST, TAG, LEFT_TAG, RIGHT_TAG, NEAR, NEAR_TAG, INSIDE, SIBLING,
    SIBLING_TAG,
) = range(18)  # fmt: skip
PART = np.array([J, T, J, W, T, T, J, J, T, T, G, J, J, J, G, W, W, G], np.int64)
# families of features, as bits
FAMILY_NAMES = ("lexical", "context", "history", "tags", "words", "cov", "sib")
FAMILIES = {name: 1 << bit for bit, name in enumerate(FAMILY_NAMES)}
LEXICAL, CONTEXT, HISTORY, TAGS, WORDS, COV, SIB = FAMILIES.values()
# parts of the setting `use`
SHORT_USES = {"me": "count+lexical+context+tags+words"}
USE_PARTS = ("count", "prior", *FAMILIES)
TEMPLATE_BITS, COMPONENT_BITS = 57, 28
COMPONENT = (1 << COMPONENT_BITS) - 1
TAG_BITS = 13
MOST_TAGS = 1 << TAG_BITS
MOST_STATIC = 12  # largest number of keys from `static_keys`


def parse_use(text: str) -> tuple[int, str]:
    """Parses a sum such as `me+prior+cov`: the families of features, as bits, and the prior.

    >>> parse_use("lexical+cov+prior")
    (33, 'smoothed')
    """
    parts = [part for name in text.split("+") for part in SHORT_USES.get(name, name).split("+")]
    for part in parts:
        if part not in USE_PARTS:
            raise SettingError(
                f"unknown part {part!r}",
                where=f"parse.use={text}",
                expected=nearest(part, [*SHORT_USES, *USE_PARTS]),
            )
    families = sum(bit for name, bit in FAMILIES.items() if name in parts)
    if "prior" in parts:
        return families, "smoothed"
    return families, "count" if "count" in parts else "none"


@inner
def pack(template, a, b):
    return (np.int64(template) << 57) | (np.int64(a) << 28) | np.int64(b)


@inner
def phrase_tag(tags, start, end):
    """The tag of a source phrase: that of its word, or first + 1 and last in one number."""
    if end - start == 1:
        return np.int64(tags[start])
    return ((np.int64(tags[start]) + 1) << TAG_BITS) | np.int64(tags[end - 1])


@inner
def jump_index(start, previous_end):
    """The index of the jump from the last translated word to this one; monotone is the jump 1."""
    jump = start - previous_end + 1
    return min(max(jump, -FARTHEST), FARTHEST) + FARTHEST


@inner
def static_keys(families, source, words, tags, start, end, keys):
    """Writes the groups of a source phrase that do not depend on the coverage; returns their
    number.

    `words` and `tags` have one more at both ends for the edges of the sentence. `source` 0 is an
    unknown phrase, which has no lexical groups.
    """
    tag = phrase_tag(tags, start + 1, end + 1)
    keys[0] = pack(JUMP, 0, 0)
    n = 1
    if families & LEXICAL and source:
        keys[n], keys[n + 1] = pack(WORD, source, 0), pack(WORD_J, source, 0)
        keys[n + 2] = pack(WORD_TJ, source, 0)
        n += 3
    if families & CONTEXT and source:
        left, right = words[start], words[end + 1]
        keys[n], keys[n + 1] = pack(LEFT, source, left), pack(RIGHT, source, right)
        keys[n + 2], keys[n + 3] = pack(LEFT_J, source, left), pack(RIGHT_J, source, right)
        n += 4
    if families & TAGS:
        keys[n] = pack(TAG, tag, 0)
        keys[n + 1] = pack(LEFT_TAG, tag, tags[start])
        keys[n + 2] = pack(RIGHT_TAG, tag, tags[end + 1])
        n += 3
    return n


@inner
def near_keys(source, tag, side):
    return pack(NEAR, source, side), pack(NEAR_TAG, tag, side)


@inner
def inside_key(source, label, is_begun):
    return pack(INSIDE, source, (np.int64(label) << 1) | is_begun)


@inner
def sibling_keys(source, tag, label, state, side):
    b = (np.int64(label) << 3) | (np.int64(state) << 1) | side
    return pack(SIBLING, source, b), pack(SIBLING_TAG, tag, b)


@inner
def add_key(keys, n, key):
    """Appends a key unless it is present; returns the new number of keys."""
    for place in range(n):
        if keys[place] == key:
            return n
    keys[n] = key
    return n + 1


@inner
def outcome_column(part, choice, tag, jump):
    """The column of a part of an outcome: candidate number, tag of its target, index of the
    jump."""
    if part == J:
        return jump
    if part == T:
        return T_COLUMN + choice
    if part == W:
        return W_COLUMN + choice * N_JUMPS + jump
    return G_COLUMN + tag * N_JUMPS + jump
