"""The description of the API for programs (OpenAPI 3.1), made from the schemas."""

from importlib.metadata import version
from typing import Any

from hyperbaton.serving import answer_schemas
from hyperbaton.serving.answers import JSON, JSON_LINES
from hyperbaton.serving.limits import RequestLimits
from hyperbaton.serving.request_schemas import explain_schema, translate_schema

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
    "400": "The request is not JSON, or has a field, value, feature or model that does not exist.",
    "404": "There is no such system.",
    "408": "The body took too long to arrive.",
    "413": "A body, list or sentence is too large.",
    "415": "The body is not declared as JSON.",
    "421": "The request calls the server by a name that it does not have.",
    "422": "The system cannot do it.",
    "503": "There are too many requests at once.",
    "504": "The search took too long and was stopped.",
}


def describe_api(limits: RequestLimits) -> dict[str, Any]:
    lines = {"schema": {"anyOf": [answer_schemas.TRANSLATED, answer_schemas.FAILED]}}
    translated = _content(answer_schemas.TRANSLATED) | {JSON_LINES: lines}
    explained = _content(answer_schemas.EXPLAINED)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "hyperbaton",
            "version": version("hyperbaton"),
            "description": "Phrase-based translation whose point is word order.",
        },
        "paths": {
            "/translate": _post(
                "Translate a sentence, or a list of them as JSON lines.",
                translate_schema(limits),
                translated,
                EXAMPLES["/translate"],
            ),
            "/explain": _post(
                "Show how a sentence is translated, and why.",
                explain_schema(limits),
                explained,
                EXAMPLES["/explain"],
            ),
            "/models": _get("The systems, and the limits of the server.", answer_schemas.MODELS),
            "/health": _get("Whether the server works.", answer_schemas.HEALTH),
            "/openapi.json": _get("This description.", {"type": "object"}),
        },
    }


def _post(
    summary: str, schema: dict[str, Any], answers: dict[str, Any], examples: dict[str, Any]
) -> dict[str, Any]:
    shown = {name: {"value": value} for name, value in examples.items()}
    body = {"required": True, "content": {JSON: {"schema": schema, "examples": shown}}}
    errors = {
        status: {"description": what, "content": _content(answer_schemas.FAILURE)}
        for status, what in ERRORS.items()
    }
    done = {"200": {"description": "Done.", "content": answers}}
    return {"post": {"summary": summary, "requestBody": body, "responses": done | errors}}


def _get(summary: str, schema: dict[str, Any]) -> dict[str, Any]:
    done = {"200": {"description": "Done.", "content": _content(schema)}}
    return {"get": {"summary": summary, "responses": done}}


def _content(schema: dict[str, Any]) -> dict[str, Any]:
    return {JSON: {"schema": schema}}
