"""The OpenAPI 3.1 description of the API, generated from the types."""

from importlib.metadata import version
from typing import Any

from msgspec.json import schema_components

from hyperbaton.serving.answer_types import Explained, Failure, Health, Models, Translated
from hyperbaton.serving.answers import JSON, JSON_LINES
from hyperbaton.serving.limits import RequestLimits
from hyperbaton.serving.request_types import explain_request, translate_request

EXAMPLES: dict[str, dict[str, Any]] = {
    "/translate": {
        "a sentence": {"text": "kare wa hon o katta"},
        "n-best list": {"text": "kare wa hon o katta", "n_best": 3, "distinct": True},
        "sentences": {"text": ["kare wa hon o katta", "hon o yonda"], "features": False},
        "other weights": {
            "text": "kare wa hon o katta",
            "weights": {"lm": 0.7},
            "distortion": ["linear"],
            "limit": "inf",
            "search": {"pop_limit": 100, "stack_size": 50},
        },
        "a given order": {"text": "kare wa hon o katta", "order": "0-1 4 2-3"},
    },
    "/explain": {
        "a sentence": {"text": "kare wa hon o katta"},
        "beside a translation": {
            "text": "kare wa hon o katta",
            "force": "he read a book",
            "reference": "he bought a book",
            "limits": [0, 6, "inf"],
            "beams": [1, 10, 100],
        },
    },
}
ERRORS = {
    "400": "The request is not JSON, or names an unknown field, value, feature or model.",
    "404": "The system does not exist.",
    "408": "The body took too long to arrive.",
    "413": "The body, a list or a sentence is too large.",
    "415": "The content type is not JSON.",
    "421": "The request names another host.",
    "422": "The system cannot do this.",
    "503": "The server is busy with too many requests.",
    "504": "The search took too long and was stopped.",
}


def describe_api(limits: RequestLimits) -> dict[str, Any]:
    kinds: tuple[Any, ...] = translate_request(limits), explain_request(limits)
    kinds += Translated, Explained, Models, Health, Failure
    schemas, components = schema_components(kinds, ref_template="#/components/schemas/{name}")
    translate, explain, translated, explained, models, health, failure = schemas
    lines = {JSON_LINES: {"schema": {"anyOf": [translated, failure]}}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "hyperbaton",
            "version": version("hyperbaton"),
            "description": "Phrase-based machine translation whose point is word order.",
        },
        "paths": {
            "/translate": _post(
                "Translate a sentence, or a list of sentences as JSON lines.",
                _content(translate, EXAMPLES["/translate"]),
                _content(translated) | lines,
                failure,
            ),
            "/explain": _post(
                "Show how a sentence is translated, and why.",
                _content(explain, EXAMPLES["/explain"]),
                _content(explained),
                failure,
            ),
            "/models": _get("The systems, and the limits of the server.", models),
            "/health": _get("The state of the server.", health),
            "/openapi.json": _get("This description.", {"type": "object"}),
        },
        "components": {"schemas": components},
    }


def _post(
    summary: str, request: dict[str, Any], answer: dict[str, Any], failure: dict[str, Any]
) -> dict[str, Any]:
    body = {"required": True, "content": request}
    done = {"200": {"description": "Done.", "content": answer}}
    errors = {
        status: {"description": what, "content": _content(failure)}
        for status, what in ERRORS.items()
    }
    return {"post": {"summary": summary, "requestBody": body, "responses": done | errors}}


def _get(summary: str, schema: dict[str, Any]) -> dict[str, Any]:
    done = {"200": {"description": "Done.", "content": _content(schema)}}
    return {"get": {"summary": summary, "responses": done}}


def _content(schema: dict[str, Any], examples: dict[str, Any] | None = None) -> dict[str, Any]:
    shown = {name: {"value": value} for name, value in (examples or {}).items()}
    return {JSON: {"schema": schema} | ({"examples": shown} if shown else {})}
