"""Types of the requests, which validate them and describe the API."""

from functools import cache
from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType, to_builtins

from hyperbaton.corpus.sentences.marking import MARKUP, PASS_THROUGH
from hyperbaton.decoder.explanation import N_ALTERNATIVES
from hyperbaton.decoder.options import MOST_OPTIONS
from hyperbaton.foundation.files.typed_reading import typed
from hyperbaton.serving.answer_types import about
from hyperbaton.serving.limits import RequestLimits

LARGEST = 10**6
MOST_SWEPT = 16  # distortion limits or beams that are tried on one sentence
Limit = Annotated[
    Annotated[int, Meta(ge=0, le=LARGEST)] | Literal["inf"],
    Meta(description="Maximum jump in words, or inf."),
]
Weight = Annotated[float, Meta(ge=-LARGEST, le=LARGEST)]
Markup = Literal[MARKUP]  # type: ignore[valid-type]
NamesOfModels = Annotated[list[str], Meta(max_length=100)]


class Request(Struct, forbid_unknown_fields=True, kw_only=True):
    """The system to use, and changes to it for this request."""

    model: Annotated[str, about("Name of a system; by default the first.")] | UnsetType = UNSET
    weights: (
        Annotated[dict[str, Weight], about("Weights by feature name; the others are unchanged.")]
        | UnsetType
    ) = UNSET
    distortion: (
        Annotated[NamesOfModels, about("The distortion models to use; the others are off.")]
        | UnsetType
    ) = UNSET
    limit: Limit | UnsetType = UNSET
    markup: Annotated[Markup, about("How to treat markup in the text.")] = PASS_THROUGH


def checked(content: Any, kind: type[Struct]) -> dict[str, Any]:
    """Validates a request; returns the fields that are given or have a default, by name."""
    fields: dict[str, Any] = to_builtins(typed(content, kind))
    return fields


def _between(least: int, most: float, what: str = "") -> Meta:
    return Meta(ge=least, le=most, description=what or None)


@cache
def search_settings(most: RequestLimits) -> type[Struct]:
    Width = Annotated[int, _between(1, most.pops)]  # noqa: N806
    worse = _between(0, LARGEST, "Maximum score below the best hypothesis; 0: no limit.")
    phrases = _between(1, MOST_OPTIONS, "Maximum translations per source phrase.")
    seconds = "Seconds of search per sentence; afterwards the beam narrows. 0: no limit."

    class SearchSettings(Struct, forbid_unknown_fields=True, kw_only=True):
        """Settings of the search."""

        pop_limit: Annotated[Width, about("Maximum steps taken per stack.")] | UnsetType = UNSET
        stack_size: Annotated[Width, about("Maximum hypotheses per stack.")] | UnsetType = UNSET
        beam: Annotated[float, worse] | UnsetType = UNSET
        options: Annotated[int, phrases] | UnsetType = UNSET
        drop_unknown: Annotated[bool, about("Omit unknown words.")] | UnsetType = UNSET
        time_limit: Annotated[float, _between(0, most.seconds, seconds)] | UnsetType = UNSET

    return SearchSettings


@cache
def translate_request(most: RequestLimits) -> type[Struct]:
    Texts = str | Annotated[list[str], Meta(max_length=most.sentences)]  # noqa: N806
    into = about("Produce this translation, or the closest possible one; one per sentence.")

    class TranslateRequest(Request):
        text: Annotated[Texts, about("A sentence, or a list of sentences.")]
        n_best: Annotated[int, _between(1, most.n_best, "Length of the n-best list.")] = 1
        distinct: Annotated[bool, about("List each translation only once.")] = False
        alignment: Annotated[bool, about("Return word alignments.")] = True
        features: Annotated[bool, about("Return the values of all features.")] = True
        force: Annotated[Texts, into] | UnsetType = UNSET
        prefix: Annotated[Texts, about("Begin with these words.")] | UnsetType = UNSET
        order: Annotated[Texts, about("Order of the source words: 4 0-2 3.")] | UnsetType = UNSET
        search: search_settings(most) | UnsetType = UNSET  # type: ignore[valid-type]

    return TranslateRequest


@cache
def explain_request(most: RequestLimits) -> type[Struct]:
    spans = _between(0, 50, "Alternative spans to list at each step.")
    phrases = _between(0, MOST_OPTIONS, "Translations to list per span; 0: none.")
    Size = Annotated[int, _between(1, most.pops // 2)]  # noqa: N806
    sizes = about("Also translate with these stack sizes; the pop limits are equal to them.")
    jumps, few = about("Also translate with these distortion limits."), Meta(max_length=MOST_SWEPT)

    class ExplainRequest(Request):
        text: Annotated[str, about("The sentence.")]
        n_best: Annotated[int, _between(1, most.n_best, "Derivations to list.")] = 10
        distinct: Annotated[bool, about("List each translation only once.")] = False
        derivations: Annotated[int, _between(1, 10, "Derivations to explain step by step.")] = 1
        alternatives: Annotated[int, spans] = N_ALTERNATIVES
        options: Annotated[int, phrases] = 3
        reference: Annotated[str, about("A reference to compare with.")] = ""
        force: Annotated[str, about("Also explain this translation.")] | UnsetType = UNSET
        prefix: Annotated[str, about("Also explain the best with this start.")] | UnsetType = UNSET
        order: Annotated[str, about("Also explain this order: 4 0-2 3.")] | UnsetType = UNSET
        limits: Annotated[tuple[Limit, ...], few, jumps] = ()
        beams: Annotated[tuple[Size, ...], few, sizes] = ()
        search: search_settings(most) | UnsetType = UNSET  # type: ignore[valid-type]

    return ExplainRequest
