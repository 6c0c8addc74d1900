"""Trains the models of the next source word on growing parts of a corpus: time, memory, log P.

    python -m tools.benchmarks.goto train.ja train.en train.align 5000 20000 50000

The last 2,000 pairs are held out, and the 1,000 before them are not used. Sentences get 50 word
classes. `--order` sets how words with several links are visited. The baseline `distance` is the
frequency of each distortion. Each size runs in a separate process, to measure its memory. Decoding
is compared with linear distortion, in turns, in CPU time of one thread.
"""

import argparse
import multiprocessing
import resource
import time
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.corpora.reading import CorpusFiles, read_corpus
from hyperbaton.corpus.words.word_classes import WordClasses
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.models.distortion.catalogue import make_model
from hyperbaton.models.distortion.interface import DistortionModel
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.distortion.next_word.events import ORDERS, NextWordEvents, find_events
from hyperbaton.models.distortion.next_word.held_out import (
    DistanceBaseline,
    Scores,
    average_by_distance,
    chosen_by_distance,
    compare,
    predict,
    probabilities,
    uniform,
)
from hyperbaton.models.language_model import LanguageModel, estimate
from hyperbaton.models.phrases.building import train_phrases
from hyperbaton.models.system.folder import default_weights, starting_weights

HELD_OUT = 2000
UNTOUCHED = 1000
FARTHEST = 20  # words; largest distance shown
N_DECODED = 300  # sentences


def with_classes(train: AlignedCorpus, test: AlignedCorpus) -> tuple[AlignedCorpus, AlignedCorpus]:
    classes = WordClasses.fit(train.source.words, train.source.vocabulary)
    return (
        replace(train, source=replace(train.source, classes=classes.layer(train.source.words))),
        replace(test, source=replace(test.source, classes=classes.layer(test.source.words))),
    )


def run(corpus: AlignedCorpus, size: int, names: list[str], order: str) -> None:
    n_train = min(size, len(corpus) - HELD_OUT - UNTOUCHED)
    train = corpus.take(np.arange(n_train))
    test = corpus.take(np.arange(len(corpus) - HELD_OUT, len(corpus)))
    train, test = with_classes(train, test)
    events = find_events(test, order)
    known = {"uniform": uniform, "distance": DistanceBaseline(find_events(train, order))}
    print(f"\n{n_train:,} pairs, order {order}")
    columns = ("seconds", "CPU s", "features", "prior", "passes", "GB", "right", "log P", "open")
    print(f"{'':12}", *(f"{column:>9}" for column in columns))
    found, learned = {}, {}
    models: dict[str, DistortionModel] = {}
    for name in (*known, *names):
        began, cpu = time.monotonic(), time.process_time()
        notes: tuple[str, ...] = ("",) * 4
        if name in known:
            scores = known[name]
        else:
            model = models[name] = make_model(name, order=order).fit(train)
            scores = learned[name] = model.scores
            if hasattr(model, "index_"):
                features = f"{model.index_.n_features:,}"
                notes = (features, f"{model.prior_:g}", str(model.n_passes_), "")
            else:
                features = f"{sum(len(one.weights) - 1 for one in model.models_.values()):,}"
                priors = "/".join(f"{one.prior:g}" for one in model.models_.values())
                notes = (features, priors, "", "")
        seconds, cpu = time.monotonic() - began, time.process_time() - cpu
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        found[name] = predict(scores, test, events)
        masked = predict(scores, test, events, open_only=True)
        values = (
            f"{seconds:.1f}", f"{cpu:.1f}", *notes[:3], f"{memory:.2f}",
            f"{100 * found[name].right.mean():.1f}%", f"{found[name].log_p.mean():.4f}",
            f"{masked.log_p.mean():.4f}",
        )  # fmt: skip
        print(f"{name:12}", *(f"{value:>9}" for value in values), flush=True)
    order_of = list(found)
    print_distances(learned, test, events)
    for worse, better in pairwise(order_of):
        difference = compare(found[better].log_p, found[worse].log_p, found[better].sentence)
        low, high = difference.low, difference.high
        print(f"log P, {better} − {worse}: {difference.mean:+.4f} [{low:+.4f}, {high:+.4f}]")
    print_decoding(train, test, models)


def print_distances(models: dict[str, Scores], test: AlignedCorpus, events: NextWordEvents) -> None:
    """Average probability of candidates by distance (Goto et al. 2013, Figure 5)."""
    averages = {
        name: average_by_distance(probabilities(scores), test, events, FARTHEST).mean
        for name, scores in models.items()
    }
    averages["corpus"] = chosen_by_distance(events, FARTHEST).mean
    print("average P by distance (NP − CP − 1)")
    for name, values in averages.items():
        for sign, beginning in ((1, 0), (-1, 2)):  # a word is not its own candidate
            near = sign * np.arange(beginning, FARTHEST + 1)
            known = values[near + FARTHEST]
            known = known[~np.isnan(known)]  # distances longer than all sentences
            shown = " ".join(f"{value:.3f}"[1:] for value in known)
            print(f"{name:12} {near[0]:2} to {near[len(known) - 1]:3}: {shown}")


def print_decoding(
    train: AlignedCorpus, test: AlignedCorpus, models: dict[str, DistortionModel]
) -> None:
    """The cost of a sentence with each model, relative to linear distortion."""
    phrases = train_phrases(train)
    lm = LanguageModel.from_ngrams(estimate(train.target.words, train.target.vocabulary, 5))
    sentences = [test.source.sentence(number) for number in range(N_DECODED)]
    for limit in (10, -1):
        decoders = {
            name: Decoder(
                phrases, lm, [model], default_weights("") | starting_weights([model]),
                SearchSettings(distortion_limit=limit),
            )
            for name, model in {"linear": Linear(), **models}.items()
        }  # fmt: skip
        costs: dict[str, list[float]] = {name: [] for name in decoders}
        for _ in range(4):  # the first round compiles and fills caches
            for name, decoder in decoders.items():
                began = time.process_time()
                for sentence in sentences:
                    decoder.decode(sentence)
                costs[name].append((time.process_time() - began) / len(sentences))
        best = {name: min(rounds) for name, rounds in costs.items()}
        shown = (f"{name} {1e3 * c:.2f} ms ({c / best['linear']:.2f})" for name, c in best.items())
        print(f"decoding, limit {limit if limit >= 0 else 'none'}:", ", ".join(shown), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs=3)
    parser.add_argument("sizes", type=int, nargs="+")
    parser.add_argument("--order", choices=ORDERS, default=ORDERS[0])
    parser.add_argument("--models", default="nine-class,pair,sequence")
    given = parser.parse_args()
    corpus, _ = read_corpus(CorpusFiles(*given.files))
    for size in given.sizes:
        arguments = (corpus, size, given.models.split(","), given.order)
        process = multiprocessing.get_context("fork").Process(target=run, args=arguments)
        process.start()
        process.join()


if __name__ == "__main__":
    main()
