"""Requests that want to tip the server over: answers and memory stay small, others are served."""

import json
import socket
import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager

import pytest

from hyperbaton.decoder.explanation import explain
from hyperbaton.decoder.translator import Translator
from hyperbaton.serving.answer_bounds import AnswerBounds
from hyperbaton.serving.answers import Refused
from hyperbaton.serving.explaining import explain_sentence, warm_up
from hyperbaton.serving.limits import RequestLimits
from hyperbaton.serving.request_types import checked, explain_request
from hyperbaton.serving.server import Patience
from hyperbaton.serving.systems import ServedSystem
from tests.child_processes import PATIENCE, wait_until
from tests.hyperbaton.serving.running import JSON, running

SENTENCE = "kare wa hon o katta"
LARGEST_ANSWER = 4 << 20
MEMORY = 100 << 20  # that requests may take in all; the first one below took 2 GB
N_CHECKS = 24
HEAD = "POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def system(model):
    made = ServedSystem("small", Translator.load(model))
    warm_up(made)  # the time of a request is not for compiling
    return made


@contextmanager
def traced():
    """The most memory that is taken meanwhile, in bytes."""
    peak = []
    tracemalloc.start()
    try:
        yield peak
        peak.append(tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()


def healthy(server):
    """How many of many health checks are answered, one after another."""
    return sum(server.get("/health").status == 200 for _ in range(N_CHECKS))


TWENTY = "abcdefghijklmnopqrst"
WIDE = {"derivations": 10, "alternatives": 50, "options": 64}


@pytest.mark.parametrize(
    ("path", "text", "asked"),
    [
        ("/explain", " ".join(letter * 10_000 for letter in TWENTY), {}),
        ("/explain", " ".join(letter * 200 for letter in TWENTY), {}),
        ("/translate", " ".join(letter * 200 for letter in TWENTY), {}),
        ("/explain", SENTENCE, WIDE),
        ("/explain", "hon o " * 20, WIDE),
    ],
)
def test_a_small_request_gets_no_huge_answer(system, path, text, asked):
    """Other clients are answered while it is worked on."""
    question = {"text": text, "n_best": 200} | asked
    serving = running(system, seconds=5)
    with serving as server, traced() as peak, ThreadPoolExecutor(3) as clients:
        attacks = [clients.submit(server.post, path, question) for _ in range(3)]
        assert healthy(server) == N_CHECKS
        answers = [attack.result() for attack in attacks]
    assert {answer.status for answer in answers} <= {200, 413, 504}
    assert max(len(answer.body) for answer in answers) <= LARGEST_ANSWER + 1  # and a line break
    assert peak[0] < MEMORY


def test_long_texts_and_words_are_refused(system):
    with running(system, letters=20, word_letters=10) as server:
        answer = server.translate("a" * 10 + " " + "b" * 9)
        assert answer.status == 200
        answer = server.translate("a" * 11)
        assert (answer.status, answer.error) == (
            413,
            {
                "message": "a word of a sentence has 11 characters",
                "expected": "at most 10",
                "advice": "split the sentence",
            },
        )
        answer = server.translate("a " * 11)
        assert (answer.status, answer.error["message"]) == (413, "a sentence has 22 characters")
        for field in ("force", "prefix", "reference"):
            for text, what in (("a" * 11, f"a word of {field}"), ("a " * 11, field)):
                answer = server.post("/explain", {"text": "hon", field: text})
                assert answer.status == 413
                assert answer.error["message"].startswith(f"{what} has ")


def test_answers_that_would_be_too_large_are_refused(system):
    with running(system, answer_bytes=5000) as server:
        assert server.translate(SENTENCE).status == 200
        expected = "at most 5,000 bytes"
        for path in ("/translate", "/explain"):
            answer = server.post(path, {"text": SENTENCE, "n_best": 20})
            assert (answer.status, answer.error["expected"]) == (413, expected)
        short, long = server.translate(["hon", f"{SENTENCE} {SENTENCE}"], n_best=20).lines
        assert short["translation"]
        assert long["error"]["message"] == "the answer is too large"


def test_the_bytes_of_an_answer_are_counted_part_by_part():
    bounds = AnswerBounds(RequestLimits(answer_bytes=12), lambda: False)
    assert bounds.checked("本") == "本"  # three bytes between quotes
    assert bounds.checked(["本"]) == ["本"]  # and brackets
    assert bounds.n_bytes == 12
    with pytest.raises(Refused, match="the answer is too large"):
        bounds.checked(1)
    with pytest.raises(Refused, match="the request took more than 30 seconds"):
        AnswerBounds(RequestLimits(), lambda: True).checked(1)


def test_explaining_ends_when_nobody_waits_any_more(system, monkeypatch):
    explained = []

    def counted(*how):
        explained.append(explain(*how))
        return explained[-1]

    monkeypatch.setattr("hyperbaton.views.explanation_text.explain", counted)
    limits = RequestLimits()
    asked = checked({"text": SENTENCE, "derivations": 5}, explain_request(limits))
    with pytest.raises(Refused, match="the request took more than 30 seconds"):
        explain_sentence(system, asked, limits, lambda: len(explained) == 2)
    assert len(explained) == 2
    assert len(explain_sentence(system, asked, limits, lambda: False)["derivations"]) == 5


@pytest.mark.parametrize(
    "beginning", [HEAD, f'{HEAD}Content-Length: 100\r\n\r\n{{"text": "', f"{HEAD}Content-Len"]
)
def test_half_sent_requests_lock_nobody_out(system, monkeypatch, beginning):
    """There are more of them than connections: the oldest are cut, not the slow clients that come
    later."""
    looks, too_slow = [], Patience._too_slow

    def counted(patience):
        looks.append(len(patience.connections))
        return too_slow(patience)

    def check(server):
        with closing(server.connect()) as connection:
            connection.connect()
            n_looks = len(looks)
            wait_until(lambda: len(looks) >= n_looks + 3)
            connection.request("GET", "/health")
            return connection.getresponse().status

    monkeypatch.setattr(Patience, "_too_slow", counted)
    monkeypatch.setattr("hyperbaton.serving.server.MOST_CONNECTIONS", 40)
    with running(system) as server, ExitStack() as stack:
        for _ in range(60):
            address = "127.0.0.1", server.port
            connection = stack.enter_context(socket.create_connection(address, PATIENCE))
            connection.sendall(beginning.encode())
        wait_until(lambda: max(looks) > 40)
        assert [check(server) for _ in range(8)] == [200] * 8
        assert healthy(server) == N_CHECKS
        assert server.translate(SENTENCE).status == 200
    wait_until(server.is_idle)


def test_a_body_has_few_seconds(system, monkeypatch):
    monkeypatch.setattr("hyperbaton.serving.answers.BODY_SECONDS", 0.2)
    with running(system, seconds=PATIENCE) as server:
        answer = exchange(server, f'{HEAD}Content-Length: 100\r\n\r\n{{"text": "')
    assert answer.startswith(b"HTTP/1.1 408")
    assert b"the body did not arrive within 0.2 seconds" in answer


def exchange(server, request):
    """Everything that the server answers until it closes the connection."""
    with socket.create_connection(("127.0.0.1", server.port), PATIENCE) as connection:
        connection.sendall(request.encode())
        parts = []
        while part := connection.recv(1 << 16):
            parts.append(part)
        return b"".join(parts)


def test_a_body_of_two_lengths_is_refused(system):
    """A proxy might see another request in it."""
    with running(system) as server:
        for encoding in ("chunked", "Chunked"):
            lengths = f"Content-Length: 5\r\nTransfer-Encoding: {encoding}\r\n\r\n"
            answer = exchange(server, f"{HEAD}{lengths}0\r\n\r\nGET /models HTTP/1.1\r\n\r\n")
            assert answer.startswith(b"HTTP/1.1 400")
            assert b"Content-Length and Transfer-Encoding exclude each other" in answer
            assert answer.count(b"HTTP/1.1 ") == 1


@pytest.mark.parametrize("is_long", [False, True])
def test_long_headers_are_refused(system, is_long):
    """Even if they arrive all at once."""
    with running(system) as server:
        n_letters = 16_384 if is_long else 16_000
        for path, value in (("/health", "a" * n_letters), ("/health?" + "a" * n_letters, "")):
            request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: {value}"
            answer = exchange(server, f"{request}\r\n\r\n")
            # h11 itself refuses those that arrive in pieces
            expected = (b"HTTP/1.1 431", b"HTTP/1.1 400") if is_long else b"HTTP/1.1 200"
            assert answer.startswith(expected)


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"model": "x" * 100_000}, "unknown system 'xxx"),
        ({"x" * 100_000: 1}, "unknown key 'xxx"),
        ({"weights": {"x" * 100_000: 1}}, "there is no feature 'xxx"),
        ({"weights": {"x" * 100_000: None}}, "weights.xxx"),
        ({"distortion": ["x" * 100_000]}, "there is no distortion model 'xxx"),
        ({"markup": "x" * 100_000}, "markup cannot be 'xxx"),
        ({"order": "x" * 150}, "'xxx"),
    ],
)
def test_names_are_cut_in_messages(server, asked, says):
    answer = server.post("/translate", {"text": "hon"} | asked)
    assert answer.status in (400, 404, 422)
    assert answer.error["message"].startswith(says)
    assert len(answer.body) < 1500


def test_long_paths_hosts_and_types_are_cut_in_messages(server):
    long = "x" * 10_000
    answers = [
        (404, server.get(f"/{long}")),
        (421, server.get("/health", Host=long)),
        (415, server.request("POST", "/translate", b"{}", {"Content-Type": long})),
    ]
    for status, answer in answers:
        assert answer.status == status
        assert "xxx" in answer.error["message"]
        assert len(answer.body) < 1500
    assert json.loads(server.request("POST", "/explain", b"{}", JSON).body)["error"]
