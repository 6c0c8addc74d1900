"""`POST /translate`, one sentence at a time: the line that `translate --format json` prints."""

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hyperbaton.corpus.sentences.marking import Marking, marked_sentence
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.constrained_search import PARSERS, WIDENING, Request
from hyperbaton.decoder.decode import IsStopped, Stopped
from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.output import json_content
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.errors import HyperbatonError
from hyperbaton.serving.answer_bounds import json_text, too_slow
from hyperbaton.serving.answers import BAD_REQUEST, TOO_LARGE, Refused, error_content
from hyperbaton.serving.limits import RequestLimits
from hyperbaton.serving.systems import Change, ServedSystem

WIDE = ("force", "prefix")  # requests for which more is tried
LOGGER = logging.getLogger(__name__)


def sentence_of(
    translator: Translator, asked: Mapping[str, Any], line: str, limits: RequestLimits
) -> Sentence:
    """The sentence of a text, as the commands read it from a line of a file."""
    line = line.removesuffix("\n").removesuffix("\r")
    if "\n" in line or "\r" in line:
        raise Refused(
            BAD_REQUEST, "a sentence has line breaks", advice="give a list with an item for each"
        )
    check_letters("a sentence", line, limits)
    marking = Marking(asked["markup"])
    text = translator.preparation.text
    sentence = (marked_sentence if text is None else text.marked)(marking.read(line))
    check_words("a sentence", sentence.words, limits)
    return marking.mark(sentence)


def requested(asked: Mapping[str, Any]) -> str | None:
    """The field that says what to search for, if there is one."""
    given = [name for name in PARSERS if name in asked]
    if len(given) > 1:
        raise Refused(BAD_REQUEST, f"{' and '.join(given)} exclude each other")
    return given[0] if given else None


def request_of(translator: Translator, kind: str, line: str, limits: RequestLimits) -> Request:
    """What to search for, if it is neither too long nor too much work."""
    short_words(translator, kind, line, limits)
    settings = translator.settings
    if kind in WIDE and WIDENING * max(settings.pop_limit, settings.stack_size) > limits.pops:
        raise Refused(
            BAD_REQUEST,
            f"with {kind}, a search is {WIDENING} times as wide",
            expected=f"pop_limit and stack_size can be {limits.pops // WIDENING:,} at most",
        )
    return PARSERS[kind](line, translator.preparation.split)


def short_words(
    translator: Translator, what: str, line: str, limits: RequestLimits
) -> Sequence[str]:
    """The words of a text, if it is not too long."""
    check_letters(what, line, limits)  # before anybody takes a long text apart
    words = translator.preparation.split(line)
    check_words(what, words, limits)
    return words


def check_words(what: str, words: Sequence[str], limits: RequestLimits) -> None:
    _check_length(f"{what} has {len(words):,} words", len(words), limits.words)
    longest = max(map(len, words), default=0)
    _check_length(f"a word of {what} has {longest:,} letters", longest, limits.word_letters)


def check_letters(what: str, line: str, limits: RequestLimits) -> None:
    _check_length(f"{what} has {len(line):,} letters", len(line), limits.letters)


def _check_length(what: str, length: int, most: int) -> None:
    if length > most:
        raise Refused(
            TOO_LARGE,
            what,
            expected=f"this server takes {most:,} at most",
            advice="split the sentence",
        )


@dataclass(frozen=True)
class SentenceJob:
    system: ServedSystem
    change: Change
    asked: Mapping[str, Any]
    limits: RequestLimits
    number: int
    line: str
    wish: str = ""  # what is requested of it

    def translated(self, is_stopped: IsStopped) -> str:
        """Its line of JSON, without what was not wanted."""
        asked, kind = self.asked, requested(self.asked)
        translator = self.system.variant(self.change)
        decoded = decode(
            translator,
            sentence_of(translator, asked, self.line, self.limits),
            self.limits,
            is_stopped,
            n_best=asked["n_best"],
            distinct=asked["distinct"],
            request=request_of(translator, kind, self.wish, self.limits) if kind else None,
        )
        content = json_content(self.number, decoded, translator)
        unwanted = [name for name in ("alignment", "features") if not asked[name]]
        for one in (content, *content.get("n_best", ())) if unwanted else ():
            for name in unwanted:
                del one[name]
        return json_text(content, self.limits)

    def translated_or_failed(self, is_stopped: IsStopped) -> str:
        """Its line, or one with an error in its place."""
        try:
            return self.translated(is_stopped)
        except HyperbatonError as error:
            return self.failed(error)
        except Exception as error:
            LOGGER.exception("sentence %d of a request failed", self.number)
            return self.failed(error)

    def failed(self, error: Exception) -> str:
        return json.dumps({"id": self.number, **error_content(error)}, ensure_ascii=False)


def sentence_jobs(
    system: ServedSystem, asked: Mapping[str, Any], limits: RequestLimits
) -> Sequence[SentenceJob]:
    """The sentences of a request, with what is requested of each."""
    given, kind = asked["text"], requested(asked)
    sentences = [given] if isinstance(given, str) else given
    wishes = [""] * len(sentences)
    if kind is not None:
        wishes = [asked[kind]] if isinstance(asked[kind], str) else asked[kind]
        if type(given) is not type(asked[kind]) or len(sentences) != len(wishes):
            raise Refused(
                BAD_REQUEST, f"{kind} does not fit text", expected="one for each sentence"
            )
    whole = system, system.change(asked), asked, limits
    pairs = zip(sentences, wishes, strict=True)
    return [SentenceJob(*whole, number, *pair) for number, pair in enumerate(pairs)]


def decode(
    translator: Translator,
    sentence: Sentence,
    limits: RequestLimits,
    is_stopped: IsStopped,
    **how: Any,
) -> Decoded:
    """Decodes within the time of a request, of which none may be left."""
    try:
        if is_stopped():
            raise Stopped
        return translator.decode(sentence, is_stopped=is_stopped, **how)
    except Stopped:
        raise too_slow(limits) from None
