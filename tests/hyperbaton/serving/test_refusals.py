"""Requests that are not answered: each gets a status and an error that helps."""

import http.client
import json
import socket
import time
from contextlib import ExitStack, closing, suppress
from itertools import product

import pytest

from hyperbaton.decoder.decode import Decoder, Stopped
from hyperbaton.decoder.translator import Translator
from hyperbaton.serving.server import Patience
from hyperbaton.serving.systems import ServedSystem
from hyperbaton.serving.translating import SentenceJob
from tests.child_processes import PATIENCE, wait_until
from tests.hyperbaton.serving.running import JSON, running
from tests.refusals import states

SENTENCE = "kare wa hon o katta"


@pytest.fixture(scope="module")
def system(model):
    return ServedSystem("small", Translator.load(model))


@pytest.fixture
def slow(monkeypatch):
    """Searches go on until they are stopped, and are counted."""
    began = []

    def decode(self, *_, **__):
        began.append(self)
        deadline = time.monotonic() + PATIENCE
        while not self.is_stopped():
            assert time.monotonic() < deadline
            time.sleep(0.005)
        raise Stopped

    monkeypatch.setattr(Decoder, "decode", decode)
    return began


KEYS = "model, weights, distortion, limit, markup, text, n_best, distinct, alignment, features, "
SEARCH = "pop_limit, stack_size, beam, options, drop_unknown, time_limit"
MARKUP = "'exclusive' or 'inclusive' or 'constraint' or 'ignore' or 'pass-through'"


def stated(error):
    """An error of the server as commands would print it."""
    order = "where", "message", "expected", "advice"
    assert set(error) <= set(order)
    return "\n".join(error[part] for part in order if part in error)


@pytest.mark.parametrize(
    ("asked", "status", "facts"),
    [
        ({"txt": 1}, 400, f"'txt' … known: {KEYS}force, prefix, order, search … mean text?"),
        ({"search": {"pops": 1}}, 400, f"unknown key 'search.pops' … known: {SEARCH}"),
        ({"text": 1}, 400, "text cannot be 1 … expected text or a list"),
        ({"text": ["a", None]}, 400, "text[1] cannot be null … expected text"),
        ({"n_best": 0}, 400, "n_best cannot be 0 … expected a whole number >= 1"),
        ({"n_best": 201}, 400, "n_best cannot be 201 … expected a whole number <= 200"),
        ({"n_best": True}, 400, "n_best cannot be true … expected a whole number"),
        ({"distinct": 1}, 400, "distinct cannot be 1 … expected true or false"),
        ({"limit": "six"}, 400, "limit cannot be 'six' … expected a whole number or 'inf'"),
        ({"search": {"pop_limit": 0}}, 400, "search.pop_limit cannot be 0 … whole number >= 1"),
        ({"markup": "xml"}, 400, f"markup cannot be 'xml' … expected {MARKUP}"),
        ({"weights": {"lmm": 1}}, 400, "weights … no feature 'lmm' … did you mean lm?"),
        ({"weights": {"lm": "1"}}, 400, "weights.lm cannot be '1' … expected a number"),
        ({"distortion": ["liner"]}, 400, "distortion … 'liner' … did you mean linear?"),
        ({"distortion": ["msd", "msd"]}, 400, "distortion … 'msd' occurs twice"),
        ({"model": "smal"}, 404, "model … unknown system 'smal' … did you mean small?"),
        ({"force": "b", "order": "0"}, 400, "force and order exclude each other"),
        ({"text": ["a"], "force": "b"}, 400, "force does not match text … one per sentence"),
        (
            {"text": ["a"], "prefix": ["b", "c"]},
            400,
            "prefix does not match text … one per sentence",
        ),
        ({"text": "a b", "order": "1-"}, 422, "'1-' is not a span of words … 4 or 0-2"),
        ({"text": "a\nb"}, 400, "a sentence has line breaks … send a list of sentences"),
    ],
)
def test_wrong_fields_and_values(server, asked, status, facts):
    answer = server.post("/translate", {"text": "a"} | asked)
    assert (answer.status, states(stated(answer.error), facts)) == (status, True)


@pytest.mark.parametrize(
    ("asked", "facts"),
    [({}, "text is missing"), ([1], "the content cannot be [1] … expected keys with values")],
)
def test_contents_that_are_no_requests(server, asked, facts):
    answer = server.post("/translate", asked)
    assert (answer.status, states(stated(answer.error), facts)) == (400, True)


@pytest.mark.parametrize(
    ("body", "says"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b'{"text": NaN}', "not JSON"),
        (b'{"text": "\xff"}', "not JSON"),
        (b'{"text": "\\ud800"}', "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
        (b'{"text": "' + b"1" * 5000, "not JSON"),
        (b'{"n_best": ' + b"9" * 5000 + b"}", ""),
        (b'{"n_best": 1e400}', "the body is not JSON: Number out of range"),
    ],
)
def test_bodies_that_are_no_requests(server, body, says):
    for path in ("/translate", "/explain"):
        answer = server.request("POST", path, body, JSON)
        assert answer.status == 400
        assert says in answer.error["message"]
        assert "$" not in answer.error["message"]


def test_a_body_must_be_declared_as_json(server):
    for kind in ("text/plain", "application/x-www-form-urlencoded", None):
        headers = {"Content-Type": kind} if kind else {}
        answer = server.request("POST", "/translate", b'{"text": "a"}', headers)
        assert (answer.status, answer.error["expected"]) == (
            415,
            "expected Content-Type: application/json",
        )
    answer = server.request(
        "POST", "/translate", b'{"text": "a"}', {"Content-Type": "Application/JSON; charset=utf-8"}
    )
    assert answer.status == 200


def test_paths_and_methods(server):
    answer = server.get("/translat")
    assert (answer.status, answer.error["advice"]) == (404, "see /openapi.json")
    answer = server.get("/translate")
    assert (answer.status, answer.headers["Allow"]) == (405, "POST")


def test_a_list_with_names_that_do_not_exist_is_refused_as_a_whole(server):
    answer = server.translate(["hon", "hon"], weights={"lmm": 1})
    assert (answer.status, answer.error["message"]) == (400, "there is no feature 'lmm'")


def test_a_large_body_is_refused_declared_or_not(system):
    with running(system, bytes=1000) as server:
        body = json.dumps({"text": "a" * 1000}).encode()
        for given in (body, iter([body[:500], body[500:]])):  # the second one is sent in chunks
            answer = server.request("POST", "/translate", given, JSON)
            assert answer.status == 413
            assert answer.error["expected"] == "at most 1,000 bytes"
        # nobody waits for a body that is announced as too large
        connection = server.connect()
        connection.putrequest("POST", "/translate")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", "10000000000")
        connection.endheaders()
        assert connection.getresponse().status == 413
        connection.close()
        assert server.translate("hon").status == 200


def test_many_sentences_and_long_ones_are_refused(system):
    with running(system, sentences=2, words=4) as server:
        assert server.translate(["hon"] * 2).status == 200
        answer = server.translate(["hon"] * 3)
        assert answer.status == 413
        assert answer.error["message"] == "text has 3 items"
        answer = server.translate("a b c d e")
        assert answer.status == 413
        assert answer.error == {
            "message": "a sentence has 5 words",
            "expected": "at most 4",
            "advice": "split the sentence",
        }
        good, bad = server.translate(["a b c d", "a b c d e"]).lines
        assert good["translation"] == "a b c d"
        assert bad["error"]["message"] == "a sentence has 5 words"


def test_what_is_searched_for_may_be_no_longer(system):
    with running(system, words=4) as server:
        for field in ("force", "prefix", "order", "reference"):
            asked = {"text": "hon", field: "0 1 2 3 4"}
            for path in ("/explain",) if field == "reference" else ("/translate", "/explain"):
                answer = server.post(path, asked)
                assert answer.status == 413
                assert answer.error["message"] == f"{field} has 5 words"


def test_a_search_for_a_translation_is_wide_and_may_not_be_wider(system):
    wide = {"pop_limit": 30, "stack_size": 20}
    with running(system, pops=299) as server:
        assert server.translate("hon", search=wide).status == 200
        assert server.translate("hon", search=wide, order="0").status == 200
        narrow = {"pop_limit": 29, "stack_size": 29}
        assert server.translate("hon", search=narrow, force="a").status == 200
        other = {"pop_limit": 20, "stack_size": 30}
        for asked, search in product(({"force": "a"}, {"prefix": "a"}), (wide, other)):
            answer = server.translate("hon", search=search, **asked)
            assert answer.status == 400
            assert answer.error["expected"] == "pop_limit and stack_size may be at most 29"


@pytest.mark.parametrize("asked", [{"force": "a"}, {"prefix": "a"}, {"order": "0"}])
def test_a_chart_refuses_constraints_as_such(other_systems, asked):
    rules = ServedSystem("rules", Translator.load(other_systems[-1]))
    with running(rules, pops=9) as server:
        answer = server.translate("hon", search={"pop_limit": 9}, **asked)
    assert answer.status == 400
    assert answer.error["message"].startswith("a given translation, prefix or order: the chart")


def test_a_search_is_stopped_when_its_time_is_up(system, slow):
    with running(system, seconds=0.2) as server:
        for path in ("/translate", "/explain"):
            answer = server.post(path, {"text": SENTENCE})
            assert answer.status == 504
            assert answer.error["message"] == "the request took more than 0.2 seconds"
        lines = server.translate([SENTENCE] * 5).lines
        assert [line["id"] for line in lines] == list(range(5))
        assert all("more than 0.2 seconds" in line["error"]["message"] for line in lines)
        wait_until(server.is_idle)
    assert slow


def test_a_search_that_cannot_be_stopped_is_given_up_and_still_counted(system, monkeypatch):
    ended = []

    def decode(*_, **__):
        wait_until(lambda: ended)
        raise Stopped

    monkeypatch.setattr(Decoder, "decode", decode)
    monkeypatch.setattr("hyperbaton.serving.request_threads.GRACE", 0.1)
    with running(system, seconds=0.1, requests=2) as server:
        assert [server.translate(SENTENCE).status for _ in range(2)] == [504, 504]
        assert server.workers.n_given_up == 2
        assert server.translate(SENTENCE).status == 503
        ended.append(True)
        wait_until(server.is_idle)
        assert server.translate(SENTENCE).status == 504


@pytest.mark.usefixtures("slow")
def test_the_server_refuses_what_is_too_much_at_once(system):
    with running(system, requests=2, seconds=PATIENCE) as server:
        waiting = [server.connect() for _ in range(2)]
        for connection, text in zip(waiting, (SENTENCE, [SENTENCE]), strict=True):
            connection.request("POST", "/translate", json.dumps({"text": text}), JSON)
        wait_until(lambda: server.workers.n_requests == 2)
        for path in ("/translate", "/explain"):
            answer = server.post(path, {"text": SENTENCE})
            assert answer.status == 503
            assert answer.headers["Retry-After"] == "1"
            assert answer.error["message"] == "the server is busy with 2 requests"
        assert server.get("/health").content == {"status": "ok", "requests": 2}
        for connection in waiting:
            connection.close()
        wait_until(server.is_idle)  # nobody waits for them any more


def test_a_client_that_goes_away_stops_its_search(system, slow):
    with running(system, seconds=PATIENCE) as server:
        for path, text in (
            ("/translate", SENTENCE),
            ("/translate", [SENTENCE] * 3),
            ("/explain", SENTENCE),
        ):
            before = len(slow)
            connection = server.connect()
            connection.request("POST", path, json.dumps({"text": text}), JSON)
            wait_until(lambda before=before: len(slow) > before)
            connection.close()
            wait_until(server.is_idle)


def test_a_body_that_does_not_arrive(system):
    with running(system, seconds=0.2) as server:
        connection = server.connect()
        connection.putrequest("POST", "/translate")
        connection.putheader("Content-Type", "application/json")
        connection.putheader("Content-Length", "100")
        connection.endheaders()
        connection.send(b'{"text":')
        response = connection.getresponse()
        assert response.status == 408
        assert "0.2 seconds" in json.load(response)["error"]["message"]
        connection.close()


def test_half_a_request_is_no_request(system):
    with running(system) as server:
        for beginning in (
            b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Ty",
            b"POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            b'Content-Length: 20\r\n\r\n{"te',
        ):
            with socket.create_connection(("127.0.0.1", server.port)) as connection:
                connection.sendall(beginning)
        assert server.translate("hon").status == 200
        wait_until(server.is_idle)


def test_what_is_not_http_is_refused(system):
    with running(system) as server:
        for nonsense in (
            b"hello\r\n\r\n",
            b"\x16\x03\x01\x02\x00" + b"\r\n" * 2,
            b"GET / HTTP/9\r\n\r\n",
        ):
            with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
                connection.sendall(nonsense + b"\r\n\r\n")
                assert connection.recv(100).startswith(b"HTTP/1.1 400")
        assert server.translate("hon").status == 200


@pytest.mark.parametrize(
    "beginning",
    [b"", b"GET /health HTTP/1.1\r\nHo", b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\nGET /"],
)
def test_connections_do_not_stay_for_ever(system, monkeypatch, beginning):
    """Neither before a request, nor in the middle of the first or the second one."""
    monkeypatch.setattr("hyperbaton.serving.server.HEADER_SECONDS", 0.2)
    monkeypatch.setattr("hyperbaton.serving.server.KEPT_SECONDS", PATIENCE)
    with (
        running(system) as server,
        socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection,
    ):
        connection.sendall(beginning)
        received(connection)  # or it would wait too long


@pytest.mark.parametrize("at_the_end", [False, True])
def test_an_answer_that_is_not_read_is_cut_off(system, monkeypatch, at_the_end):
    """Even when the server is asked to end, and waits for requests under way."""
    monkeypatch.setattr("hyperbaton.serving.server.HEADER_SECONDS", 0.2)
    monkeypatch.setattr(SentenceJob, "translated", lambda *_: "x" * (1 << 20))  # fits no buffer
    asked = json.dumps({"text": [SENTENCE] * 500}).encode()
    head = "POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    with socket.socket() as connection:
        with running(system, seconds=0.2) as server:
            connection.settimeout(PATIENCE)
            connection.connect(("127.0.0.1", server.port))
            connection.sendall(f"{head}Content-Length: {len(asked)}\r\n\r\n".encode() + asked)
            wait_until(lambda: not server.is_idle())
            if not at_the_end:
                wait_until(server.is_idle)
        answer = received(connection)
    assert answer.startswith(b"HTTP/1.1 200")
    assert not answer.endswith(b"0\r\n\r\n")  # what ends an answer


def received(connection):
    """Everything until the other side closes the connection."""
    parts = []
    with suppress(ConnectionResetError):
        while part := connection.recv(1 << 16):
            parts.append(part)
    return b"".join(parts)


def test_connections_that_say_nothing_make_room_for_others(system, monkeypatch, slow):
    """But not for those that wait for an answer."""
    looks, too_slow = [], Patience._too_slow

    def counted(patience):
        cut = list(too_slow(patience))
        looks.append(len(patience.connections))
        return cut

    monkeypatch.setattr(Patience, "_too_slow", counted)
    monkeypatch.setattr("hyperbaton.serving.server.MOST_CONNECTIONS", 20)
    with running(system, seconds=PATIENCE) as server, ExitStack() as stack:
        busy = stack.enter_context(closing(server.connect()))
        busy.request("POST", "/translate", json.dumps({"text": SENTENCE}), JSON)
        wait_until(lambda: slow)
        assert server.get("/health").content["requests"] == 1

        def connect():
            address = "127.0.0.1", server.port
            return stack.enter_context(socket.create_connection(address, PATIENCE))

        first = [connect() for _ in range(19)]
        wait_until(lambda: looks[-1] == 20)  # they are known before the others come
        last = [connect() for _ in range(19)]
        for connection in first:
            assert received(connection) == b""
        last[-1].sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert last[-1].recv(1000).startswith(b"HTTP/1.1 200")


def test_many_connections_one_after_another(system):
    with running(system) as server:
        for _ in range(300):
            connection = http.client.HTTPConnection("127.0.0.1", server.port)
            connection.request("GET", "/health")
            assert connection.getresponse().status == 200
            connection.close()
        assert server.translate("hon").status == 200


def test_an_unexpected_error_is_a_defect_of_ours(system, monkeypatch, caplog):
    def fail(*_, **__):
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(Decoder, "decode", fail)
    with running(system) as server:
        answer = server.translate(SENTENCE)
        assert answer.status == 500
        assert answer.error["message"] == "internal error"
        assert "secret" not in answer.body.decode()
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        lines = server.translate([SENTENCE])
        assert lines.status == 200
        assert "internal error" in lines.lines[0]["error"]["message"]
    assert "ZeroDivisionError" in caplog.text
