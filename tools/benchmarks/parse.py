"""Cost of the parse model: training on a sample, and decoding against linear distortion.

    python -m tools.benchmarks.parse [SAMPLE [USE]]

Decoding is measured in CPU time of one process with warm kernels, best of five rounds, as a ratio
to linear distortion alone, with the share of the model's work (prepare and features); the rest is
the search. Training is CPU time over all threads, and wall time.
"""

import sys
import time
from collections.abc import Callable
from typing import Any

from hyperbaton.corpus.corpora.reading import read_corpus
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.models.distortion.interface import DistortionModel
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.distortion.parse import scorer as scorer_module
from hyperbaton.models.distortion.parse.model import Parse
from hyperbaton.models.language_model import LanguageModel, estimate
from hyperbaton.models.phrases.building import train_phrases
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.system.folder import default_weights, starting_weights
from hyperbaton.samples import sample_files

N_SENTENCES = 300
ROUNDS = 5


def main(sample: str = "zh-en", use: str = "me+prior+cov+sib") -> None:
    corpus, _ = read_corpus(sample_files(sample))
    test, _ = read_corpus(sample_files(sample, "test"))
    sentences = [test.source.sentence(number) for number in range(N_SENTENCES)]
    phrases = train_phrases(corpus, PhraseSettings(reordering="none"))
    ngrams = estimate(corpus.target.words, corpus.target.vocabulary, order=5)
    lm = LanguageModel.from_ngrams(ngrams)
    Parse(use=use, max_sentences=50, iterations=2).fit(corpus, phrases=phrases)  # compiles
    model = Parse(use=use)
    began, began_cpu = time.perf_counter(), time.process_time()
    model.fit(corpus, phrases=phrases)
    seconds, cpu = time.perf_counter() - began, time.process_time() - began_cpu
    report = model.learned_.report
    print(f"training on {sample}: {seconds:.1f} s, {cpu:.1f} s of CPU")
    print(f"  {report['features']:,} features, {report['events']:,} visits, "
          f"mean log p {report['log_likelihood']:.4f}\n")  # fmt: skip
    systems = {"linear": [Linear()], f"linear + {use}": [Linear(), model]}
    decoders = {name: make_decoder(phrases, lm, models) for name, models in systems.items()}
    costs: dict[str, list[float]] = {name: [] for name in decoders}
    for _ in range(ROUNDS):  # in turns, so that other load affects both
        for name, decoder in decoders.items():
            costs[name].append(decoding_cost(decoder, sentences))
    linear = min(costs["linear"])
    for name, rounds in costs.items():
        print(
            f"{name:28}{min(rounds) * 1e3:8.2f} ms a sentence{min(rounds) / linear:8.2f} × linear"
        )
    spent = watch(scorer_module.ParseScorer)  # afterwards, because it takes time itself
    decoding_cost(decoder, sentences)
    own, n_steps = spent["seconds"] / len(sentences), spent["steps"] / len(sentences)
    print(f"{'':28}{own * 1e3:8.2f} ms of it in the model: {n_steps:,.0f} steps, "
          f"{own / n_steps * 1e9:.0f} ns each")  # fmt: skip


def watch(kind: type) -> dict[str, float]:
    """Sums the time of the scorers of a class, and the steps that they score."""
    spent = {"seconds": 0.0, "steps": 0.0}

    def timed(function: Callable[..., Any], count: Callable[..., int]) -> Callable[..., Any]:
        def wrapper(*arguments: Any) -> Any:
            began = time.process_time()
            result = function(*arguments)
            spent["seconds"] += time.process_time() - began
            spent["steps"] += count(*arguments)
            return result

        return wrapper

    kind.__init__ = timed(kind.__init__, lambda *_: 0)  # type: ignore[misc]
    kind.features = timed(kind.features, lambda _, steps: len(steps.option))  # type: ignore[attr-defined]
    kind.advance = timed(kind.advance, lambda *_: 0)  # type: ignore[attr-defined]
    return spent


def make_decoder(phrases: Any, lm: LanguageModel, models: list[DistortionModel]) -> Decoder:
    weights = default_weights("") | starting_weights(models)
    return Decoder(phrases, lm, models, weights, SearchSettings())


def decoding_cost(decoder: Decoder, sentences: Any) -> float:
    """CPU seconds per sentence."""
    for sentence in sentences[:5]:
        decoder.decode(sentence)
    began = time.process_time()
    for sentence in sentences:
        decoder.decode(sentence)
    return (time.process_time() - began) / len(sentences)


if __name__ == "__main__":
    main(*sys.argv[1:])
