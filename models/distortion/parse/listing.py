"""Learned features for people to read: α = e^λ, as in Tables 1 and 5 of Xiang et al. 2011."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from models.arrays import BoolArray
from models.data.vocabulary import Vocabulary
from models.distortion.parse.fitting import Learned
from models.distortion.parse.inventory import (
    NOTHING,
    OTHER,
    OTHER_TAG,
    UNKNOWN_SOURCE,
    UNTAGGED,
    spell_phrases,
)
from models.distortion.parse.templates import (
    COMPONENT,
    COMPONENT_BITS,
    FARTHEST,
    G_COLUMN,
    INSIDE,
    LEFT_TAG,
    MOST_TAGS,
    N_JUMPS,
    NEAR,
    NEAR_TAG,
    PART,
    RIGHT_TAG,
    SIBLING,
    SIBLING_TAG,
    T_COLUMN,
    TAG,
    TAG_BITS,
    TEMPLATE_BITS,
    TEMPLATES,
    W_COLUMN,
    G,
    T,
    W,
)
from models.errors import SettingError, nearest

FAMILY_OF = (
    "jump", "lexical", "lexical", "lexical", "context", "context", "context", "context", "history",
    "history", "tags", "tags", "tags", "words", "words", "cov", "sib", "sib",
)  # fmt: skip
OF_TAGS = (TAG, LEFT_TAG, RIGHT_TAG, NEAR_TAG, SIBLING_TAG)  # templates that ask for the tag of s
SHOWN = {
    "jump": "jump", "lexical": "lexical", "context": "context", "history": "history",
    "tags": "tags", "words": "words", "cov": "cov", "coverage": "cov", "sib": "sib",
    "sibling": "sib",
}  # fmt: skip
NO_JUMP = -99
EMPTY_WORD, OTHER_WORDS = "e_0", "other"
ORDERS = ("count", "alpha")


@dataclass(frozen=True)
class FeatureRow:
    """One feature; what it does not ask about is empty or None."""

    count: int  # how often it fires in training
    alpha: float  # e^λ: above 1 it makes its outcome more likely
    jump: int | None
    target: str  # target words or a tag of them, e_0 for the empty translation
    source: str  # source words, or tags
    family: str
    node: str = ""  # label of the sibling or parent
    coverage: int | None = None  # 0 open, 1 covered, 2 partly
    side: int | None = None  # −1 left, 1 right
    near: str = ""  # word or tag beside it


@dataclass(frozen=True)
class Wanted:
    """Which features to list; what is None is not asked for."""

    family: str | None = None
    word: str | None = None  # source words
    tag: str | None = None  # of one source word
    node: str | None = None
    target: str | None = None  # words or a tag
    jump: int | None = None
    coverage: int | None = None
    side: int | None = None


def list_features(
    learned: Learned, wanted: Wanted, limit: int = 20, order: str = "count"
) -> tuple[list[FeatureRow], int]:
    """The features that are asked for, most frequent or most telling first, and how many match."""
    columns = _Columns(learned)
    chosen = np.flatnonzero(columns.matching(wanted))
    strength = np.abs(learned.weights[chosen]) if order == "alpha" else learned.counts[chosen]
    chosen = chosen[np.argsort(-strength, kind="stable")]
    return [columns.row(int(feature)) for feature in chosen[:limit]], len(chosen)


class _Columns:
    """The parts of all features' keys and columns, (F,) each."""

    def __init__(self, learned: Learned) -> None:
        self.learned = learned
        features = learned.features
        key = np.repeat(features.key, np.diff(features.begin))
        self.template, self.a, self.b = (
            key >> TEMPLATE_BITS,
            key >> COMPONENT_BITS & COMPONENT,
            key & COMPONENT,
        )
        part, column = PART[self.template], features.column.astype(np.int64)
        below = np.array([0, T_COLUMN, W_COLUMN, G_COLUMN])[part]
        within = column - below
        self.jump = np.where(part == T, NO_JUMP, within % N_JUMPS - FARTHEST)
        self.tag = np.where(part == G, within // N_JUMPS, -1)
        self.target = np.full(len(column), -1, np.int64)
        for kind, choice in ((T, within), (W, within // N_JUMPS)):
            rows = part == kind
            at = learned.inventory.begin[self.a[rows]] + choice[rows]
            self.target[rows] = learned.inventory.target[at]
        self.of_tag = np.isin(self.template, OF_TAGS)
        is_sibling = np.isin(self.template, (SIBLING, SIBLING_TAG))
        is_parent = self.template == INSIDE
        self.node = np.where(is_sibling, self.b >> 3, np.where(is_parent, self.b >> 1, -1))
        self.coverage = np.where(is_sibling, self.b >> 1 & 3, np.where(is_parent, self.b & 1, -1))
        is_near = np.isin(self.template, (NEAR, NEAR_TAG))
        self.side = np.where(is_sibling | is_near, 2 * (self.b & 1) - 1, 0)

    def matching(self, wanted: Wanted) -> BoolArray:
        learned = self.learned
        result = np.ones(len(self.template), bool)
        if wanted.family is not None:
            family = SHOWN.get(wanted.family)
            if family is None:
                raise SettingError(
                    f"there is no family {wanted.family!r} of features",
                    expected=nearest(wanted.family, list(SHOWN)),
                )
            result &= np.isin(self.template, [i for i, f in enumerate(FAMILY_OF) if f == family])
        if wanted.word is not None:
            words = wanted.word.split()
            ids = _known(learned.source_words, words, "source word")
            result &= ~self.of_tag & (self.template != 0)
            own = [number for number, words in self.source_phrases.items() if words == ids]
            result &= np.isin(self.a, own)
        if wanted.tag is not None:
            (tag,) = _known(learned.source_tags, [wanted.tag], "source tag")
            result &= self.of_tag & (self.a == tag)
        if wanted.node is not None:
            (node,) = _known(learned.labels, [wanted.node], "node")
            result &= self.node == node
        if wanted.target is not None:
            result &= self._has_target(wanted.target)
        for value, column in (
            (wanted.jump, self.jump),
            (wanted.coverage, self.coverage),
            (wanted.side, self.side),
        ):
            if value is not None:
                result &= column == value
        return result

    def _has_target(self, text: str) -> BoolArray:
        learned = self.learned
        if text in (EMPTY_WORD, OTHER_WORDS):
            number = NOTHING if text == EMPTY_WORD else OTHER
            found: BoolArray = (self.target == number) | (self.tag == number + 1)
            return found
        tag = int(learned.target_tags.encode([text])[0])
        if tag != UNTAGGED:
            found = self.tag == tag
            return found  # noqa: RET504
        ids = _known(learned.target_words, text.split(), "target word or tag")
        numbers = [number for number, words in self.target_phrases.items() if words == ids]
        found = np.isin(self.target, numbers)
        return found  # noqa: RET504

    @cached_property
    def target_phrases(self) -> dict[int, list[int]]:
        inventory = self.learned.inventory
        return spell_phrases(inventory.target_trie, inventory.target_of_node, OTHER)

    @cached_property
    def source_phrases(self) -> dict[int, list[int]]:
        inventory = self.learned.inventory
        return spell_phrases(inventory.source_trie, inventory.source_of_node, UNKNOWN_SOURCE)

    def row(self, feature: int) -> FeatureRow:
        learned, template = self.learned, int(self.template[feature])
        jump, coverage = int(self.jump[feature]), int(self.coverage[feature])
        node, side = int(self.node[feature]), int(self.side[feature])
        return FeatureRow(
            int(learned.counts[feature]),
            float(np.exp(learned.weights[feature])),
            None if jump == NO_JUMP else jump,
            self._target(feature),
            self._source(feature),
            FAMILY_OF[template],
            learned.labels.decode([node])[0] if node >= 0 else "",
            None if coverage < 0 else coverage,
            side or None,
            self._near(feature),
        )

    def _target(self, feature: int) -> str:
        learned, target, tag = self.learned, int(self.target[feature]), int(self.tag[feature])
        if NOTHING in (target, tag - 1):
            return EMPTY_WORD
        if target == OTHER or tag == OTHER_TAG:
            return OTHER_WORDS
        if tag >= 0:
            return "-" if tag == UNTAGGED else learned.target_tags.decode([tag])[0]
        if target < 0:
            return ""
        return " ".join(learned.target_words.decode(self.target_phrases[target]))

    def _source(self, feature: int) -> str:
        learned, a, template = self.learned, int(self.a[feature]), int(self.template[feature])
        if template == 0:
            return ""
        if self.of_tag[feature]:
            if a < MOST_TAGS:
                return learned.source_tags.decode([a])[0]
            first, last = (a >> TAG_BITS) - 1, a & (MOST_TAGS - 1)
            return "…".join(learned.source_tags.decode([first, last]))
        return " ".join(learned.source_words.decode(self.source_phrases[a]))

    def _near(self, feature: int) -> str:
        """The word or tag that stands beside the phrase, with a mark for its place."""
        name, b = TEMPLATES[int(self.template[feature])], int(self.b[feature])
        learned = self.learned
        if name in ("LEFT", "LEFT_J"):
            return f"{learned.source_words.decode([b])[0]} _"
        if name in ("RIGHT", "RIGHT_J"):
            return f"_ {learned.source_words.decode([b])[0]}"
        if name == "LEFT_TAG":
            return f"{learned.source_tags.decode([b])[0]} _"
        if name == "RIGHT_TAG":
            return f"_ {learned.source_tags.decode([b])[0]}"
        if name == "LAST":
            return f"{learned.target_words.decode([b])[0]} _"
        if name == "BEFORE_LAST":
            return f"{learned.target_words.decode([b])[0]} … _"
        if name in ("NEAR", "NEAR_TAG"):
            return "right covered" if b else "left open"
        return ""


def _known(vocabulary: Vocabulary, words: Sequence[str], what: str) -> list[int]:
    for word in words:
        if word not in vocabulary:
            close = nearest(word, list(vocabulary.words))
            raise SettingError(
                f"the model has no {what} {word!r}",
                expected=close if close.startswith("did") else "",
            )
    ids: list[int] = vocabulary.encode(words).tolist()
    return ids
