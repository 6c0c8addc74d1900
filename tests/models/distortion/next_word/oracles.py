"""Slow, obvious twins of `models/next_word`, from the text of Goto et al. (2013)."""

from collections import Counter
from math import exp, log

PAD, BOS, EOS = 0, 1, 2


def moves(n_source, n_target, links, order):
    """Events of one pair, and for each source word the event that visits it."""
    visited, result, place = {}, [], 0
    for target in range(n_target):
        own = {s for s, t in links if t == target}
        new = sorted(own - set(visited))
        if new and order != "asc":
            result.append((place, new[0] + 1))
            visited |= dict.fromkeys(new, len(result) - 1)
            place = new[-1] + 1
        else:
            for source in new:
                result.append((place, source + 1))
                visited[source] = len(result) - 1
                place = source + 1
        if own and order == "last":
            place = max(own) + 1
    return [*result, (place, n_source + 1)], visited


def at(symbols, place):
    """The symbol at a place; None if it is unknown."""
    n = len(symbols)
    if place < 0 or place > n + 1:
        return PAD
    if place in (0, n + 1):
        return BOS if place == 0 else EOS
    return symbols[place - 1] if symbols[place - 1] >= 0 else None


def name(letter, side, offset):
    return f"{letter}[{side}{offset:+d}]" if offset else f"{letter}[{side}]"


def features(words, tags, i, j):
    """Table 1: (names, o, symbols) of all features that fire for (i, j)."""
    o = 0 if i < j else 1
    distance = abs(j - i)
    d = 0 if distance == 1 else 1 if distance <= 5 else 2
    found = [((), ()), (("d",), (d,))]
    s = {("i", k): at(words, i + k) for k in range(-2, 3)}
    s |= {("j", k): at(words, j + k) for k in range(-2, 3)}
    t = {("i", k): at(tags, i + k) for k in range(-1, 2)}
    t |= {("j", k): at(tags, j + k) for k in range(-1, 2)}
    found += [((name("s", *p),), (word,)) for p, word in s.items()]
    found += [(("t[i]",), (t["i", 0],)), (("t[j]",), (t["j", 0],))]
    for p in range(-2, 3):
        for q in range(-2, 3):
            if abs(p) <= 1 or abs(q) <= 1:
                names = name("s", "i", p), name("s", "j", q)
                found.append((names, (s["i", p], s["j", q])))
    pair = t["i", 0], t["j", 0]
    found.append((("t[i]", "t[j]"), pair))
    for side, k in (("i", -1), ("i", 1), ("j", -1), ("j", 1)):
        found.append(((name("t", side, k), "t[i]", "t[j]"), (t[side, k], *pair)))
    for side in "ij":
        found.append(((f"s[{side}]", "t[i]", "t[j]"), (s[side, 0], *pair)))
    return [(names, o, symbols) for names, symbols in found if None not in symbols]


FOOTNOTE_12 = {
    ("s[i]", "s[j]"),
    ("t[i]", "t[j]"),
    ("s[i]", "t[i]", "t[j]"),
    ("s[j]", "t[i]", "t[j]"),
}


def count_features(sentences):
    """Counts for selection; sentences are (words, tags, events)."""
    counts = Counter()
    for words, tags, events in sentences:
        for i, following in events:
            for j in range(1, len(words) + 2):
                if j == i:
                    continue
                for feature in features(words, tags, i, j):
                    if j == following or feature[0] in FOOTNOTE_12:
                        counts[feature] += 1
    return counts


def pair_score(weights, words, tags, i, j):
    """The exponent of eq. 1; weights are those of features."""
    return sum(weights.get(feature, 0.0) for feature in features(words, tags, i, j))


def sequence_score(weights, words, tags, i, j):
    """The exponent of eq. 2, literally; weights are those of (feature, label, label)."""
    between = range(i + 1, j) if i < j else range(j + 1, i)
    label = {i: "C", j: "N"} | dict.fromkeys(between, "I")

    def dot(a, b):
        return sum(
            weights.get((feature, label[a], label[b]), 0.0)
            for feature in features(words, tags, a, b)
        )

    return sum(dot(i, k) for k in {*between, j}) + sum(dot(k, j) for k in {*between, i})


def log_probability(score, n_words, i, j, candidates=None):
    """log P(j | i) from a function of two places."""
    places = range(1, n_words + 2) if candidates is None else candidates
    return score(i, j) - log(sum(exp(score(i, k)) for k in places if k != i))
