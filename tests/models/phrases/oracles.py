"""Phrase extraction, orientation and scoring written down from their definitions, with sets and
loops over everything."""

from collections import Counter, defaultdict
from itertools import product
from math import prod


def consistent_blocks(n_source, n_target, links, max_length):
    """All (f0, f1, e0, e1), ends included, that hold a link and that no link leaves."""
    blocks = []
    for f0, e0 in product(range(n_source), range(n_target)):
        for f1 in range(f0, min(n_source, f0 + max_length)):
            for e1 in range(e0, min(n_target, e0 + max_length)):
                inside = [(f, e) for f, e in links if f0 <= f <= f1 and e0 <= e <= e1]
                touching = [(f, e) for f, e in links if f0 <= f <= f1 or e0 <= e <= e1]
                # target words may be unaligned at the edges, source words too
                if inside and len(inside) == len(touching):
                    blocks.append((f0, f1, e0, e1))
    return blocks


def orientation(block, n_source, n_target, links, blocks):
    """Backward orientation; `blocks` are those whose corners count beside the links' own cells."""
    f0, f1, e0, _ = block
    cells = {*links, (-1, -1), (n_source, n_target)}
    before, after = (f0 - 1, e0 - 1) in cells, (f1 + 1, e0 - 1) in cells
    ends_right = {(b, d) for _, b, _, d in blocks}  # last source and last target word
    ends_left = {(a, d) for a, _, _, d in blocks}  # first source and last target word
    if (before and not after) or (f0 - 1, e0 - 1) in ends_right:
        return "monotone"
    if (after and not before) or (f1 + 1, e0 - 1) in ends_left:
        return "swap"
    return None


def discontinuous_by_words(block, n_source, links, before, after):
    """Right or left for a block that is neither monotone nor swapped, word-based."""
    f0, f1, e0, _ = block
    before = before or any((f, e0 - 1) in links for f in range(f0 - 1))
    after = after or any((f, e0 - 1) in links for f in range(f1 + 2, n_source))
    return "left" if after and not before else "right"


def mirrored(block, n_source, n_target, links):
    """The sentence turned by 180 degrees: what is forward here is backward there."""
    f0, f1, e0, e1 = block
    turned = (n_source - 1 - f1, n_source - 1 - f0, n_target - 1 - e1, n_target - 1 - e0)
    return turned, {(n_source - 1 - f, n_target - 1 - e) for f, e in links}


def scored_pairs(sentences, max_length):
    """Scores of all phrase pairs of [(source, target, links)], by dictionaries."""
    counts, alignments = Counter(), defaultdict(Counter)
    word_pairs, of_source, of_target = Counter(), Counter(), Counter()
    for source, target, links in sentences:
        links = set(links)
        linked = [(source[f], target[e]) for f, e in links]
        linked += [(source[f], None) for f in range(len(source)) if all(f != a for a, _ in links)]
        linked += [(None, target[e]) for e in range(len(target)) if all(e != b for _, b in links)]
        for f, e in linked:
            word_pairs[f, e] += 1
            of_source[f] += 1
            of_target[e] += 1
        for f0, f1, e0, e1 in consistent_blocks(len(source), len(target), links, max_length):
            pair = tuple(source[f0 : f1 + 1]), tuple(target[e0 : e1 + 1])
            inner = frozenset((f - f0, e - e0) for f, e in links if f0 <= f <= f1 and e0 <= e <= e1)
            counts[pair] += 1
            alignments[pair][inner] += 1
    source_counts, target_counts = Counter(), Counter()
    for (f, e), count in counts.items():
        source_counts[f] += count
        target_counts[e] += count

    def direct_lexical(f, e, inner):
        def weight(j):
            partners = [f[i] for i, b in inner if b == j] or [None]
            return sum(round(word_pairs[p, e[j]] / of_source[p], 7) for p in partners) / len(
                partners
            )

        return prod(weight(j) for j in range(len(e)))

    def inverse_lexical(f, e, inner):
        def weight(i):
            partners = [e[j] for a, j in inner if a == i] or [None]
            return sum(round(word_pairs[f[i], p] / of_target[p], 7) for p in partners) / len(
                partners
            )

        return prod(weight(i) for i in range(len(f)))

    result = {}
    for (f, e), count in counts.items():
        most = max(alignments[f, e].values())
        best = [inner for inner, n in alignments[f, e].items() if n == most]
        by_target = max(best, key=lambda inner: rows(inner, len(e), by=1))
        by_source = max(best, key=lambda inner: rows(inner, len(f), by=0))
        result[f, e] = (
            (count / target_counts[e], inverse_lexical(f, e, by_source),
             count / source_counts[f], direct_lexical(f, e, by_target)),
            by_target,
            (target_counts[e], source_counts[f], count),
        )  # fmt: skip
    return result


def rows(inner, n, by):
    """An alignment as the list of its rows, each a sorted list, for comparison."""
    return [sorted(link[1 - by] for link in inner if link[by] == row) for row in range(n)]
