"""The model's scores of a derivation by definition: dictionaries, strings, no compiled code."""

import numpy as np

from hyperbaton.models.distortion.parse.templates import (
    FAMILIES,
    G_COLUMN,
    MOST_CANDIDATES,
    N_JUMPS,
    T_COLUMN,
    TAG_BITS,
    W_COLUMN,
)
from tests.models.distortion.parse.test_path import slow_path

TEMPLATES = (
    "JUMP", "WORD", "WORD_J", "WORD_TJ", "LEFT", "RIGHT", "LEFT_J", "RIGHT_J", "LAST",
    "BEFORE_LAST", "TAG", "LEFT_TAG", "RIGHT_TAG", "NEAR", "NEAR_TAG", "INSIDE", "SIBLING",
    "SIBLING_TAG",
)  # fmt: skip


def slow_tables(learned):
    """Weights by (template, a, b) and column."""
    tables = {}
    for group, key in enumerate(learned.features.key.tolist()):
        template, a, b = key >> 57, key >> 28 & 0xFFFFFFF, key & 0xFFFFFFF
        run = range(*learned.features.begin[group : group + 2])
        tables[TEMPLATES[template], a, b] = {
            int(learned.features.column[f]): float(learned.weights[f]) for f in run
        }
    return tables


def slow_units(options, option, unaligned):
    """(start, end, target words, position) of each unit of an option, in the order of visits."""
    bits, start = int(options.inner[option]), int(options.start[option])
    length = int(options.end[option]) - start
    words = options.target_words[option].tolist()
    links = [(bit % 8, bit // 8) for bit in range(64) if bits >> bit & 1]
    path = (
        slow_path(length, links, unaligned) if links else [(0, length, list(range(len(words))), 0)]
    )
    return [(start + a, start + b, [words[t] for t in targets], at) for a, b, targets, at in path]


def state_of(covered, first, last):
    inside = [place in covered for place in range(first, last)]
    return 0 if not any(inside) else 1 if all(inside) else 2


def neighbours_of(tree, first, last, levels):
    """Parent and (node, side) of the siblings, by walking up from the lowest node."""
    if tree is None:
        return None, []
    covering = [n for n in range(len(tree)) if tree.start[n] <= first and tree.end[n] >= last]
    spans = [(int(tree.start[n]), int(tree.end[n])) for n in covering]
    above = [n for n, span in zip(covering, spans, strict=True) if span != (first, last)]
    # of nodes over the same words only the lowest has the children that matter
    lowest = {(int(tree.start[n]), int(tree.end[n])): n for n in above}
    chain = sorted(lowest.values(), reverse=True)
    found, low, high = [], first, last
    for node in chain[:levels]:
        for child in tree.children[node].tolist():
            if tree.end[child] <= low:
                found.append((child, 0))
            elif tree.start[child] >= high:
                found.append((child, 1))
        low, high = int(tree.start[node]), int(tree.end[node])
    return (chain[0] if chain else None), found


def slow_distribution(model, tables, sentence, tree, span, covered, previous_words):
    """Probabilities {(t, j): p}, the prior {(t, j): log p0}, and the source phrase's candidates."""
    learned, inventory = model.learned_, model.learned_.inventory
    families = {
        name
        for name in FAMILIES
        if name in model.use.replace("me", "lexical+context+tags+words").split("+")
    }
    first, last = span
    words = learned.source_words.encode(sentence.words).tolist()
    tags = [0] * len(words)
    if sentence.tags is not None:
        tags = learned.source_tags.encode(sentence.tags).tolist()
    source = model_source(learned, words[first:last])
    tag = tags[first] if last - first == 1 else (tags[first] + 1) << TAG_BITS | tags[last - 1]
    padded_words, padded_tags = [1, *words, 2], [1, *tags, 2]
    asked = {("JUMP", 0, 0)}
    if "lexical" in families and source:
        asked |= {(name, source, 0) for name in ("WORD", "WORD_J", "WORD_TJ")}
    if "context" in families and source:
        for name, word in (("LEFT", padded_words[first]), ("RIGHT", padded_words[last + 1])):
            asked |= {(name, source, word), (name + "_J", source, word)}
    if "history" in families and source:
        asked |= {("LAST", source, previous_words[0]), ("BEFORE_LAST", source, previous_words[1])}
    if "tags" in families:
        asked |= {("TAG", tag, 0), ("LEFT_TAG", tag, padded_tags[first]),
                  ("RIGHT_TAG", tag, padded_tags[last + 1])}  # fmt: skip
    if "words" in families:
        if first > 0 and first - 1 not in covered:
            asked |= {("NEAR", source, 0), ("NEAR_TAG", tag, 0)}
        if last < len(words) and last in covered:
            asked |= {("NEAR", source, 1), ("NEAR_TAG", tag, 1)}
    parent, siblings = neighbours_of(tree, first, last, model.levels)
    if "cov" in families and parent is not None and source:
        label = int(learned.labels.encode([tree.labels[parent]])[0])
        begun = state_of(covered, tree.start[parent], tree.end[parent]) != 0
        asked.add(("INSIDE", source, label << 1 | begun))
    if "sib" in families:
        for node, side in siblings:
            label = int(learned.labels.encode([tree.labels[node]])[0])
            b = label << 3 | state_of(covered, tree.start[node], tree.end[node]) << 1 | side
            asked |= {("SIBLING", source, b), ("SIBLING_TAG", tag, b)}
    if not source:
        asked = {key for key in asked if key[0] not in ("NEAR", "SIBLING")}
    begin, end = inventory.begin[source : source + 2].tolist()
    prior, scores = {}, {}
    for t in range(end - begin):
        for j in range(N_JUMPS):
            prior[t, j] = slow_prior(learned, begin + t, tag, last - first, j)
            target_tag = int(inventory.tag[begin + t])
            columns = (
                j,
                T_COLUMN + t,
                W_COLUMN + t * N_JUMPS + j,
                G_COLUMN + target_tag * N_JUMPS + j,
            )
            scores[t, j] = prior[t, j] + sum(
                tables[key].get(column, 0.0) for key in asked if key in tables for column in columns
            )
    log_z = np.logaddexp.reduce(list(scores.values()))
    assert end - begin <= MOST_CANDIDATES
    return {outcome: score - log_z for outcome, score in scores.items()}, prior, range(begin, end)


def slow_prior(learned, candidate, tag, length, jump):
    prior = learned.prior
    if prior.kind == 0:
        return 0.0
    share = float(prior.share[candidate])
    if prior.kind == 1:
        return share - np.log(N_JUMPS)
    if length == 1:
        spread = prior.by_tag[tag if tag < len(prior.by_tag) else 0]
    else:
        spread = prior.by_length[min(length, 8)]
    own = prior.local[candidate]
    p = spread[jump] if own[0] < 0 else prior.alpha * own[jump] + (1 - prior.alpha) * spread[jump]
    return share + float(np.log(p))


def model_source(learned, words):
    """The number of a source phrase, by walking through the trie's keys as a dictionary."""
    trie = learned.inventory.source_trie
    steps = {int(k): int(n) for k, n in zip(trie.keys, trie.nodes, strict=True) if n >= 0}
    node = 0
    for word in words:
        node = steps.get(node << 32 | word, -1)
        if node < 0:
            return 0
    return int(learned.inventory.source_of_node[node])


def model_target(learned, words):
    trie = learned.inventory.target_trie
    steps = {int(k): int(n) for k, n in zip(trie.keys, trie.nodes, strict=True) if n >= 0}
    node = 0
    for word in words:
        node = steps.get(node << 32 | word, -1)
        if node < 0:
            return 1
    return int(learned.inventory.target_of_node[node])


def slow_features(model, sentence, tree, options, path):
    """The three features of a derivation."""
    learned = model.learned_
    tables = slow_tables(learned)
    vocabulary = options.phrases.target_vocabulary
    covered, previous_end, history = set(), 0, [1, 1]
    total = np.zeros(3)
    for option in path:
        target = options.target_words[option].tolist()
        own = [
            int(learned.target_words.encode(vocabulary.decode([w]))[0]) if w >= 0 else 0
            for w in target
        ]
        for first, last, words, at in slow_units(options, option, model.unaligned):
            before = [1, 1, *history[2:], *own[:at]]
            logs, _, run = slow_distribution(
                model, tables, sentence, tree, (first, last), covered, (before[-1], before[-2])
            )
            ids = [int(learned.target_words.encode(vocabulary.decode([w]))[0]) if w >= 0 else -1
                   for w in words]  # fmt: skip
            wanted = model_target(learned, ids) if ids else 0
            targets = [int(learned.inventory.target[c]) for c in run]
            choice = targets.index(wanted) if wanted in targets else targets.index(1)
            jump = min(max(first - previous_end + 1, -5), 5) + 5
            source = model_source(learned, learned.source_words.encode(
                sentence.words[first:last]).tolist())  # fmt: skip
            is_other = targets[choice] == 1
            own_share = -np.log(learned.inventory.members[source]) if is_other else 0.0
            total[0] += logs[choice, jump] + own_share
            if learned.prior.kind:
                total[1] += float(learned.prior.share[run[choice]]) + own_share
            column = [log for (_, j), log in logs.items() if j == jump]
            total[2] += np.logaddexp.reduce(column)
            covered |= set(range(first, last))
            previous_end = last
        history += own
    return total
