"""Decoding by trying everything: all derivations of a short sentence, each scored from scratch."""

from functools import cache
from itertools import pairwise
from math import log

import numpy as np
from hypothesis import assume, reject

from hyperbaton.decoder.options import EARLY_GAIN
from hyperbaton.models.distortion.linear import LinearScorer
from hyperbaton.models.language_model.automaton import context_gains
from hyperbaton.models.phrases.moses_tables import source_texts, target_texts
from hyperbaton.models.phrases.reordering import CLASSES, ReorderingType
from hyperbaton.models.phrases.settings import GRID

ORIENTATION_NAMES = ("monotone", "swap", "right", "left")
# Most systems have a handful; what is drawn depends on the modules that are loaded, and now and
# then a system has millions
MOST_DERIVATIONS = 5_000


def entries_by_source(table):
    """For each source phrase its entries: (number, target words)."""
    entries = {}
    texts = zip(source_texts(table), target_texts(table), strict=True)
    for number, (source, target) in enumerate(texts):
        entries.setdefault(tuple(source.split()), []).append((number, target.split()))
    return entries


def options_of(words, table, lm, weights, limit):
    """All options: (start, end, entry or None, target words), the best few of each phrase."""
    entries = entries_by_source(table)
    options = []
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + GRID) + 1):
            found = entries.get(tuple(words[start:end]), [])

            def total(item):
                number, target = item
                score = sum(
                    weights[f"translation.{name}"] * float(table.scores_of(number)[column])
                    for column, name in enumerate(
                        ("inverse_phrase", "inverse_lexical", "direct_phrase", "direct_lexical")
                    )
                )
                score -= weights["word_penalty"] * len(target)
                return score + weights["lm"] * alone(lm, target)

            best = sorted(found, key=total, reverse=True)
            for one, other in pairwise(best[limit - 1 : limit + 1]):
                if total(one) - total(other) < 1e-9:  # unless all is equal, rounding decides
                    assume(table.scores_of(one[0]).tolist() == table.scores_of(other[0]).tolist())
                    assume(len(one[1]) == len(other[1]))
            options += [(start, end, number, target) for number, target in best[:limit]]
            if end == start + 1 and not found:
                options.append((start, end, None, [words[start]]))
    return options


def derivations(n_words, options, distortion_limit):
    """Every order of options that covers the sentence and obeys the distortion limit."""
    limit = n_words if distortion_limit < 0 else distortion_limit

    def extend(covered, previous_end, path):
        if len(covered) == n_words:
            yield path
            return
        gap = min(set(range(n_words)) - covered)
        for option in options:
            start, end = option[:2]
            if covered & set(range(start, end)) or abs(start - previous_end) > limit:
                continue
            if start != gap and abs(end - gap) > limit:
                continue
            yield from extend(covered | set(range(start, end)), end, [*path, option])

    for number, path in enumerate(extend(frozenset(), 0, [])):
        if number == MOST_DERIVATIONS:
            reject()
        yield path


def orientation(previous, start, end):
    """Of the move from a span (None at the beginning) to another."""
    before, after = (-1, 0) if previous is None else previous
    if start == after:
        return "monotone"
    if end == before:
        return "swap"
    return "right" if start >= after else "left"


def features(path, table, lm, reordering_type):
    """All feature values of one derivation, by name. An entry may be None, of an unknown word, or
    the probability of a translation that was given."""
    values = dict.fromkeys(
        [f"translation.{name}" for name in
         ("inverse_phrase", "inverse_lexical", "direct_phrase", "direct_lexical")], 0.0
    )  # fmt: skip
    values |= {"phrase_penalty": 0.0, "word_penalty": 0.0, "unknown": 0.0, "linear": 0.0}
    columns = []
    if reordering_type:
        kind = ReorderingType.parse(reordering_type)
        columns = list(kind.columns)
        values |= {f"{kind.classes}.{direction}.{name}": 0.0 for direction, name in columns}
    text, previous, previous_entry = [], None, None
    for start, end, entry, target in path:
        if entry is None:
            values["unknown"] -= 100.0
        elif isinstance(entry, float):
            for name in list(values)[:4]:
                values[name] += log(entry) / 4
        else:
            for column, name in enumerate(list(values)[:4]):
                values[name] += float(table.scores_of(entry)[column])
        values["phrase_penalty"] += 1
        values["word_penalty"] -= len(target)
        values["linear"] -= abs(start - (previous[1] if previous else 0))
        move = ORIENTATION_NAMES.index(orientation(previous, start, end))
        for column, (direction, name) in enumerate(columns):
            asked = entry if direction == "backward" else previous_entry
            if isinstance(asked, int) and move in CLASSES[kind.classes][name]:
                values[f"{kind.classes}.{direction}.{name}"] += table.reordering_of(asked)[column]
        text += target
        previous, previous_entry = (start, end), entry
    values["lm"] = lm.score([word if word in lm.vocabulary else "<unk>" for word in text])
    return values, text


def estimates(n_words, options, table, lm, weights):
    """What the search expects of the rest, given which words are covered and where the last phrase
    ends: of each gap the best way to cut it up, and a share of linear distortion on the way from
    gap to gap."""

    def score_of(option):
        values = features([option], table, lm, "")[0]
        values["lm"] = alone(lm, known(lm, option[3]), gains=option[2] is not None)
        values["linear"] = 0.0
        return sum(weights[name] * value for name, value in values.items())

    best = {}
    for option in options:
        best[option[:2]] = max(best.get(option[:2], -np.inf), score_of(option))

    @cache
    def gap(start, end):
        if start == end:
            return 0.0
        return max(
            best.get((start, cut), -np.inf) + gap(cut, end) for cut in range(start + 1, end + 1)
        )

    def jump(end, start):
        costs = [-weights["linear"] * abs(start - place) for place in range(n_words + 1)]
        return LinearScorer.jump_share * (costs[end] - max(costs))

    def left_over(covered, end):
        total = 0.0
        for start in range(n_words):
            if start not in covered and (start == 0 or start - 1 in covered):
                after = next(p for p in range(start, n_words + 1) if p in covered or p == n_words)
                total += gap(start, after) + jump(end, start)
                end = after
        return total

    return left_over


def alone(lm, words, gains=True):
    """log p of a phrase's words without context, with the share of the first word's gain."""
    first = lm.encode(words[:1]) if gains else []
    gained = EARLY_GAIN * sum(context_gains(lm.automaton)[first])
    return lm.score(words, begin=False, end=False) + gained


def known(lm, words):
    return [word if word in lm.vocabulary else "<unk>" for word in words]


def everything(system, limit=-1, change=lambda options: options):
    """All derivations: score, text, and the spans in order; of options that may be changed."""
    table, lm, kind, weights, words = system
    found = []
    options = change(options_of(words, table, lm, weights, 64))
    for path in derivations(len(words), options, limit):
        values, text = features(path, table, lm, kind)
        score = sum(weights[name] * value for name, value in values.items())
        found.append((score, text, [option[:2] for option in path]))
    return found
