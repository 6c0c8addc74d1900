"""What pruning costs: the best score of the chart search against that of all derivations.

Hard grammars by construction: every word has translations that the rules prefer, and the language
model knows only a sentence of those that they prefer least. So the best derivation is far down in
all cells, and few steps miss it.
"""

import numpy as np
import pytest

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.chart_decode import ChartDecoder
from hyperbaton.decoder.decode import SearchSettings
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.models.language_model import LanguageModel, estimate
from tests.decoder.chart import grammars

POPS = 3, 10, 30, 100, SearchSettings.pop_limit
N_TRANSLATIONS = 7
TARGET = "ABCDEFGHIJKLMNOPQRSTU"  # three times as many


def hard_case(seed):
    """Rules, language model, weights and words, with all derivations."""
    random = np.random.default_rng(seed)
    words = list(map(str, random.permutation([*grammars.SOURCE, str(random.choice(list("abc")))])))
    rules, least = [], {}
    for number, word in enumerate(grammars.SOURCE):
        targets = TARGET[number * N_TRANSLATIONS : (number + 1) * N_TRANSLATIONS]
        scores = np.sort(random.uniform(0.3, 0.9, N_TRANSLATIONS))[::-1]
        for target, score in zip(targets, scores, strict=True):
            rules.append(((word,), (target,), {(0, 0)}, [float(score)] * 4))
        least[word] = targets[-1]
    first, last = words[0], words[-1]
    rules.append(((first, "X"), ("1", least[first]), {(0, 1)}, [0.3] * 4))
    rules.append((("X", last), (least[last], "1"), {(1, 0)}, [0.3] * 4))
    planted = [least[word] for word in (last, *words[1:-1], first)]
    texts = [planted] * 3 + [list(random.permutation(list(TARGET))) for _ in range(2)]
    vocabulary = Vocabulary()
    rows = [vocabulary.extend(map(str, text)) for text in texts]
    lm = LanguageModel.from_ngrams(estimate(grammars.ragged(rows), vocabulary, 3))
    weights = grammars.random_weights(random)
    weights |= {f"translation.{name}": 0.3 for name in grammars.SCORES} | {"lm": 0.7, "glue": 0.0}
    return rules, lm, weights, words


def test_the_loss_of_pruning_is_bounded_and_falls_with_more_steps(monkeypatch):
    monkeypatch.setattr(grammars, "TARGET", TARGET)
    losses, n_hard = [], 0
    for seed in range(24):
        rules, lm, weights, words = hard_case(seed)
        scores = []
        for values, text, _ in grammars.derivations(rules, words, len(words)):
            own = sum(weights[name] * value for name, value in values.items())
            scores.append(own + weights["lm"] * lm.score(grammars.in_model(text)))
        assert len(scores) > 2000
        table, row = grammars.table_of(rules), []
        for pops in (0, *POPS):
            size = 0 if pops == 0 else SearchSettings.stack_size
            settings = SearchSettings(pop_limit=pops, stack_size=size)
            found = ChartDecoder(table, lm, weights, settings).decode(Sentence(tuple(words)))
            row.append(max(scores) - found.scores[0])
        losses.append(row[1:])
        assert row[0] == pytest.approx(0.0, abs=1e-6)  # without limits, the search is exact
        n_hard += row[1 + POPS.index(30)] > 0.1
    assert n_hard >= 8
    mean = np.mean(losses, axis=0)
    assert (np.diff(mean) <= 1e-9).all()
    assert mean[0] > 0.5
    assert np.max(losses, axis=0)[-1] < 0.05
