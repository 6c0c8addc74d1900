"""Hierarchical rules written down from their definition, with sets and loops over everything."""

from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, product
from math import prod

import numpy as np

from tests.models.phrases.oracles import consistent_blocks


def random_pairs(n, seed, words="abc"):
    """Sentence pairs whose links are mostly a permutation of blocks, so that gaps nest and swap."""
    random = np.random.default_rng(seed)
    pairs = []
    for _ in range(n):
        sizes = random.integers(2, 9, 2)
        source, target = (
            [letters[k] for k in random.integers(0, len(letters), size)]
            for letters, size in zip((words, words.upper()), sizes, strict=True)
        )
        order = random.permutation(sizes[1]) if random.random() < 0.4 else range(sizes[1])
        links = {
            (int(f), int(order[f * sizes[1] // sizes[0]]))
            for f in range(sizes[0])
            if random.random() < 0.75
        }
        pairs.append((source, target, sorted(links)))
    return pairs


def is_tight(block, links):
    f0, f1, e0, e1 = block
    sources, targets = {f for f, _ in links}, {e for _, e in links}
    return {f0, f1} <= sources and {e0, e1} <= targets


def rules_of_block(pair, block, blocks, settings):
    """All rules of a phrase pair: source and target symbols, links between symbols."""
    source, target, links = pair
    f0, f1, e0, e1 = block
    inside = sorted(
        (a, b, c, d)
        for a, b, c, d in blocks
        if f0 <= a <= b <= f1 and e0 <= c <= d <= e1 and b - a + 1 >= settings.min_gap
    )
    for n_gaps in range(settings.max_gaps + 1):
        for gaps in combinations(inside, n_gaps):
            if any(
                two[0] <= one[1] + 1 or not (two[2] > one[3] or two[3] < one[2])
                for one, two in combinations(gaps, 2)
            ):
                continue  # adjacent or overlapping
            in_source = [next((g for g in gaps if g[0] <= f <= g[1]), f) for f in range(f0, f1 + 1)]
            in_target = [next((g for g in gaps if g[2] <= e <= g[3]), e) for e in range(e0, e1 + 1)]
            in_source, in_target = list(dict.fromkeys(in_source)), list(dict.fromkeys(in_target))
            left = links & set(product(in_source, in_target))
            if not left or len(in_source) > settings.max_symbols:
                continue
            yield (
                tuple("X" if isinstance(s, tuple) else source[s] for s in in_source),
                tuple(gaps.index(s) + 1 if isinstance(s, tuple) else target[s] for s in in_target),
                frozenset((in_source.index(f), in_target.index(e)) for f, e in left),
            )


def counted_rules(pairs, settings):
    """{(source, target, links): count}, as fractions."""
    counts = Counter()
    for source, target, links in pairs:
        blocks = consistent_blocks(len(source), len(target), set(links), settings.max_span)
        if settings.tight:
            blocks = [block for block in blocks if is_tight(block, links)]
        for block in blocks:
            rules = list(rules_of_block((source, target, set(links)), block, blocks, settings))
            for rule in rules:
                counts[rule] += Fraction(1, len(rules))
    return counts


def scored_rules(pairs, settings):
    """{(source, target): (four scores, links, counts)}, by dictionaries; ties of alignments are
    left out."""
    counts, alignments = Counter(), defaultdict(Counter)
    for (source, target, links), count in counted_rules(pairs, settings).items():
        counts[source, target] += count
        alignments[source, target][links] += count
    of_source, of_target = Counter(), Counter()
    for (source, target), count in counts.items():
        of_source[source] += count
        of_target[without_order(target)] += count
    direct, inverse = lexicon(pairs), lexicon([(e, f, [b[::-1] for b in a]) for f, e, a in pairs])
    scored = {}
    for (source, target), count in counts.items():
        ranked = alignments[source, target].most_common(2)
        if len(ranked) == 2 and ranked[0][1] == ranked[1][1]:
            continue
        links = ranked[0][0]
        scores = (
            count / of_target[without_order(target)],
            weight(target, source, {link[::-1] for link in links}, inverse),
            count / of_source[source],
            weight(source, target, links, direct),
        )
        counted = of_target[without_order(target)], of_source[source], count
        scored[source, target] = tuple(map(float, scores)), links, tuple(map(float, counted))
    return scored


def without_order(target):
    """A target side on which all gaps are alike."""
    return tuple("X" if isinstance(symbol, int) else symbol for symbol in target)


def lexicon(pairs):
    """w(e|f) by (f, e); None is the word that unaligned words are linked to."""
    counts, totals = Counter(), Counter()
    for source, target, links in pairs:
        linked = [(source[f], target[e]) for f, e in links]
        linked += [(source[f], None) for f in range(len(source)) if all(f != a for a, _ in links)]
        linked += [(None, target[e]) for e in range(len(target)) if all(e != b for _, b in links)]
        counts.update(linked)
        totals.update(f for f, _ in linked)
    return {(f, e): max(round(n / totals[f], 7), 1e-7) for (f, e), n in counts.items()}


def weight(source, target, links, words):
    """Π over the target words of the mean of w(e|f) over their links."""

    def of(e):
        partners = [source[f] for f, b in links if b == e] or [None]
        return sum(words[f, target[e]] for f in partners) / len(partners)

    gaps = {"X", 1, 2}
    return prod(of(e) for e in range(len(target)) if target[e] not in gaps)
