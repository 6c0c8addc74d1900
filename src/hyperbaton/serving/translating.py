"""`POST /translate`: translates each sentence to the same line as `translate --format json`."""

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
from hyperbaton.models.rules.table import RuleTable
from hyperbaton.serving.answer_bounds import json_text, too_slow
from hyperbaton.serving.answers import BAD_REQUEST, TOO_LARGE, Refused, error_content
from hyperbaton.serving.limits import RequestLimits
from hyperbaton.serving.systems import Change, ServedSystem

WIDE = ("force", "prefix")  # constraints that need a wider search
LOGGER = logging.getLogger(__name__)


def sentence_of(
    translator: Translator, asked: Mapping[str, Any], line: str, limits: RequestLimits
) -> Sentence:
    """Parses a sentence as the commands parse a line of a file."""
    line = line.removesuffix("\n").removesuffix("\r")
    if "\n" in line or "\r" in line:
        raise Refused(BAD_REQUEST, "a sentence has line breaks", advice="send a list of sentences")
    check_letters("a sentence", line, limits)
    marking = Marking(asked["markup"])
    text = translator.preparation.text
    sentence = (marked_sentence if text is None else text.marked)(marking.read(line))
    check_words("a sentence", sentence.words, limits)
    return marking.mark(sentence)


def requested(asked: Mapping[str, Any]) -> str | None:
    """The field that constrains the search, if any."""
    given = [name for name in PARSERS if name in asked]
    if len(given) > 1:
        raise Refused(BAD_REQUEST, f"{' and '.join(given)} exclude each other")
    return given[0] if given else None


def request_of(translator: Translator, kind: str, line: str, limits: RequestLimits) -> Request:
    """Parses a constraint; raises if it is too long or its search too wide."""
    short_words(translator, kind, line, limits)
    settings = translator.settings
    has_stacks = not isinstance(translator.phrases, RuleTable)  # a chart refuses all constraints
    if (
        has_stacks
        and kind in WIDE
        and WIDENING * max(settings.pop_limit, settings.stack_size) > limits.pops
    ):
        raise Refused(
            BAD_REQUEST,
            f"{kind} makes the search {WIDENING} times as wide",
            expected=f"pop_limit and stack_size may be at most {limits.pops // WIDENING:,}",
        )
    return PARSERS[kind](line, translator.preparation.split)


def short_words(
    translator: Translator, what: str, line: str, limits: RequestLimits
) -> Sequence[str]:
    """The words of a text; raises if it is too long."""
    check_letters(what, line, limits)  # before tokenising a long text
    words = translator.preparation.split(line)
    check_words(what, words, limits)
    return words


def check_words(what: str, words: Sequence[str], limits: RequestLimits) -> None:
    _check_length(f"{what} has {len(words):,} words", len(words), limits.words)
    longest = max(map(len, words), default=0)
    _check_length(f"a word of {what} has {longest:,} characters", longest, limits.word_letters)


def check_letters(what: str, line: str, limits: RequestLimits) -> None:
    _check_length(f"{what} has {len(line):,} characters", len(line), limits.letters)


def _check_length(what: str, length: int, most: int) -> None:
    if length > most:
        raise Refused(
            TOO_LARGE,
            what,
            expected=f"at most {most:,}",
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
    constraint: str = ""

    def translated(self, is_stopped: IsStopped) -> str:
        """Translates the sentence to a line of JSON with the requested fields."""
        asked, kind = self.asked, requested(self.asked)
        translator = self.system.variant(self.change)
        decoded = decode(
            translator,
            sentence_of(translator, asked, self.line, self.limits),
            self.limits,
            is_stopped,
            n_best=asked["n_best"],
            distinct=asked["distinct"],
            request=request_of(translator, kind, self.constraint, self.limits) if kind else None,
        )
        content = json_content(self.number, decoded, translator)
        unwanted = [name for name in ("alignment", "features") if not asked[name]]
        for translation in (content, *content.get("n_best", ())) if unwanted else ():
            for name in unwanted:
                del translation[name]
        return json_text(content, self.limits)

    def translated_or_failed(self, is_stopped: IsStopped) -> str:
        """Translates the sentence to a line of JSON, which may be an error."""
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
    """One job per sentence of a request, with its constraint."""
    text, kind = asked["text"], requested(asked)
    sentences = [text] if isinstance(text, str) else text
    constraints = [""] * len(sentences)
    if kind is not None:
        constraints = [asked[kind]] if isinstance(asked[kind], str) else asked[kind]
        if type(text) is not type(asked[kind]) or len(sentences) != len(constraints):
            raise Refused(
                BAD_REQUEST, f"{kind} does not match text", expected="expected one per sentence"
            )
    shared = system, system.change(asked), asked, limits
    pairs = zip(sentences, constraints, strict=True)
    return [SentenceJob(*shared, number, *pair) for number, pair in enumerate(pairs)]


def decode(
    translator: Translator,
    sentence: Sentence,
    limits: RequestLimits,
    is_stopped: IsStopped,
    **how: Any,
) -> Decoded:
    """Decodes a sentence; raises if the time of the request is up."""
    try:
        if is_stopped():
            raise Stopped
        return translator.decode(sentence, is_stopped=is_stopped, **how)
    except Stopped:
        raise too_slow(limits) from None
