"""The rows of the parse model on real text: held-out likelihood, PDscore, number of features.

    python -m tools.benchmarks.parse_rows --corpus ja en align tags conllu --options ja en align
        me me+sib me,unaligned=first ...

`--corpus` is a small corpus with trees and good alignments: the last fifth is the test set, the
rest trains the models. `--options` is a larger corpus of any kind for the phrase table and the
language model (`--pairs` of it). Decoding is untuned, with linear distortion in addition to the
model and a distortion limit of 9. A model is written as for `--distortion`, without its name; its
weights are the initial ones, or given by `--weights logp prior jump`. Differences are from the
first model, with 95% intervals (paired bootstrap).
"""

import argparse
from itertools import starmap
from pathlib import Path

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.corpora.reading import CorpusFiles, read_corpus
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.foundation.arrays import FloatArray, Ragged
from hyperbaton.models.distortion.catalogue import parse_model
from hyperbaton.models.distortion.interface import DistortionModel
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.distortion.next_word.held_out import compare
from hyperbaton.models.distortion.parse.model import Parse
from hyperbaton.models.language_model import LanguageModel, estimate
from hyperbaton.models.phrases.building import train_phrases
from hyperbaton.models.phrases.table import PhraseTable
from hyperbaton.models.system.folder import default_weights, starting_weights
from hyperbaton.tuning.evaluation.significance import interval, resampled_scores
from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.order import PDscore
from hyperbaton.tuning.metrics.visits import visits_of_links
from tests.models.distortion.parse.held_out_visits import visit_log_p

LIMIT = 9


def order_statistics(
    phrases: PhraseTable,
    lm: LanguageModel,
    models: list[DistortionModel],
    weights: dict[str, float],
    test: AlignedCorpus,
) -> FloatArray:
    """The statistics of PDscore, one row per sentence."""
    known = default_weights("") | starting_weights(models) | weights
    decoder = Decoder(phrases, lm, models, known, SearchSettings(distortion_limit=LIMIT))
    sentences = [test.source.sentence(number) for number in range(len(test))]
    links = [decoder.decode(sentence).links() for sentence in sentences]
    offsets = np.concatenate([[0], np.cumsum(list(map(len, links)))])
    values = np.array([link for row in links for link in row], np.uint16).reshape(-1, 2)
    own, reference = starmap(visits_of_links, [(Ragged(values, offsets),), (test.links,)])
    texts = [""] * len(test)
    return PDscore().statistics(Outputs(texts, [texts], own, reference))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--corpus", type=Path, nargs=5, required=True)
    parser.add_argument("--target-tags", type=Path)
    parser.add_argument("--options", type=Path, nargs=3)
    parser.add_argument("--pairs", type=int, default=20_000)
    parser.add_argument("--weights", type=float, nargs=3)
    given = parser.parse_args()
    source, target, alignment, tags, tree = given.corpus
    corpus, _ = read_corpus(CorpusFiles(source, target, alignment, tags, given.target_tags, tree))
    n_train = len(corpus) - len(corpus) // 5
    train, test = corpus.take(np.arange(n_train)), corpus.take(np.arange(n_train, len(corpus)))
    phrases = train_phrases(train)
    if given.options:
        other, _ = read_corpus(CorpusFiles(*given.options))
        other = other.take(np.arange(min(given.pairs, len(other))))
        phrases = train_phrases(other)
        lm = LanguageModel.from_ngrams(estimate(other.target.words, other.target.vocabulary, 4))
        linear = order_statistics(phrases, lm, [Linear()], {}, test)
        print(f"linear: PDscore {PDscore().score(linear.sum(axis=0)):.2f}", flush=True)
    first = None
    for text in given.models:
        model = parse_model(f"parse,use={text}")
        assert isinstance(model, Parse)
        model.fit(train, phrases=phrases, threads=1)
        found = visit_log_p(model, test, threads=1)
        statistics = None
        print(f"{text}\n  {model.learned_.report['features']:,} features; held out, log p:", end="")
        print(f" jump {found.jump.mean():.3f}, translation {found.translation.mean():.3f}", end="")
        if given.options:
            weights = dict(zip(model.feature_names, given.weights or (), strict=False))
            statistics = order_statistics(phrases, lm, [Linear(), model], weights, test)
            print(f"; PDscore {PDscore().score(statistics.sum(axis=0)):.2f}", end="")
        print()
        if first is None:
            first = found, statistics
            continue
        for name in ("jump", "translation"):
            change = compare(getattr(found, name), getattr(first[0], name), found.sentence)
            print(f"  {name} {change.mean:+.3f} [{change.low:+.3f}, {change.high:+.3f}]", end="")
        if statistics is not None:
            scores = resampled_scores(PDscore(), [first[1], statistics])
            before, after = (PDscore().score(part.sum(axis=0)) for part in (first[1], statistics))
            low, high = interval(scores[1] - scores[0])
            print(f"  PDscore {after - before:+.2f} [{low:+.2f}, {high:+.2f}]", end="")
        print(flush=True)


if __name__ == "__main__":
    main()
