"""Cost of decoding, in kenlm word scores of the same process, and parity with Moses' n-best lists.

    python -m tools.benchmarks.decode MODEL SOURCE REFERENCE ARPA [N_BEST LIMIT]...

MODEL is an imported Moses system, ARPA its language model. kenlm's Python `Model.score` on
REFERENCE is the unit. All times are CPU time of the thread, medians of rounds in which kenlm and
the decoder take turns, so that other load affects both equally. N_BEST is a list that Moses wrote
with segmentations, LIMIT its distortion limit.
"""

import gzip
import sys
import time
from pathlib import Path

import kenlm
import numpy as np

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.text import read_lines
from hyperbaton.decoder.decode import Decoder, SearchSettings
from hyperbaton.decoder.features import feature_values
from hyperbaton.decoder.stream import decode_all
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.arrays import Ragged

TOLERANCE = 1e-3  # Moses prints six digits
ROUNDS = 5


def main(arguments: list[str]) -> None:
    model, source, reference, arpa, *lists = arguments
    translator = Translator.load(model)
    sentences = [Sentence.parse(line) for _, line in read_lines(Path(source))]
    references = [line for _, line in read_lines(Path(reference))]
    yardstick = Yardstick(arpa, references)
    print(f"{'':38}{'ms/sentence':>12}{'kenlm words':>12}{'mean score':>12}")
    linear = [m for m in translator.distortion if m.name == "linear"]
    rows = {
        "linear, 400/200, limit 6": (linear, SearchSettings()),
        "linear, 1000/1000, limit 6": (linear, SearchSettings(pop_limit=1000, stack_size=1000)),
        "linear, 400/200, no limit": (linear, SearchSettings(distortion_limit=-1)),
        "all models, 400/200, limit 6": (translator.distortion, SearchSettings()),
        "all models, 400/200, no limit": (
            translator.distortion,
            SearchSettings(distortion_limit=-1),
        ),
    }
    for name, (models, settings) in rows.items():
        own = Translator(translator.phrases, translator.lm, models, translator.weights, settings)
        decoder = own._decoder()
        scores, cost, words = yardstick.measure(
            lambda s, d=decoder: d.decode(s).scores[0], sentences
        )
        print(f"{name:38}{cost * 1e3:>12.3f}{words:>12,.0f}{np.mean(scores):>12.4f}")
    decoder = translator.with_settings(distortion_limit=10)._decoder()
    _, cost, words = yardstick.measure(lambda s: everything(decoder.decode(s, 100)), sentences)
    print(f"{'100-best, features, words, limit 10':38}{cost * 1e3:>12.3f}{words:>12,.0f}")
    print(f"\nkenlm: {yardstick.word_cost * 1e6:.3f} µs per word")
    own = Translator(translator.phrases, translator.lm, linear, translator.weights)
    print()
    for threads in (1, 2):
        began = time.perf_counter()
        n = sum(1 for _ in decode_all(own, sentences * 4, threads=threads))
        print(f"{threads} threads: {n / (time.perf_counter() - began):,.0f} sentences per second")
    print("\ncost by length (sentences joined), ms per word")
    decoder = own._decoder()
    words = [word for sentence in sentences for word in sentence.words]
    for length in (5, 10, 20, 40, 80):
        parts = [Sentence(tuple(words[at : at + length])) for at in range(0, 50 * length, length)]
        _, cost, _ = yardstick.measure(decoder.decode, parts)
        print(f"{length:>6} {cost * 1e3 / length:.3f}")
    for path, limit in zip(lists[::2], lists[1::2], strict=True):
        parity(translator, sentences, Path(path), int(limit))


class Yardstick:
    """Costs in word scores of kenlm; the end of the sentence counts as a word."""

    def __init__(self, arpa: str, references: list[str]) -> None:
        self._model, self._references = kenlm.Model(arpa), references
        self._n_words = sum(len(line.split()) + 1 for line in references)
        self.word_cost = 0.0  # seconds, of the last measurement

    def measure(self, work, sentences):  # type: ignore[no-untyped-def]
        """Results, seconds per sentence with warm kernels, and the same in kenlm words."""
        results = [work(sentence) for sentence in sentences]
        own, theirs = [], []
        for _ in range(ROUNDS):
            theirs.append(timed(lambda: [self._model.score(line) for line in self._references]))
            own.append(timed(lambda: [work(sentence) for sentence in sentences]))
        self.word_cost = float(np.median(theirs)) / self._n_words
        cost = float(np.median(own)) / len(sentences)
        return results, cost, cost / self.word_cost


def everything(decoded):  # type: ignore[no-untyped-def]
    """Everything that tuning computes."""
    decoded.features()
    return [decoded.words(number) for number in range(len(decoded))]


def timed(work) -> float:  # type: ignore[no-untyped-def]
    began = time.thread_time()
    work()
    return time.thread_time() - began


def parity(translator: Translator, sentences: list[Sentence], path: Path, limit: int) -> None:
    """Scores Moses' derivations, and compares our best score with theirs."""
    settings = SearchSettings(pop_limit=5000, stack_size=5000, distortion_limit=limit, options=64)
    scorer = translator.with_settings(distortion_limit=-1, options=64)._decoder()
    searcher = translator.with_settings(**{**vars(settings), "options": 20})._decoder()
    weights = np.array([translator.weights[name] for name in translator.feature_names])
    entries, wrong, missing, worse = 0, 0, 0, 0
    largest = 0.0
    best: dict[int, float] = {}
    with gzip.open(path, "rt", encoding="utf-8") as stream:
        for line in stream:
            number, _, values, total, segmentation, *_ = (x.strip() for x in line.split("|||"))
            sentence = sentences[int(number)]
            best.setdefault(int(number), float(total))
            entries += 1
            path_options = forced(scorer, sentence, line.split("|||")[1].split(), segmentation)
            if path_options is None:
                missing += 1
                continue
            options, chosen = path_options
            scorers = [m.prepare(sentence, options.table) for m in translator.distortion]
            one = Ragged(chosen, np.array([0, len(chosen)]))
            features = feature_values(options, one, translator.lm, scorers)[0]
            theirs = moses_features(values)
            ours = np.concatenate([features[9:15], features[8:9], features[6:7], features[5:6],
                                   features[4:5], features[0:4]])  # fmt: skip
            difference = max(np.abs(ours - theirs).max(), abs(features @ weights - float(total)))
            largest = max(largest, difference)
            wrong += difference > TOLERANCE
    for number, score in best.items():
        worse += searcher.decode(sentences[number]).scores[0] < score - TOLERANCE
    print(f"\n{path.name}: {entries} derivations of Moses, {missing} not found among our options")
    print(f"  {wrong} differ by more than {TOLERANCE}; largest difference {largest:.1e}")
    print(f"  our best score is worse on {worse} of {len(best)} sentences")


def moses_features(text: str) -> np.ndarray:
    return np.array([float(token) for token in text.split() if not token.endswith("=")])


def forced(decoder: Decoder, sentence: Sentence, target: list[str], segmentation: str):  # type: ignore[no-untyped-def]
    """The options that make up a derivation given as spans, or None."""
    finder = decoder._finder
    options = finder.find(decoder.phrases.source_vocabulary.encode(sentence.words))
    table, vocabulary = options.table, decoder.phrases.target_vocabulary
    chosen = []
    for piece in segmentation.split():
        source, words = piece.split("=")
        start, end = span(source)
        first, last = span(words)
        for option in np.flatnonzero((table.start == start) & (table.end == end)):
            ids = table.target_words[option].tolist()
            text = [sentence.words[start]] if table.is_unknown[option] else vocabulary.decode(ids)
            if text == target[first:last]:
                chosen.append(option)
                break
        else:
            return None
    return options, np.array(chosen, np.int32)


def span(text: str) -> tuple[int, int]:
    first, _, last = text.partition("-")
    return int(first), int(last or first) + 1


if __name__ == "__main__":
    main(sys.argv[1:])
