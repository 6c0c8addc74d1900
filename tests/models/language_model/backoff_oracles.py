"""Language models as dictionaries, straight from their definitions; slow and obvious."""

import math
from collections import Counter
from fractions import Fraction

N_GRAM = tuple[str, ...]
Table = dict[N_GRAM, tuple[float, float]]  # natural log of probability and of backoff


def backoff_logprob(table: Table, order: int, history: N_GRAM, word: str) -> float:
    """log p(word | history) by the recursion of Katz; unknown words are <unk>."""
    known = tuple(w if (w,) in table else "<unk>" for w in (*history, word))
    context, word = known[:-1][max(0, len(known) - order) :], known[-1]
    if (*context, word) in table:
        return table[(*context, word)][0]
    _, backoff = table.get(context, (0.0, 0.0))
    return backoff + backoff_logprob(table, order, context[1:], word)


def sentence_logprobs(table: Table, order: int, words: list[str]) -> list[float]:
    """log p of each word and of </s>, after <s>."""
    padded = ("<s>", *words, "</s>")
    return [backoff_logprob(table, order, padded[:i], padded[i]) for i in range(1, len(padded))]


class KneserNey:
    """Interpolated modified Kneser-Ney (Chen and Goodman 1998) as in Heafield et al. (2013)."""

    def __init__(self, sentences: list[list[str]], order: int, prune: tuple[int, ...] = (0,)):
        self.order = order
        self.threshold = {n: prune[min(n, len(prune)) - 1] for n in range(1, order + 1)}
        self.occurrences: Counter[N_GRAM] = Counter()
        for sentence in sentences:
            padded = ("<s>", *sentence, "</s>")
            for end in range(2, len(padded) + 1):
                for start in range(max(0, end - order), end):
                    self.occurrences[padded[start:end]] += 1
        self.vocabulary = {"<unk>", "</s>"} | {w for s in sentences for w in s}
        self.adjusted = {gram: self.adjust(gram) for gram in self.occurrences}
        self.discounts = {n: self.estimate_discounts(n) for n in range(1, order + 1)}

    def adjust(self, gram: N_GRAM) -> int:
        if len(gram) == self.order or gram[0] == "<s>":
            return self.occurrences[gram]
        return sum(1 for longer in self.occurrences if longer[1:] == gram)

    def estimate_discounts(self, n: int) -> list[Fraction]:
        times = Counter(a for gram, a in self.adjusted.items() if len(gram) == n)
        fallback = [Fraction(1, 2), Fraction(1), Fraction(3, 2)]
        if not (times[1] and times[2] and times[3]):
            return fallback
        y = Fraction(times[1], times[1] + 2 * times[2])
        estimated = [j - (j + 1) * y * times[j + 1] / times[j] for j in (1, 2, 3)]
        return estimated if min(estimated) >= 0 else fallback

    def is_kept(self, gram: N_GRAM) -> bool:
        return len(gram) == 1 or self.occurrences[gram] > self.threshold[len(gram)]

    def discount(self, gram: N_GRAM) -> Fraction:
        """What the n-gram gives away; all it has if it is pruned."""
        if not self.is_kept(gram):
            return Fraction(self.adjusted[gram])
        return self.discounts[len(gram)][min(self.adjusted[gram], 3) - 1]

    def followers(self, context: N_GRAM) -> list[N_GRAM]:
        n = len(context) + 1
        return [gram for gram in self.adjusted if len(gram) == n and gram[:-1] == context]

    def gamma(self, context: N_GRAM) -> Fraction:
        followers = self.followers(context)
        if not followers:
            return Fraction(1)
        total = sum(self.adjusted[gram] for gram in followers)
        return sum(map(self.discount, followers), Fraction(0)) / total

    def probability(self, context: N_GRAM, word: str) -> Fraction:
        gram = (*context, word)
        lower = (
            self.probability(context[1:], word) if context else Fraction(1, len(self.vocabulary))
        )
        share = Fraction(0)
        if gram in self.adjusted:
            total = sum(self.adjusted[other] for other in self.followers(context))
            share = (self.adjusted[gram] - self.discount(gram)) / total
        return share + self.gamma(context) * lower

    def table(self) -> Table:
        """All n-grams of the model with their logarithms."""

        def log(value: Fraction) -> float:
            return math.log(max(float(value), 1e-99))

        def backoff(gram: N_GRAM) -> float:
            return log(self.gamma(gram)) if len(gram) < self.order else 0.0

        grams = [g for g in self.adjusted if self.is_kept(g)] + [("<unk>",)]
        table = {g: (log(self.probability(g[:-1], g[-1])), backoff(g)) for g in grams}
        return table | {("<s>",): (0.0, backoff(("<s>",)))}
