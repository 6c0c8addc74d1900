"""Lists learned features, with α = e^λ, as in Tables 1 and 5 of Xiang et al. 2011."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hyperbaton.foundation.arrays import BoolArray
from hyperbaton.foundation.errors import SettingError, nearest
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.models.distortion.parse import templates
from hyperbaton.models.distortion.parse.fitting import Learned
from hyperbaton.models.distortion.parse.inventory import (
    NOTHING,
    OTHER,
    OTHER_TAG,
    UNKNOWN_SOURCE,
    UNTAGGED,
    spell_phrases,
)

FAMILY_OF = (
    "jump", "lexical", "lexical", "lexical", "context", "context", "context", "context", "history",
    "history", "tags", "tags", "tags", "words", "words", "cov", "sib", "sib",
)  # fmt: skip
OF_TAGS = (  # templates with the tag of s
    templates.TAG, templates.LEFT_TAG, templates.RIGHT_TAG, templates.NEAR_TAG,
    templates.SIBLING_TAG,
)  # fmt: skip
SHOWN = {**{family: family for family in FAMILY_OF}, "coverage": "cov", "sibling": "sib"}
# the position of the word or tag b next to the phrase, and its vocabulary
BESIDE = {
    templates.LEFT: ("{} _", "source_words"), templates.LEFT_J: ("{} _", "source_words"),
    templates.RIGHT: ("_ {}", "source_words"), templates.RIGHT_J: ("_ {}", "source_words"),
    templates.LEFT_TAG: ("{} _", "source_tags"), templates.RIGHT_TAG: ("_ {}", "source_tags"),
    templates.LAST: ("{} _", "target_words"), templates.BEFORE_LAST: ("{} … _", "target_words"),
}  # fmt: skip
NO_JUMP = -99
EMPTY_WORD, OTHER_WORDS = "e_0", "other"
ALL_FEATURES = 1 << 60  # as the limit of a list


@dataclass(frozen=True)
class FeatureRow:
    """One feature; fields that do not apply are empty or None."""

    count: int  # in training
    alpha: float  # e^λ: above 1 it makes its outcome more likely
    jump: int | None
    target: str  # target words or a tag of them, e_0 for the empty translation
    source: str  # source words, or tags
    family: str
    node: str = ""  # label of the sibling or parent
    coverage: int | None = None  # 0 open, 1 covered, 2 partly
    side: int | None = None  # −1 left, 1 right
    near: str = ""  # neighbouring word or tag


@dataclass(frozen=True)
class Wanted:
    """The features to list; None means any."""

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
    """The matching features, most frequent or strongest first, and their number."""
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
        self.template = key >> templates.TEMPLATE_BITS
        self.a = key >> templates.COMPONENT_BITS & templates.COMPONENT
        self.b = key & templates.COMPONENT
        part = templates.PART[self.template]
        first = np.array([0, templates.T_COLUMN, templates.W_COLUMN, templates.G_COLUMN])
        within = features.column - first[part]
        jump = within % templates.N_JUMPS - templates.FARTHEST
        self.jump = np.where(part == templates.T, NO_JUMP, jump)
        self.tag = np.where(part == templates.G, within // templates.N_JUMPS, -1)
        self.target = np.full(len(part), -1, np.int64)
        for kind, choice in ((templates.T, within), (templates.W, within // templates.N_JUMPS)):
            rows = part == kind
            at = learned.inventory.begin[self.a[rows]] + choice[rows]
            self.target[rows] = learned.inventory.target[at]
        self.of_tag = np.isin(self.template, OF_TAGS)
        is_sibling = np.isin(self.template, (templates.SIBLING, templates.SIBLING_TAG))
        is_parent = self.template == templates.INSIDE
        self.node = np.where(is_sibling, self.b >> 3, np.where(is_parent, self.b >> 1, -1))
        self.coverage = np.where(is_sibling, self.b >> 1 & 3, np.where(is_parent, self.b & 1, -1))
        is_near = np.isin(self.template, (templates.NEAR, templates.NEAR_TAG))
        self.side = np.where(is_sibling | is_near, 2 * (self.b & 1) - 1, 0)

    def matching(self, wanted: Wanted) -> BoolArray:
        learned = self.learned
        result = np.ones(len(self.template), bool)
        if wanted.family is not None:
            family = SHOWN.get(wanted.family)
            if family is None:
                raise SettingError(
                    f"unknown feature family {wanted.family!r}",
                    expected=nearest(wanted.family, list(SHOWN)),
                )
            result &= np.isin(self.template, [i for i, f in enumerate(FAMILY_OF) if f == family])
        if wanted.word is not None:
            ids = _known(learned.source_words, wanted.word.split(), "source word")
            numbers = [number for number, words in self.source_phrases.items() if words == ids]
            result &= ~self.of_tag & (self.template != templates.JUMP) & np.isin(self.a, numbers)
        if wanted.tag is not None:
            (tag,) = _known(learned.source_tags, [wanted.tag], "source tag")
            result &= self.of_tag & (self.a == tag)
        if wanted.node is not None:
            (node,) = _known(learned.labels, [wanted.node], "node")
            result &= self.node == node
        if wanted.target is not None:
            result &= self._has_target(wanted.target)
        for name in ("jump", "coverage", "side"):
            if getattr(wanted, name) is not None:
                result &= getattr(self, name) == getattr(wanted, name)
        return result

    def _has_target(self, text: str) -> BoolArray:
        learned = self.learned
        tag = int(learned.target_tags.encode([text])[0])
        matches: BoolArray
        if text in (EMPTY_WORD, OTHER_WORDS):
            number = NOTHING if text == EMPTY_WORD else OTHER
            matches = (self.target == number) | (self.tag == number + 1)
        elif tag != UNTAGGED:
            matches = self.tag == tag
        else:
            ids = _known(learned.target_words, text.split(), "target word or tag")
            numbers = [number for number, words in self.target_phrases.items() if words == ids]
            matches = np.isin(self.target, numbers)
        return matches

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
        learned, a = self.learned, int(self.a[feature])
        if self.template[feature] == templates.JUMP:
            return ""
        if self.of_tag[feature]:
            if a < templates.MOST_TAGS:
                return learned.source_tags.decode([a])[0]
            first, last = (a >> templates.TAG_BITS) - 1, a & (templates.MOST_TAGS - 1)
            return "…".join(learned.source_tags.decode([first, last]))
        return " ".join(learned.source_words.decode(self.source_phrases[a]))

    def _near(self, feature: int) -> str:
        """The word or tag next to the phrase, with a mark for its position."""
        template, b = int(self.template[feature]), int(self.b[feature])
        if template in (templates.NEAR, templates.NEAR_TAG):
            return "right covered" if b else "left open"
        if template not in BESIDE:
            return ""
        text, vocabulary = BESIDE[template]
        return text.format(getattr(self.learned, vocabulary).decode([b])[0])


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
