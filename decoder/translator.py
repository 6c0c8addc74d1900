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
from hyperbaton.decoder.chart_decode import ChartDecoder, check_chart
from hyperbaton.decoder.constrained_search import Exactly, Request
from hyperbaton.decoder.decode import (
    Decoder,
    IsStopped,
    SearchSettings,
    never,
    search_settings,
)
from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.phrase_decoded import ONLY_STACKS
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
from hyperbaton.models.rules.table import RuleTable
from hyperbaton.models.system.folder import (
    GLUE,
    LARGEST_WEIGHT,
    NAME,
    load_distortion,
    load_language_model,
    load_table,
    read_system,
    require_weights,
    starting_weights,
)

if TYPE_CHECKING:  # imported only for drawing
    from hyperbaton.decoder.drawing.derivation_layout import Derivation


@dataclass(frozen=True)
class Translation:
    """The best translation of a sentence, or one of the best. Notebooks show it as a picture."""

    text: str  # the translation; raw text if the system was trained on raw text
    score: float  # weighted sum of the features
    alignment: list[tuple[int, int]]  # links: source and target word, from 0
    # for each phrase in target order: first source word, one past the last, first target word, one
    # past the last
    segmentation: list[tuple[int, int, int, int]]
    features: dict[str, float]  # values by name
    source_words: tuple[str, ...] = ()  # words of the source sentence, after tokenisation
    unknown: tuple[int, ...] = ()  # numbers of the phrases that are unknown words
    # tokens of the translation, to which the alignment refers; empty: the words of `text`
    words: tuple[str, ...] = ()

    @property
    def derivation(self) -> "Derivation":
        """Words, phrases and links in the form in which pictures are drawn."""
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
    """A trained system, ready to translate. Several threads may share one. Methods that change
    something return a new `Translator`, which shares the loaded models."""

    def __init__(
        self,
        phrases: PhraseTable | RuleTable,
        lm: SpeakingModel,
        distortion: Iterable[DistortionModel],
        weights: Mapping[str, float],
        settings: SearchSettings = SearchSettings(),
        where: str = "",
        preparation: TextLayers = TextLayers(),
    ) -> None:
        """A table of hierarchical rules is searched with a chart. `preparation` makes sentences
        from text, with the layers that models need."""
        self.phrases, self.lm, self.distortion = phrases, lm, tuple(distortion)
        # Floats only: a kernel would be compiled again for an integer
        self.weights = {name: float(weight) for name, weight in weights.items()}
        self.settings = settings
        self.preparation = preparation
        self._needed = frozenset[str]().union(*(model.requires for model in self.distortion))
        if isinstance(phrases, RuleTable):
            require_weights([GLUE], weights, where)
            check_chart(settings, self.distortion)
        for model in self.distortion:
            require_weights(model.feature_names, weights, where)
        for name, weight in self.weights.items():
            if not abs(weight) <= LARGEST_WEIGHT:  # also rejects NaN
                raise SettingError(
                    f"the weight of {name} is {weight}",
                    where=where,
                    expected=f"expected −{LARGEST_WEIGHT:,.0f} to {LARGEST_WEIGHT:,.0f}",
                )
        self._idle: SimpleQueue[Decoder | ChartDecoder] = SimpleQueue()  # decoders not in use
        with self._borrowed_decoder() as first:
            self.feature_names, self.settings = first.feature_names, first.settings

    @classmethod
    def load(
        cls,
        directory: str | os.PathLike[str],
        settings: SearchSettings | None = None,
        distortion: Iterable[str] = (),
        *,
        allow_plugins: bool = False,
        search: str = "",
    ) -> "Translator":
        """Loads a system from its folder.

        * `settings`: settings of the search, instead of the defaults with the distortion limit of
          the system.
        * `distortion`: distortion models to use instead of those of the system. Features that the
          system has no weights for start with the initial weights of their models.
        * `allow_plugins`: trust the system to name models that are not part of hyperbaton.
        * `search`: `stack` or `chart`, for a system with phrases and hierarchical rules.
        """
        directory, distortion = Path(directory), tuple(distortion)
        content = read_system(directory)
        lm = load_language_model(directory)
        if settings is None:
            settings = search_settings(directory)
        weights = content["weights"]
        table, models = load_table(directory, search), list[DistortionModel]()
        if distortion or isinstance(table, PhraseTable):
            models = load_distortion(directory, distortion, allow_plugins=allow_plugins)
        if distortion:
            weights = starting_weights(models, lm.feature_names) | weights
        where, preparation = str(directory / NAME), TextLayers.load(directory)
        return cls(table, lm, models, weights, settings, where, preparation)

    @overload
    def translate(self, sentence: Sentence | str) -> Translation: ...
    @overload
    def translate(self, sentence: Sentences) -> list[Translation]: ...
    def translate(self, sentence: Sentence | str | Sentences) -> Translation | list[Translation]:
        """The best translation of a sentence, or a list of them for a list of sentences. Sentences
        are raw text if the system was trained on raw text, otherwise tokens separated by spaces."""
        if isinstance(sentence, (Sentence, str)):
            return self._best(sentence)
        return list(self.translate_all(sentence))

    def translate_all(
        self, sentences: Iterable[Sentence | str], threads: int = 2
    ) -> Generator[Translation, None, None]:
        """Yields the best translation of each sentence, in order. Only a few sentences are read
        ahead, so the input may be a stream of any length."""
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
        decoded = self.decode(sentence, is_stopped=is_stopped)
        best, n_copied = self.results(decoded)[0], len(decoded.copied())
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
        """The `n` best derivations of a sentence, the best first. With `distinct`, each translation
        occurs only once."""
        return self.results(self.decode(sentence, n, distinct=distinct))

    def force(self, sentence: Sentence | str, target: str, n_best: int = 1) -> list[Translation]:
        """The best derivations of a given translation. If the system cannot produce it, those of
        the closest translation that it can produce."""
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
        """The best derivations as arrays, with the statistics of the search and, if the settings
        ask for it, its lattice.

        * `request`: a constraint on the search, see `decoder/constrained_search.py`.
        * `is_stopped`: a function that the search calls regularly; once it returns `True`, the
          search raises `Stopped`.
        """
        if isinstance(sentence, str):
            sentence = self.preparation.parse(sentence.removesuffix("\n"))
        sentence = self._checked(sentence)
        if isinstance(self.phrases, RuleTable):
            self.phrases.check_text(sentence.words)
        with self._borrowed_decoder(is_stopped) as decoder:
            if request is not None:
                decoder = _for_stacks(decoder, "a given translation, prefix or order")
                return request.decode(decoder, sentence, n_best, distinct=distinct)
            if pieces := self._pieces(sentence):
                parts = [decoder.decode(piece, n_best, distinct=distinct) for piece in pieces]
                return join(sentence, parts)
            return decoder.decode(sentence, n_best, distinct=distinct)

    def derivations(self, sentence: Sentence, chosen: Ragged, scores: FloatArray) -> Decoded:
        """Derivations that a search with the same system found, perhaps on another machine: the
        options `chosen` in each, and their scores."""
        with self._borrowed_decoder() as decoder:
            decoder = _for_stacks(decoder, "options of derivations")
            return decoder.derivations(self._checked(sentence), chosen, scores)

    def results(self, decoded: Decoded) -> list[Translation]:
        """The results of `decode` as translations."""
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
        """The same system with other values for some weights, and with `changes` of the settings of
        the search."""
        settings = replace(self.settings, **changes)  # type: ignore[arg-type]
        return self._changed(weights=self.weights | dict(weights), settings=settings)

    def with_model(self, model: DistortionModel) -> "Translator":
        """The same system with one more distortion model, at its initial weights."""
        weights = dict(zip(model.feature_names, model.initial_weights, strict=True))
        return self._changed(distortion=(*self.distortion, model), weights=weights | self.weights)

    def with_distortion(self, models: Iterable[DistortionModel]) -> "Translator":
        """The same system with only these distortion models, which must have weights."""
        return self._changed(distortion=models)

    def for_tokens(self) -> "Translator":
        """The same system for text that is already tokenised."""
        return self._changed(preparation=replace(self.preparation, text=None))

    def with_settings(self, **changes: object) -> "Translator":
        """The same system with other settings of the search, such as `distortion_limit=4`."""
        return self.with_weights({}, **changes)

    def _changed(self, **parts: Any) -> "Translator":
        """The system with some parts replaced; nothing is loaded again."""
        names = "phrases", "lm", "distortion", "weights", "settings", "preparation"
        return Translator(**{name: getattr(self, name) for name in names} | parts)

    @property
    def own_tagger(self) -> Tagger | None:
        """The tagger for sentences without tags, if a model needs tags; otherwise `None`."""
        return self.preparation.tagger if "tags" in self._needed else None

    def _checked(self, sentence: Sentence) -> Sentence:
        """The sentence with all layers that the models need; an error if one is missing."""
        if self._needed:
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
    def _borrowed_decoder(self, is_stopped: IsStopped = never) -> Iterator[Decoder | ChartDecoder]:
        """Provides a decoder that no other thread uses."""
        try:
            decoder = self._idle.get_nowait()
        except Empty:
            how = self.weights, self.settings
            if isinstance(self.phrases, RuleTable):
                decoder = ChartDecoder(self.phrases, self.lm, *how)
            else:
                decoder = Decoder(self.phrases, self.lm, self.distortion, *how)
        decoder.is_stopped = is_stopped
        try:
            yield decoder
        finally:
            self._idle.put(decoder)


def _for_stacks(decoder: Decoder | ChartDecoder, what: str) -> Decoder:
    """The decoder, if it has the stack search."""
    if isinstance(decoder, Decoder):
        return decoder
    raise SettingError(f"{what}: the chart search has no such thing", expected=ONLY_STACKS)
