"""A trained system, ready to translate.

>>> Translator.load("model").translate("kare wa hon o katta .").text  # doctest: +SKIP
'he bought a book .'
"""

import os
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias, overload
from warnings import warn

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.words.tagger import Tagger
from hyperbaton.decoder.constrained_search import Exactly, Request
from hyperbaton.decoder.decode import Decoder, IsStopped, SearchSettings, never
from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.pieces import cut, join
from hyperbaton.decoder.text_layers import TextLayers
from hyperbaton.foundation.arrays import FloatArray, Ragged
from hyperbaton.foundation.errors import SettingError
from hyperbaton.foundation.work.in_order import IN_THREADS, in_order
from hyperbaton.foundation.work.workers import Threads
from hyperbaton.foundation.work.workplace import Workplace
from hyperbaton.models.distortion.interface import DistortionModel
from hyperbaton.models.language_model.speaking import SpeakingModel
from hyperbaton.models.phrases.table import PhraseTable
from hyperbaton.models.system.folder import (
    LARGEST_WEIGHT,
    NAME,
    load_distortion,
    load_language_model,
    load_phrases,
    read_system,
    require_weights,
    starting_weights,
)

if TYPE_CHECKING:  # imported only for drawing
    from hyperbaton.decoder.drawing.derivation_layout import Derivation


@dataclass(frozen=True)
class Translation:
    """The best translation of a sentence, or one of the best. Notebooks show it as a picture."""

    text: str  # detokenised, if the system has a text pipeline
    score: float
    alignment: list[tuple[int, int]]  # source and target positions
    segmentation: list[tuple[int, int, int, int]]  # source and target span of each phrase
    features: dict[str, float]
    source_words: tuple[str, ...] = ()
    unknown: tuple[int, ...] = ()  # phrases, from 0, that are unknown words
    # tokens of the translation, to which the alignment refers; none: the words of the text
    words: tuple[str, ...] = ()

    @property
    def derivation(self) -> "Derivation":
        """The derivation for drawing."""
        from hyperbaton.decoder.drawing.derivation_layout import Derivation

        words = self.source_words, self.words or self.text.split()
        return Derivation(*words, self.segmentation, self.alignment, self.unknown)

    def _repr_html_(self) -> str:
        """The text, and a picture of the reordering."""
        from html import escape

        from hyperbaton.decoder.drawing.derivation_svg import derivation_svg

        picture = derivation_svg(self.derivation)
        return f"<p>{escape(self.text)} <small>score {self.score:.4f}</small></p>\n{picture}"


Sentences: TypeAlias = list[Sentence] | list[str] | list[Sentence | str]


class Translator:
    """A loaded system. Thread-safe: only its decoders have mutable memory, one per thread."""

    def __init__(
        self,
        phrases: PhraseTable,
        lm: SpeakingModel,
        distortion: Iterable[DistortionModel],
        weights: Mapping[str, float],
        settings: SearchSettings = SearchSettings(),
        where: str = "",
        preparation: TextLayers = TextLayers(),
    ) -> None:
        """`preparation` makes sentences from text, with the layers that models need."""
        self.phrases, self.lm, self.distortion = phrases, lm, tuple(distortion)
        # Floats only: a kernel would be compiled again for an integer
        self.weights = {name: float(weight) for name, weight in weights.items()}
        self.settings = settings
        self.preparation = preparation
        self._needed = frozenset[str]().union(*(model.requires for model in self.distortion))
        for model in self.distortion:
            require_weights(model.feature_names, weights, where)
        for name, weight in self.weights.items():
            if not abs(weight) <= LARGEST_WEIGHT:  # also rejects NaN
                raise SettingError(
                    f"the weight of {name} is {weight}",
                    where=where,
                    expected=f"expected −{LARGEST_WEIGHT:,.0f} to {LARGEST_WEIGHT:,.0f}",
                )
        self._idle: SimpleQueue[Decoder] = SimpleQueue()  # decoders not in use
        with self._borrowed_decoder() as first:
            self.feature_names = first.feature_names

    @classmethod
    def load(
        cls,
        directory: str | os.PathLike[str],
        settings: SearchSettings | None = None,
        distortion: Iterable[str] = (),
        *,
        allow_plugins: bool = False,
    ) -> "Translator":
        """Loads a system from its folder, with its settings unless others are given.

        `distortion` names models to use instead of the system's; features without a weight in the
        system get their models' initial weights. `allow_plugins` permits models that are not part
        of hyperbaton.
        """
        directory, distortion = Path(directory), tuple(distortion)
        content = read_system(directory)
        lm = load_language_model(directory)
        if settings is None:
            settings = SearchSettings(distortion_limit=content["search"]["distortion_limit"])
        weights = content["weights"]
        models = load_distortion(directory, distortion, allow_plugins=allow_plugins)
        if distortion:
            weights = starting_weights(models, lm.feature_names) | weights
        where, preparation = str(directory / NAME), TextLayers.load(directory)
        return cls(load_phrases(directory), lm, models, weights, settings, where, preparation)

    @overload
    def translate(self, sentence: Sentence | str) -> Translation: ...
    @overload
    def translate(self, sentence: Sentences) -> list[Translation]: ...
    def translate(self, sentence: Sentence | str | Sentences) -> Translation | list[Translation]:
        """The best translation of a sentence, or of each sentence in a list. Input is raw text if
        the system takes it, otherwise tokens separated by spaces."""
        if isinstance(sentence, (Sentence, str)):
            return self._best(sentence)
        return list(self.translate_all(sentence))

    def translate_all(
        self, sentences: Iterable[Sentence | str], threads: int = 2
    ) -> Generator[Translation, None, None]:
        """Yields the best translations of sentences in order, as they are ready. Memory does not
        grow with the input: only a few sentences are read ahead."""
        stopped = Event()

        def work(_: Workplace, __: int, chunk: Sentences) -> tuple[list[Translation], float]:
            began = monotonic()
            best = [self._best(sentence, stopped.is_set) for sentence in chunk]
            return best, monotonic() - began

        with Threads(threads) as workers:
            try:
                yield from in_order(workers, work, iter(sentences), IN_THREADS)
            finally:
                stopped.set()

    def _best(self, sentence: Sentence | str, is_stopped: IsStopped = never) -> Translation:
        """The best translation; warns if most of it is copied from the source."""
        best = self.results(self.decode(sentence, is_stopped=is_stopped))[0]
        copied = (best.segmentation[phrase] for phrase in best.unknown)
        n_copied = sum(end - start for start, end, _, _ in copied)
        if 2 * n_copied > len(best.source_words):
            warn(
                f"{n_copied} of {len(best.source_words)} words are unknown and were copied: "
                f"{best.text[:80]}",
                stacklevel=3,
            )
        return best

    def n_best(
        self, sentence: Sentence | str, n: int, *, distinct: bool = False
    ) -> list[Translation]:
        """The `n` best derivations of a sentence; `distinct`: only the best of each translation."""
        return self.results(self.decode(sentence, n, distinct=distinct))

    def force(self, sentence: Sentence | str, target: str, n_best: int = 1) -> list[Translation]:
        """The best derivations of a given translation; if there are none, of the nearest one
        (`docs/use/constraints.md`)."""
        words = self.preparation.split(target)
        return self.results(self.decode(sentence, n_best, request=Exactly(words)))

    def decode(
        self,
        sentence: Sentence | str,
        n_best: int = 1,
        *,
        distinct: bool = False,
        request: Request | None = None,
        is_stopped: IsStopped = never,
    ) -> Decoded:
        """The best derivations, under the constraint of a request (`constrained_search.py`) if
        given. Raises `Stopped` when `is_stopped` returns true."""
        if isinstance(sentence, str):
            sentence = self.preparation.parse(sentence.removesuffix("\n"))
        sentence = self._checked(sentence)
        with self._borrowed_decoder(is_stopped) as decoder:
            if request is not None:
                return request.decode(decoder, sentence, n_best, distinct=distinct)
            if pieces := self._pieces(sentence):
                parts = [decoder.decode(piece, n_best, distinct=distinct) for piece in pieces]
                return join(sentence, parts)
            return decoder.decode(sentence, n_best, distinct=distinct)

    def derivations(self, sentence: Sentence, chosen: Ragged, scores: FloatArray) -> Decoded:
        """Restores the result of a search by the same translator, perhaps on another machine."""
        with self._borrowed_decoder() as decoder:
            return decoder.derivations(self._checked(sentence), chosen, scores)

    def results(self, decoded: Decoded) -> list[Translation]:
        """The derivations of a sentence as plain values."""
        features = decoded.features()
        return [
            Translation(
                self.preparation.joined(decoded.words(number)),
                float(decoded.scores[number]),
                decoded.links(number),
                decoded.spans(number),
                dict(zip(self.feature_names, map(float, features[number]), strict=True)),
                decoded.sentence.words,
                decoded.unknown(number),
                tuple(decoded.words(number)),
            )
            for number in range(len(decoded))
        ]

    def with_weights(self, weights: Mapping[str, float], **changes: object) -> "Translator":
        """The system with other weights and settings; nothing is loaded again."""
        settings = replace(self.settings, **changes)  # type: ignore[arg-type]
        return self._changed(weights=self.weights | dict(weights), settings=settings)

    def with_model(self, model: DistortionModel) -> "Translator":
        """The system with an additional distortion model, with its initial weights."""
        weights = dict(zip(model.feature_names, model.initial_weights, strict=True))
        return self._changed(distortion=(*self.distortion, model), weights=weights | self.weights)

    def with_distortion(self, models: Iterable[DistortionModel]) -> "Translator":
        """The system with other distortion models, such as a selection of its models."""
        return self._changed(distortion=models)

    def for_tokens(self) -> "Translator":
        """The system for tokenised text."""
        return self._changed(preparation=replace(self.preparation, text=None))

    def with_settings(self, **changes: object) -> "Translator":
        return self.with_weights({}, **changes)

    def _changed(self, **parts: Any) -> "Translator":
        """The system with some parts replaced; nothing is loaded again."""
        names = "phrases", "lm", "distortion", "weights", "settings", "preparation"
        return Translator(**{name: getattr(self, name) for name in names} | parts)

    @property
    def own_tagger(self) -> Tagger | None:
        """The tagger for untagged sentences, if a model needs tags."""
        return self.preparation.tagger if "tags" in self._needed else None

    def _checked(self, sentence: Sentence) -> Sentence:
        """The sentence with all layers that the models need; an error if one is missing."""
        sentence = self.preparation.complete(sentence, self._needed - sentence.layers)
        for model in self.distortion:
            model.check(sentence)
        return sentence

    def _pieces(self, sentence: Sentence) -> list[Sentence]:
        """The pieces of a sentence that is too long or has breaks; empty if a model needs trees,
        which span the whole sentence."""
        longest = self.settings.max_length
        breaks = () if self.settings.lattice else sentence.breaks  # lattices cannot be joined
        too_long = 0 < longest < len(sentence)
        if not (breaks or too_long) or "tree" in self._needed:
            return []
        return cut(sentence, longest or len(sentence), breaks)

    @contextmanager
    def _borrowed_decoder(self, is_stopped: IsStopped = never) -> Iterator[Decoder]:
        """Provides a decoder that no other thread uses."""
        try:
            decoder = self._idle.get_nowait()
        except Empty:
            parts = self.phrases, self.lm, self.distortion
            decoder = Decoder(*parts, self.weights, self.settings)
        decoder.is_stopped = is_stopped
        try:
            yield decoder
        finally:
            self._idle.put(decoder)
