"""Explains a derivation: the contribution of every step, by feature, and the alternatives.

The score of a derivation is Σ value · weight over its steps, its features, and the end of the
sentence. This module splits the sum into plain values, for `hyperbaton explain`, pictures and
reports. At each step, the best option of every other possible span is scored from the same
hypothesis:

    total = score so far + score of the step + future estimate

The search compares hypotheses by this total, but only those with the same number of covered words.
Later steps matter too, so a derivation need not have the best total at every step. Steps that the
search did not try because of its limits are scored as well.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hyperbaton.corpus.sentences.markup import Span
from hyperbaton.decoder.candidates import Candidates, Walk
from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.drawing.derivation_layout import Derivation
from hyperbaton.decoder.features import (
    LM_FEATURE,
    TRANSLATION_FEATURES,
    UNKNOWN,
    dense_features,
)
from hyperbaton.decoder.phrase_decoded import of_stack_search
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.errors import DataError
from hyperbaton.models.distortion.interface import DistortionModel
from hyperbaton.models.language_model.speaking import SpeakingModel
from hyperbaton.models.system.folder import GLUE

N_ALTERNATIVES = 5


@dataclass(frozen=True)
class Part:
    """A group of features: the scores of the phrase table, or those of one model."""

    name: str
    first: int  # number of its first feature
    last: int  # one past the last
    is_distortion: bool

    @property
    def is_unknown(self) -> bool:
        """Whether it is the penalty for unknown words, which no option can avoid."""
        return self.name == UNKNOWN and not self.is_distortion

    def sum(self, contributions: FloatArray) -> float:
        return float(contributions[self.first : self.last].sum())


@dataclass(frozen=True)
class Alternative:
    """A possible option at a step; the chosen one is included."""

    source: Span
    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    jump: int
    is_unknown: bool
    is_chosen: bool
    part_scores: tuple[float, ...]  # weighted score of each part, including the sentence's end
    future: float  # estimate for the remaining words
    total: float  # score so far + score of the step + future

    @property
    def score(self) -> float:
        """The score of the step."""
        return sum(self.part_scores)


@dataclass(frozen=True)
class Step:
    source: Span
    target: Span
    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    is_unknown: bool
    jump: int  # start − end of the phrase before; the first phrase jumps from 0
    covered: tuple[bool, ...]  # source words after the step
    values: tuple[float, ...]  # of each feature
    word_scores: tuple[float, ...]  # log p of each target word, by the first language model
    score: float  # of the derivation up to here
    alternatives: tuple[Alternative, ...]  # best total first, including the chosen option
    # what distortion models score, with log probabilities, by part; only models that list it
    events: Mapping[str, tuple[tuple[str, float], ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Explanation:
    """One derivation of one sentence, as plain values."""

    source_words: tuple[str, ...]
    target_words: tuple[str, ...]
    feature_names: tuple[str, ...]
    weights: tuple[float, ...]
    parts: tuple[Part, ...]
    steps: tuple[Step, ...]
    end_values: tuple[float, ...]  # of each feature, for ending the sentence
    links: tuple[tuple[int, int], ...]  # word alignment
    score: float  # the decoder's

    @property
    def derivation(self) -> Derivation:
        spans = [(*step.source, *step.target) for step in self.steps]
        unknown = [number for number, step in enumerate(self.steps) if step.is_unknown]
        return Derivation(self.source_words, self.target_words, spans, self.links, unknown)

    @property
    def end_word_score(self) -> float:
        """log p of </s>."""
        return self.end_values[LM_FEATURE]

    @cached_property
    def values(self) -> FloatArray:
        """(steps + 1, features), the end of the sentence last."""
        return np.array([*(step.values for step in self.steps), self.end_values])

    @property
    def contributions(self) -> FloatArray:
        """Value · weight, (steps + 1, features)."""
        contributions: FloatArray = self.values * np.array(self.weights)
        return contributions

    @property
    def part_scores(self) -> FloatArray:
        """The total score of each part, (parts,)."""
        total = self.contributions.sum(axis=0)
        return np.array([part.sum(total) for part in self.parts])

    @property
    def shares(self) -> FloatArray:
        """Each part's share of the sum of absolute part scores, (parts,); they sum to 1. The
        penalty for unknown words would dominate, so its share is 0."""
        counts = np.array([not part.is_unknown for part in self.parts])
        sizes: FloatArray = np.abs(self.part_scores) * counts
        return sizes / (sizes.sum() or 1.0)


def explain(
    translator: Translator,
    decoded: Decoded,
    number: int = 0,
    n_alternatives: int = N_ALTERNATIVES,
) -> Explanation:
    """Explains one of the derivations that `translator` has found for a sentence."""
    check_explainable(decoded)
    decoded = of_stack_search(decoded, "steps")
    weights = np.array([translator.weights[name] for name in decoded.feature_names])
    parts = tuple(parts_of(translator.lm, translator.distortion))
    models = [part.name for part in parts if part.is_distortion]
    walk = Walk(decoded, weights, translator.settings.distortion_limit)
    steps: list[Step] = []
    end_values = np.zeros(len(weights))
    words = tuple(decoded.words(number))
    taken = zip(decoded.chosen[number].tolist(), decoded.spans(number), strict=True)
    for option, (start, end, target_start, target_end) in taken:
        jump = start - walk.previous_end
        candidates = walk.candidates(option)
        row = int(np.searchsorted(candidates.option, option))
        alternatives = tuple(_alternatives(walk, candidates, row, n_alternatives, parts))
        events = dict(zip(models, map(tuple, walk.events(option)), strict=True))
        word_scores = walk.take(candidates, row)
        end_values = candidates.end_values[row]
        steps.append(
            Step(
                (start, end),
                (target_start, target_end),
                decoded.sentence.words[start:end],
                words[target_start:target_end],
                bool(decoded.options.table.is_unknown[option]),
                jump,
                tuple(walk.covered.tolist()),
                tuple(candidates.values[row].tolist()),
                tuple(word_scores.tolist()),
                walk.score,
                alternatives,
                {model: listed for model, listed in events.items() if listed},
            )
        )
    return Explanation(
        decoded.sentence.words,
        words,
        decoded.feature_names,
        tuple(weights.tolist()),
        parts,
        tuple(steps),
        tuple(end_values.tolist()),
        tuple(decoded.links(number)),
        float(decoded.scores[number]),
    )


def check_explainable(decoded: Decoded) -> None:
    """Raises unless there is a derivation in one piece."""
    if not len(decoded.sentence):
        raise DataError("an empty sentence has no derivation to explain")
    if n_breaks := len(decoded.sentence.breaks):
        raise DataError(
            f"this line has {n_breaks + 1} sentences, which are translated one by one",
            advice="explain one of them",
        )
    if decoded.n_pieces > 1:
        raise DataError(
            f"a sentence of {len(decoded.sentence)} words was translated in pieces",
            advice="explain its parts, or raise search.max_length",
        )


def parts_of(
    lm: SpeakingModel, distortion: Sequence[DistortionModel], *, has_rules: bool = False
) -> Iterator[Part]:
    """Yields all parts of the score, in the order of the features."""
    n_translation = len(TRANSLATION_FEATURES)
    dense = (*dense_features(lm), *((GLUE,) if has_rules else ()))
    yield Part("translation", 0, n_translation, False)
    for number in range(n_translation, len(dense)):
        yield Part(dense[number], number, number + 1, False)
    names = [model.name for model in distortion]
    first = len(dense)
    for model in distortion:
        after = first + len(model.feature_names)
        # two models of the same kind have different feature names
        unique = names.count(model.name) == 1
        title = model.name if unique else model.feature_names[0].rpartition(".")[0]
        yield Part(title or model.name, first, after, True)
        first = after


def _alternatives(
    walk: Walk, candidates: Candidates, chosen: int, n: int, parts: tuple[Part, ...]
) -> Iterator[Alternative]:
    """The chosen option and the best options of the n best other spans, best total first."""
    decoded, table = walk.decoded, walk.decoded.options.table
    contributions = (candidates.values + candidates.end_values) * walk.weights  # (B, F)
    totals = walk.score + contributions.sum(axis=1) + candidates.future
    start, end = table.start[candidates.option], table.end[candidates.option]
    order = np.lexsort((candidates.option, -totals))
    spans = np.stack([start, end], axis=1)
    first_of_span = np.sort(np.unique(spans[order], axis=0, return_index=True)[1])
    is_chosen_span = (spans[order] == spans[chosen]).all(axis=1)[first_of_span]
    others = order[first_of_span[~is_chosen_span]][:n]
    better = order[first_of_span[is_chosen_span]]  # best of the chosen span, perhaps the chosen one
    shown = {*others.tolist(), *better[: min(n, 1)].tolist(), chosen}
    for row in sorted(shown, key=lambda row: (-totals[row], row)):
        option = int(candidates.option[row])
        span = int(start[row]), int(end[row])
        yield Alternative(
            span,
            decoded.sentence.words[span[0] : span[1]],
            tuple(decoded.phrase(option)),
            span[0] - walk.previous_end,
            bool(table.is_unknown[option]),
            row == chosen,
            tuple(part.sum(contributions[row]) for part in parts),
            float(candidates.future[row]),
            float(totals[row]),
        )
