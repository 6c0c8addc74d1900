"""Small random grammars, and all their derivations by recursion."""

from itertools import product

import numpy as np

from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.models.language_model import LanguageModel, estimate
from hyperbaton.models.phrases.entries import SCORES
from hyperbaton.models.phrases.sections import EntrySide, assemble
from hyperbaton.models.rules.settings import GAP, MOST_SYMBOLS
from hyperbaton.models.rules.table import RuleTable
from hyperbaton.models.system.folder import starting_weights

SOURCE, TARGET = "abc", "ABC"


def table_of(rules):
    """A table of rules: (source, target, links, four probabilities)."""
    vocabularies = Vocabulary(SOURCE), Vocabulary(TARGET)
    sides = [
        [
            [GAP + int(s) - 1 if s in ("1", "2") else GAP if s == "X" else v._ids[s] for s in side]
            for side in dict.fromkeys(rule[k] for rule in rules)
        ]
        for k, v in enumerate(vocabularies)
    ]
    rows = [
        {side: row for row, side in enumerate(dict.fromkeys(rule[k] for rule in rules))}
        for k in range(2)
    ]
    inner = [sum(1 << (MOST_SYMBOLS * e + f) for f, e in rule[2]) for rule in rules]
    numbers = np.array([[rows[k][rule[k]] for k in range(2)] for rule in rules], np.int32)
    folder = assemble(
        *(EntrySide(vocabularies[k], ragged(sides[k]), numbers[:, k]) for k in range(2)),
        np.array([rule[3] for rule in rules]).T,
        np.array(inner, np.uint64),
        np.ones((3, len(rules))),
        np.empty((len(rules), 0)),
    )
    return RuleTable.of(folder.gathered())


def ragged(rows):
    return Ragged(
        np.array([value for row in rows for value in row], np.int32),
        np.cumsum([0, *map(len, rows)]),
    )


def random_rules(random, n):
    """Distinct rules of at most three source words; some words have none."""
    rules = {}
    while len(rules) < n:
        source = list(random.choice(list(SOURCE), random.integers(1, 4)))
        n_gaps = int(random.integers(0, 3))
        places = [0, *range(1, len(source)), len(source)]
        for place in sorted(random.choice(places, min(n_gaps, len(places)), False), reverse=True):
            source.insert(place, "X")
        source = tuple(map(str, source))
        n_gaps = source.count("X")
        if len(source) > 5 or n_gaps > 2:
            continue
        target = [*map(str, range(1, n_gaps + 1)), *random.choice(list(TARGET), 2)]
        target = target[: n_gaps + int(random.integers(0 if n_gaps else 1, 3))]
        random.shuffle(target)
        words = [f for f, s in enumerate(source) if s != "X"]
        links = {
            (int(random.choice(words)), e)
            for e, s in enumerate(target)
            if s not in ("1", "2") and random.random() < 0.8
        }
        probabilities = random.uniform(0.05, 0.95, 4).round(3).tolist()
        rules.setdefault((source, tuple(map(str, target))), (links, probabilities))
    return [(source, target, *values) for (source, target), values in rules.items()]


def random_language_model(random, order=3):
    texts = [list(random.choice(list(TARGET), random.integers(1, 6))) for _ in range(6)]
    vocabulary = Vocabulary()
    rows = [vocabulary.extend(map(str, text)) for text in texts]
    return LanguageModel.from_ngrams(estimate(ragged(rows), vocabulary, order))


def random_weights(random):
    names = [*starting_weights(()), "glue"]
    return {name: round(float(random.uniform(-1, 1)), 2) for name in names} | {"unknown": 1.0}


def matches(source, words, start, end):
    """The gaps' spans for each way in which a source side covers start:end."""
    if not source:
        return [[]] if start == end else []
    if source[0] != "X":
        fits = start < end and words[start] == source[0]
        return matches(source[1:], words, start + 1, end) if fits else []
    return [
        [(start, cut), *rest]
        for cut in range(start + 1, end + 1)
        for rest in matches(source[1:], words, cut, end)
    ]


def derivations(rules, words, longest):
    """All derivations: feature values without language model, target words and links."""
    names = [*(f"translation.{name}" for name in SCORES), "phrase_penalty", "word_penalty"]
    memo = {}

    def added(*parts):
        return {name: sum(part.get(name, 0.0) for part in parts) for part in parts for name in part}

    def of_span(start, end):
        if (start, end) in memo:
            return memo[start, end]
        found = []
        if end - start <= longest:
            for source, target, links, probabilities in rules:
                for gaps in matches(source, words, start, end):
                    n_words = sum(s not in ("1", "2") for s in target)
                    values = [*np.log(probabilities), 1.0, -n_words]
                    own = dict(zip(names, map(float, values), strict=True))
                    starts = dict(gaps)
                    places, at = [], start
                    for symbol in source:
                        places.append(at)
                        at = starts[at] if symbol == "X" else at + 1
                    for inside in product(*(of_span(*gap) for gap in gaps)):
                        text, linked = [], []
                        for e, symbol in enumerate(target):
                            if symbol in ("1", "2"):
                                part = inside[int(symbol) - 1]
                                linked += [(f, b + len(text)) for f, b in part[2]]
                                text += part[1]
                            else:
                                linked += [(places[f], len(text)) for f, b in links if b == e]
                                text.append(symbol)
                        found.append((added(own, *(p[0] for p in inside)), text, linked))
            if end == start + 1 and not any(rule[0] == (words[start],) for rule in rules):
                own = {"unknown": -100.0, "phrase_penalty": 1.0, "word_penalty": -1.0}
                found.append((own, [start], [(start, 0)]))
        memo[start, end] = found
        return found

    def chain(end):
        if end == 0:
            return [({"glue": -1.0}, [], [])]
        return [
            (
                added(before[0], last[0], {"glue": 1.0}),
                before[1] + last[1],
                before[2] + [(f, e + len(before[1])) for f, e in last[2]],
            )
            for cut in range(end)
            for last in of_span(cut, end)
            for before in chain(cut)
        ]

    return chain(len(words))


def spelled(text, words):
    """A target text with its copied words."""
    return [words[word] if isinstance(word, int) else word for word in text]


def in_model(text):
    return ["<unk>" if isinstance(word, int) else word for word in text]
