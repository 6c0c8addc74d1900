"""Cost of distance phrase reordering: training, and decoding relative to linear distortion.

    python -m tools.benchmarks.dpr SOURCE TARGET ALIGNMENT TEST_SOURCE [SENTENCES]

Trains a phrase table and a language model on the corpus (or on its first SENTENCES pairs), then the
classifiers, and translates TEST_SOURCE with each of them in one thread. The preparation of a
sentence before the search is measured separately.
"""

import resource
import sys
import time
from pathlib import Path

import numpy as np

from hyperbaton.corpus.corpora.reading import CorpusFiles, read_corpus
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.text import read_lines
from hyperbaton.decoder.translator import Translator
from hyperbaton.models.distortion.dpr.model import Dpr
from hyperbaton.models.distortion.interface import DistortionModel
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.distortion.msd.model import Lexicalised
from hyperbaton.models.language_model.estimation import estimate
from hyperbaton.models.language_model.model import LanguageModel
from hyperbaton.models.phrases.building import train_phrases
from hyperbaton.models.system.folder import default_weights

MSD = "wbe-msd-bidirectional-fe"


def main(arguments: list[str]) -> None:
    source, target, alignment, test = map(Path, arguments[:4])
    corpus, _ = read_corpus(CorpusFiles(source, target, alignment))
    if len(arguments) > 4:
        corpus = corpus.take(np.arange(int(arguments[4])))
    sentences = [Sentence.parse(line) for _, line in read_lines(test)]
    phrases = train_phrases(corpus)
    lm = LanguageModel.from_ngrams(estimate(corpus.target.words, corpus.target.vocabulary, 5))
    print(f"{len(corpus):,} sentence pairs, {len(phrases):,} phrase pairs\n")
    systems: dict[str, list[DistortionModel]] = {
        "linear": [Linear()],
        "linear + msd": [Linear(), Lexicalised(MSD)],
    }
    for settings in ({"use": "scaled"}, {"classes": 5}, {"classes": 5, "features": "alrajeh"}):
        began = time.perf_counter()
        model = Dpr(**settings).fit(corpus)
        name = model.feature_names[0]
        systems |= {name: [model], f"linear + {name}": [Linear(), model]}
        n_own = len(model.classifier_.model.ids)
        print(f"{name}: trained in {time.perf_counter() - began:.1f} s, {n_own:,} sub-models")
    own_costs = {}
    finder = Translator(phrases, lm, [Linear()], default_weights(""))._decoder()._finder
    options = [
        finder.find(phrases.source_vocabulary.encode(each.words)).table for each in sentences
    ]
    for name, models in systems.items():
        if len(models) == 1:
            rounds = []
            for _ in range(5):
                began = time.process_time()
                for sentence, table in zip(sentences, options, strict=True):
                    models[0].prepare(sentence, table)
                rounds.append((time.process_time() - began) / len(sentences))
            own_costs[name] = min(rounds)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    print(f"peak memory {peak:.1f} GB\n")
    print(f"{'':32}{'ms/sentence':>12}{'to linear':>12}{'ms preparing':>14}")
    decoders = {}
    for name, models in systems.items():
        weights = default_weights(MSD)
        for model in models:
            weights |= dict(zip(model.feature_names, model.initial_weights, strict=True))
        decoders[name] = Translator(phrases, lm, models, weights)._decoder()
        decoders[name].decode(sentences[0])
    costs = {name: [] for name in decoders}
    for _ in range(5):  # in turns, so that other load affects all of them
        for name, decoder in decoders.items():
            began = time.process_time()
            for sentence in sentences:
                decoder.decode(sentence)
            costs[name].append((time.process_time() - began) / len(sentences))
    linear = min(costs["linear"])
    for name, rounds in costs.items():
        own = f"{own_costs[name] * 1e3:>14.3f}" if name in own_costs else ""
        print(f"{name:32}{min(rounds) * 1e3:>12.3f}{min(rounds) / linear:>12.2f}{own}")


if __name__ == "__main__":
    main(sys.argv[1:])
