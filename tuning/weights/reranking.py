"""Learns weights for the features of n-best lists from references, and reranks the lists.

The lists are the pool, which never grows, so nothing is decoded. Initially the score has weight 1
and all other features 0, which is the original order. As in tuning a system, new weights must score
better, also on unseen sentences, or the original order is kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import tomli_w

from hyperbaton.corpus.raw_text.both_sides import TextPipelines
from hyperbaton.foundation.arrays import FloatArray
from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.foundation.files.writing import open_to_write
from hyperbaton.foundation.progress import SILENT, Reporter
from hyperbaton.tuning.evaluation.nbest_lists import SCORE, FeatureLists, NBestEntry
from hyperbaton.tuning.evaluation.oracle_bleu import climb
from hyperbaton.tuning.evaluation.references import look_raw
from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.words import TextOptions
from hyperbaton.tuning.optimisers.line_search import LEAST_GAIN
from hyperbaton.tuning.optimisers.objective import Objective, make_objective
from hyperbaton.tuning.optimisers.pool import Pool
from hyperbaton.tuning.weights.held_out import (
    N_PARTS,
    WeightChange,
    check_pool,
    judge_unseen,
    learned,
)
from hyperbaton.tuning.weights.sections import read_toml
from hyperbaton.tuning.weights.settings import TuneSettings
from hyperbaton.tuning.weights.vector import WeightVector, make_weight_vector

FORMAT = 1
WHOLE = N_PARTS  # seeds learning from all sentences; smaller numbers seed the parts


@dataclass(frozen=True, eq=False)
class RerankingTask:
    lists: FeatureLists
    references: Sequence[Sequence[str]]  # for every sentence, whether it has a list or not
    sources: Sequence[str] | None = None
    settings: TuneSettings = TuneSettings()
    threads: int = 1
    reporter: Reporter = SILENT

    @cached_property
    def objective(self) -> Objective:
        options = TextOptions(self.settings.tokenize, self.settings.lowercase)
        return make_objective(self.settings.metric, self.references, options)

    @cached_property
    def vector(self) -> WeightVector:
        return make_weight_vector(self.lists.names, self.initial)

    @property
    def initial(self) -> dict[str, float]:
        return dict.fromkeys(self.lists.names, 0.0) | {SCORE: 1.0}

    @cached_property
    def sizes(self) -> FloatArray:
        """Words of every source sentence, or of its reference without a source."""
        texts = self.sources or [references[0] for references in self.references]
        counts = [len(texts[sentence].split()) for sentence in self.lists.sentences]
        return np.array(counts, np.float64)

    def pool(self) -> Pool:
        if self.objective.needs_visits:
            raise SettingError(
                f"{self.objective.name} needs word alignments, which n-best lists do not have",
                advice="choose another metric",
            )
        lists = self.lists
        texts = [entry.text for entry in lists.entries]
        references = [self.references[entry.sentence] for entry in lists.entries]
        statistics = self.objective.statistics(Outputs(texts, references))
        keys = np.arange(len(texts)).astype(np.uint64)
        return Pool(lists.values, statistics, keys, lists.offsets)


@dataclass(frozen=True)
class Reranking:
    """Learned weights, and scores of the lists."""

    weights: dict[str, float]
    metric: str
    before: float  # in the original order
    after: float
    oracle: float  # of the best translations in the lists


def references_for(
    lists: FeatureLists,
    references: Sequence[Sequence[str]],
    text: TextPipelines | None,
    where: str,
) -> Sequence[Sequence[str]]:
    """Tokenises the references like the lists, and checks that each sentence has one."""
    if text is not None:
        text.load()
        references = text.tokenised(references)
    check_same_text(lists, references)
    lists.check_sentences(len(references), where)
    return references


def learn(task: RerankingTask) -> Reranking:
    pool, vector, objective = task.pool(), task.vector, task.objective
    check_pool(task, pool)
    before = vector.normalise(vector.vector(task.initial))
    task.reporter.progress(f"{task.settings.method} on hypotheses", len(pool))
    weights = learned(task, pool, task.sizes, before, task.settings.most_rounds, WHOLE)
    weights = weights if _is_gain(task, pool, before, weights) else before
    best = climb(objective, pool.statistics, pool.offsets[:-1], pool.offsets[1:])
    rows = pool.best_rows(before), pool.best_rows(weights), best
    sums = np.stack([pool.statistics[chosen].sum(axis=0) for chosen in rows])
    first, last, oracle = map(objective.shown, objective.score(sums).tolist())
    return Reranking(vector.by_name(weights), objective.name, first, last, oracle)


def _is_gain(task: RerankingTask, pool: Pool, before: FloatArray, weights: FloatArray) -> bool:
    """Whether new weights score better, also on unseen sentences."""
    objective, settings = task.objective, task.settings
    first, last = pool.score(objective, before), pool.score(objective, weights)
    if last <= first + LEAST_GAIN:
        return False
    judged = None
    if settings.confirm:
        change = WeightChange(before, weights, objective.shown(first), objective.shown(last))
        judged = judge_unseen(task, pool, change, settings.most_rounds)
    if judged is None:  # switched off, or too few sentences
        return True
    task.reporter.talk(judged.line(objective.name))
    return judged.is_gain


def reranked(lists: FeatureLists, weights: Mapping[str, float]) -> list[list[NBestEntry]]:
    """Sorts the lists by their scores under the weights; the entries get these scores and the added
    features. Equal scores keep their order."""
    scores = lists.values @ np.array([weights[name] for name in lists.names])
    return [
        [
            _entry(lists, begin + row, scores)
            for row in np.argsort(-scores[begin:end], kind="stable").tolist()
        ]
        for begin, end in pairwise(lists.offsets.tolist())
    ]


def best_translations(
    groups: Sequence[Sequence[NBestEntry]], text: TextPipelines | None, n_sentences: int
) -> list[str]:
    """The first translation of each list, detokenised with `text`; empty for a sentence without a
    list."""
    best = {entries[0].sentence: entries[0].text for entries in groups}
    if text is not None:
        best = {n: text.target.detokenise(tokens.split(" ")) for n, tokens in best.items()}
    return [best.get(number, "") for number in range(n_sentences)]


def _entry(lists: FeatureLists, row: int, scores: FloatArray) -> NBestEntry:
    """An entry with its new score and the added features."""
    entry, begin = lists.entries[row], len(lists.names) - lists.n_added
    added = zip(lists.names[begin:], lists.values[row, begin:].tolist(), strict=True)
    features = [entry.features, *(f"{name}= {value:.6g}" for name, value in added)]
    return entry._replace(score=float(scores[row]), features=" ".join(filter(None, features)))


def check_names(lists: FeatureLists, weights: Mapping[str, float], where: str) -> None:
    """Raises unless lists and weights have the same features."""
    missing = [name for name in weights if name not in lists.names]
    if missing:
        raise DataError(
            f"has no feature {', '.join(missing)}",
            where=lists.where,
            expected=f"{where} has weights for it",
            advice="; ".join(f"give --feature {name}=FILE" for name in missing),
        )
    others = [name for name in lists.names if name not in weights]
    if others:
        raise DataError(
            f"has no weight for {', '.join(others)}",
            where=where,
            expected=f"it has weights for {', '.join(weights)}",
            advice="learn weights from lists with the same features",
        )


def check_same_text(lists: FeatureLists, references: Sequence[Sequence[str]]) -> None:
    """Raises if one of lists and references is raw text and the other tokenised."""
    kinds = look_raw(references), look_raw([[entry.text] for entry in lists.entries])
    if kinds[0] != kinds[1]:
        raw, tokens = ("references", "lists") if kinds[0] else ("lists", "references")
        raise DataError(
            f"the {raw} look like raw text, the {tokens} like tokenised text",
            where=lists.where,
            advice="give the system that produced the lists (--system), or the same kind of text",
        )


def write_weights(path: Path, reranking: Reranking, settings: TuneSettings) -> None:
    content: dict[str, Any] = {
        "format": FORMAT,
        "weights": reranking.weights,
        "tuning": {
            "metric": reranking.metric,
            "before": reranking.before,
            "after": reranking.after,
            "oracle": reranking.oracle,
            "settings": settings.plain(),
        },
    }
    with open_to_write(path) as stream:
        tomli_w.dump(content, stream)


def read_weights(path: Path) -> dict[str, float]:
    content = read_toml(path)
    weights = content.get("weights")
    if content.get("format") != FORMAT or not isinstance(weights, dict):
        raise DataError(
            "is not a file of weights for reranking",
            where=str(path),
            expected=f"format = {FORMAT} and a table [weights]",
            advice="create one: hyperbaton rerank N-BEST --reference FILE --weights-out FILE",
        )
    for name, weight in weights.items():
        if type(weight) not in (int, float) or not np.isfinite(weight):
            raise DataError(f"weights.{name} is {weight!r}, not a number", where=str(path))
    return {name: float(weight) for name, weight in weights.items()}
