"""`/openapi.json` and `/models` describe what is there, and nothing else."""

import json

import pytest

from hyperbaton.foundation.files.typed_reading import typed
from hyperbaton.serving.answer_types import Explained, Failure, Health, Models, Translated
from hyperbaton.serving.app import make_app
from hyperbaton.serving.limits import RequestLimits
from hyperbaton.serving.openapi import describe_api
from hyperbaton.serving.request_threads import RequestThreads

API = json.loads(json.dumps(describe_api(RequestLimits())))
POSTED = {"/translate": Translated, "/explain": Explained}
# for fields that the examples do not show
MORE = {
    "/translate": [{"text": "Kare wa", "model": "raw", "n_best": 2}, {"text": ["a\nb"]}],
    "/explain": [
        {"text": "Kare wa", "model": "raw"},
        {"text": "kare wa", "model": "tagged"},
        {"text": "kare wa", "model": "rules"},
        {"text": "kare wa hon o katta", "order": "4 0", "limit": 0, "limits": [0]},
        {"text": "hon o katta", "force": "bought a book", "beams": [1]},
    ],
}


def whole(schema):
    """A schema with those that it refers to."""
    if isinstance(schema, list):
        return [whole(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return whole(API["components"]["schemas"][schema["$ref"].rpartition("/")[2]])
    return {key: whole(value) for key, value in schema.items()}


def schema_of(path, kind="application/json"):
    return whole(API["paths"][path]["post"]["responses"]["200"]["content"][kind]["schema"])


def examples(path):
    body = API["paths"][path]["post"]["requestBody"]["content"]["application/json"]
    return [example["value"] for example in body["examples"].values()]


def properties(schema, where=""):
    """The paths of all properties that a schema names."""
    for name, own in schema.get("properties", {}).items():
        yield f"{where}.{name}"
        yield from properties(own, f"{where}.{name}")
    for own in filter(None, (schema.get("items"), *schema.get("anyOf", ()))):
        yield from properties(own, where)


def shown(value, schema, where=""):
    """The paths of all properties of a schema that a value has."""
    if isinstance(value, list):
        for item in value:
            yield from shown(item, schema.get("items", {}), where)
    for own in schema.get("anyOf", ()):
        yield from shown(value, own, where)
    for name in set(value) & set(schema.get("properties", {})) if isinstance(value, dict) else ():
        yield f"{where}.{name}"
        yield from shown(value[name], schema["properties"][name], f"{where}.{name}")


def test_its_paths_are_those_of_the_server(server):
    for path, methods in API["paths"].items():
        for method in ("get", "post"):
            status = server.request(method.upper(), path).status
            assert (status == 405) == (method not in methods), (path, method)


def test_no_path_is_left_out():
    app = make_app([], RequestThreads(1, RequestLimits()))._app
    paths = {route.path for route in app.routes}
    assert {path for path in paths if path != "/" and not path.startswith("/page/")} == set(
        API["paths"]
    )


@pytest.mark.parametrize(("path", "kind"), POSTED.items())
def test_answers_are_as_described(server, path, kind):
    seen = set()
    for asked in [*examples(path), *MORE[path]]:
        answer = server.post(path, asked)
        assert answer.status == 200, answer.body
        for line in answer.lines:
            typed(line, Failure if "error" in line else kind)
            seen.update(shown(line, schema_of(path, answer.headers["Content-Type"])))
    every = set(properties(schema_of(path)))
    # parts of errors; and here other limits and beams lead to none
    optional = ".where", ".advice", ".expected", "s.error", "s.error.message"
    every -= {name for name in every if name.endswith((*optional, ".limits.beam", ".beams.limit"))}
    assert every <= seen, every - seen


@pytest.mark.parametrize("path", POSTED)
def test_every_field_of_a_request_is_understood(server, path):
    body = API["paths"][path]["post"]["requestBody"]["content"]["application/json"]
    known = {
        "text": "hon o katta", "n_best": 2, "distinct": True, "alignment": True, "features": True,
        "force": "bought a book", "prefix": "bought", "order": "2 0", "model": "small",
        "weights": {"lm": 1}, "distortion": [], "limit": 3, "search": {"beam": 2},
        "markup": "ignore", "derivations": 2, "alternatives": 1, "options": 1, "reference": "a",
        "limits": [1], "beams": [1],
    }  # fmt: skip
    for name in whole(body["schema"])["properties"]:
        answer = server.post(path, {"text": "hon o katta", name: known[name]})
        assert answer.status == 200, (name, answer.body)


def test_errors_are_as_described(server):
    for path in POSTED:
        answer = server.post(path, {"txt": "a"})
        typed(answer.content, Failure)


def test_it_is_served_as_it_is(server):
    assert server.get("/openapi.json").content == API


def test_models(server):
    found = server.get("/models").content
    typed(found, Models)
    small, tagged, raw, rules = found["models"]
    names = ["small", "tagged", "raw", "rules"]
    assert [system["name"] for system in found["models"]] == names
    assert [system["hierarchical"] for system in found["models"]] == [False] * 3 + [True]
    assert rules["features"][-1]["part"] == "glue"
    assert [model["name"] for model in tagged["distortion"]] == ["linear", "msd", "pair"]
    assert tagged["distortion"][2]["needs"] == ["tags"]
    assert {one["name"]: one["weight"] for one in small["features"]}["linear"] == 0.3
    assert {one["name"]: one["part"] for one in small["features"]}["msd.forward.swap"] == "msd"
    assert small["search"]["pop_limit"] == 200
    assert small["limit"] == 6
    assert small["examples"] == [{"text": "hon o katta", "caption": "the verb comes last"}]
    assert (small["raw_text"], small["text"]) == (False, None)
    assert raw["raw_text"]
    assert raw["text"]["source"]["language"] == "xx"
    assert found["limits"]["bytes"] == 1 << 20


def test_nothing_tells_where_files_are(server, model):
    text = server.get("/models").body.decode()
    assert str(model) not in text
    assert str(model.parent) not in text


def test_health(server):
    found = server.get("/health").content
    typed(found, Health)
    assert found == {"status": "ok", "requests": 0}
