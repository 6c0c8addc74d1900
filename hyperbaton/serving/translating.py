"""`POST /translate`, one sentence at a time: the line that `hyperbaton translate --json` prints."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from decoder.decode import Stopped
from decoder.decoded import Decoded
from decoder.output import json_content
from decoder.request_files import PARSERS
from decoder.requests import Request
from decoder.translator import Translator
from hyperbaton.serving.limits import Limits
from hyperbaton.serving.refusals import BAD_REQUEST, TOO_LARGE, TOO_SLOW, Refused, error_content
from hyperbaton.serving.systems import Change, System
from models.data.marking import Marking, marked_sentence
from models.data.sentence import Sentence
from models.errors import HyperbatonError

IsStopped = Callable[[], bool]


def sentence_of(
    translator: Translator, asked: Mapping[str, Any], line: str, limits: Limits
) -> Sentence:
    """The sentence of a text, as the commands read it from a line of a file."""
    line = line.removesuffix("\n").removesuffix("\r")
    if "\n" in line or "\r" in line:
        raise Refused(
            BAD_REQUEST, "a sentence has line breaks", advice="give a list with an item for each"
        )
    marking = Marking(asked["markup"]) if "markup" in asked else Marking()
    text = translator.preparation.text
    sentence = (marked_sentence if text is None else text.marked)(marking.read(line))
    if len(sentence) > limits.words:
        raise Refused(
            TOO_LARGE,
            f"a sentence has {len(sentence):,} words",
            expected=f"this server takes {limits.words:,} at most",
            advice="split it",
        )
    return marking.mark(sentence)


def requested(asked: Mapping[str, Any]) -> str | None:
    """The field that says what to search for, if there is one."""
    given = [name for name in PARSERS if name in asked]
    if len(given) > 1:
        raise Refused(BAD_REQUEST, f"{' and '.join(given)} exclude each other")
    return given[0] if given else None


def request_of(translator: Translator, kind: str, line: str) -> Request:
    return PARSERS[kind](line, translator.preparation.split)


def texts_of(asked: Mapping[str, Any]) -> tuple[Sequence[str], Sequence[str | None]]:
    """The sentences of a request, and what is requested of each."""
    given, kind = asked["text"], requested(asked)
    sentences = [given] if isinstance(given, str) else given
    if kind is None:
        return sentences, [None] * len(sentences)
    wishes = [asked[kind]] if isinstance(asked[kind], str) else asked[kind]
    if isinstance(given, str) != isinstance(asked[kind], str) or len(sentences) != len(wishes):
        raise Refused(BAD_REQUEST, f"{kind} does not fit text", expected="one for each sentence")
    return sentences, wishes


def translate(
    system: System,
    asked: Mapping[str, Any],
    line: str,
    wish: str | None,
    limits: Limits,
    is_stopped: IsStopped,
) -> tuple[Decoded, Translator]:
    """Decodes one sentence of a checked request."""
    translator = system.variant(Change.of(asked))
    kind = requested(asked)
    request = request_of(translator, kind, wish) if kind and wish is not None else None
    sentence = sentence_of(translator, asked, line, limits)
    n_best, distinct = asked.get("n_best", 1), asked.get("distinct", False)
    with_what = {"distinct": distinct, "request": request, "is_stopped": is_stopped}
    return decode(translator, sentence, n_best, limits, **with_what), translator


def decode(
    translator: Translator, sentence: Sentence, n_best: int, limits: Limits, **how: Any
) -> Decoded:
    """Decodes within the time of a request."""
    try:
        return translator.decode(sentence, n_best, **how)
    except Stopped:
        raise too_slow(limits) from None


def too_slow(limits: Limits) -> Refused:
    return Refused(
        TOO_SLOW,
        f"the request took more than {limits.seconds:g} seconds",
        advice="ask for less at a time, or for a narrower search",
    )


def translation_line(number: int, asked: Mapping[str, Any], found: tuple[Decoded, Translator]) -> str:
    """One line of JSON, without what was not wanted."""
    content = json_content(number, *found)
    unwanted = [name for name in ("alignment", "features") if not asked.get(name, True)]
    for one in (content, *content.get("n_best", ())) if unwanted else ():
        for name in unwanted:
            del one[name]
    return json.dumps(content, ensure_ascii=False)


def line_or_error(
    number: int, asked: Mapping[str, Any], search: Callable[[], tuple[Decoded, Translator]]
) -> str:
    """The line of a sentence, or of an error in its place."""
    try:
        return translation_line(number, asked, search())
    except HyperbatonError as error:
        return json.dumps({"id": number, **error_content(error)}, ensure_ascii=False)
