"""`POST /translate` says what `translate --format json` prints, under any setting."""

import json
from itertools import product

import pytest

from hyperbaton.decoder.translator import Translator
from tests import command_line

SENTENCES = ["kare wa hon o katta", "", "hon o  nageta", "o katta hon"]


def printed(model, *arguments, lines=SENTENCES):
    done = command_line.run(
        "translate",
        model,
        "--format=json",
        *arguments,
        input="".join(f"{line}\n" for line in lines),
    )
    return done.stdout


@pytest.mark.parametrize(
    ("asked", "arguments"),
    [
        ({}, []),
        ({"n_best": 5}, ["--n-best", 5]),
        ({"n_best": 4, "distinct": True}, ["--n-best", 4, "--distinct"]),
        ({"limit": 0}, ["--distortion-limit", 0]),
        ({"limit": "inf"}, ["--distortion-limit", "inf"]),
        ({"distortion": ["msd"]}, ["--distortion", "msd"]),
        (
            {"search": {"pop_limit": 3, "stack_size": 2, "beam": 1, "options": 1}},
            ["--pop-limit", 3, "--stack-size", 2, "--set=search.beam=1", "--set=search.options=1"],
        ),
        ({"search": {"drop_unknown": True}}, ["--drop-unknown"]),
        ({"search": {"time_limit": 1e-9}}, ["--time-limit", 1e-9]),
    ],
)  # fmt: skip
def test_lines_are_those_of_the_command(server, model, asked, arguments):
    expected = printed(model, *arguments).encode()
    answer = server.translate(SENTENCES, **asked)
    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    assert answer.body == expected
    # one by one, too: as an object, but for the number
    for line, text in zip(expected.splitlines(), SENTENCES, strict=True):
        one = server.translate(text, **asked)
        assert one.headers["Content-Type"] == "application/json"
        assert one.content == json.loads(line) | {"id": 0}
    first = server.translate(SENTENCES[0], **asked)
    assert first.body == expected.splitlines(keepends=True)[0]


def test_weights_are_those_of_the_request_alone(server, model):
    before = server.translate(SENTENCES).body
    weights = {"lm": 3.0, "linear": -1, "msd.backward.swap": 0.0}
    changed = Translator.load(model).with_weights(weights)
    answers = server.translate(SENTENCES, weights=weights).lines
    for text, answer in zip(SENTENCES, answers, strict=True):
        expected = changed.translate(text)
        assert answer["translation"] == expected.text
        assert answer["score"] == expected.score
    assert answers[0]["score"] != json.loads(before.splitlines()[0])["score"]
    assert server.translate(SENTENCES).body == before


def test_markup_as_the_command_reads_it(server, model):
    line = 'kare wa <term translation="novel">hon</term> o katta'
    expected = printed(model, "--markup", "exclusive", lines=[line])
    assert server.translate([line], markup="exclusive").body == expected.encode()
    assert "novel" in server.translate(line, markup="exclusive").content["translation"].split()
    bad = server.translate("<term>hon", markup="exclusive")
    assert bad.status == 422
    assert "term" in bad.error["message"]


def test_raw_text(server, other_systems):
    lines = ["KARE wa hon o katta", "hon o yonda"]
    answer = server.translate(lines, model="raw")
    assert answer.body == printed(other_systems[1], lines=lines).encode()
    assert answer.lines[0]["source_tokens"][0] == "kare"


@pytest.mark.parametrize("kind", ["force", "prefix", "order"])
def test_requests_as_the_command_reads_them(server, model, write, kind):
    lines = {
        "force": ["he bought a book", "bought a book"],
        "prefix": ["a book", "bought"],
        "order": ["4 2-3 0-1", "2 0"],
    }[kind]
    path = write("lines", "".join(f"{line}\n" for line in lines))
    texts = ["kare wa hon o katta", "hon o katta"]
    expected = printed(model, f"--{kind}", path, lines=texts)
    answer = server.translate(texts, **{kind: lines})
    assert answer.body == expected.encode()
    assert (
        server.translate(texts[0], **{kind: lines[0]}).body == expected.encode().splitlines(True)[0]
    )


@pytest.mark.parametrize("system", ["small", "tagged"])
def test_to_force_any_translation_of_a_list_gives_its_score(server, system):
    text = "kare wa hon o katta"
    found = server.translate(text, model=system, n_best=20, distinct=True).content
    listed = [found, *found["n_best"]]
    assert len(listed) > 5
    for entry in listed:
        forced = server.translate(text, model=system, force=entry["translation"]).content
        assert forced["translation"] == entry["translation"]
        assert forced["score"] == pytest.approx(entry["score"], rel=1e-12)  # another order of sums


def test_what_is_not_wanted_is_left_out(server):
    full = server.translate("hon o katta", n_best=2).content
    for alignment, features in product([True, False], repeat=2):
        own = server.translate("hon o katta", n_best=2, alignment=alignment, features=features)
        for one, whole in ((own.content, full), (own.content["n_best"][0], full["n_best"][0])):
            wanted = {"alignment": alignment, "features": features}
            assert set(whole) - set(one) == {name for name, kept in wanted.items() if not kept}


def test_a_sentence_gets_a_line_if_it_asks_for_lines(server):
    answer = server.post(
        "/translate", {"text": "hon o katta"}, Accept="application/x-ndjson, application/json;q=0.5"
    )
    assert answer.headers["Content-Type"] == "application/x-ndjson"
    assert answer.body == server.translate("hon o katta").body


def test_a_sentence_that_fails_leaves_the_others_alone(server):
    texts = ["hon o katta", "hon\nhon", "kare wa"]
    answer = server.translate(texts, order=["0", "0", "7"])
    assert answer.status == 200
    first, second, third = answer.lines
    assert first["id"] == 0
    assert first["translation"]
    assert second == {
        "id": 1,
        "error": {
            "message": "a sentence has line breaks",
            "advice": "send a list of sentences",
        },
    }
    assert third["id"] == 2
    assert third["error"]["message"] == "the span 7-7 is outside the sentence of 2 words"


def test_a_line_may_end(server):
    assert server.translate("hon o katta\r\n").body == server.translate("hon o katta").body


def test_an_empty_list_has_no_lines(server):
    answer = server.translate([])
    assert (answer.status, answer.body) == (200, b"")
