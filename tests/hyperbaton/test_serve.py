"""`hyperbaton serve` as a command and as a process: what it says, and how it ends."""

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
from contextlib import closing
from urllib.parse import urlsplit

import pytest

from hyperbaton.console import COMPILING
from hyperbaton.models.system.folder import read_system
from tests import command_line
from tests.child_processes import PATIENCE, started
from tests.tiny_systems import TWO_PAIRS, write_corpus

SENTENCE = "kare wa hon o katta"


@pytest.fixture
def served(monkeypatch):
    """Applications that were made, none of which runs."""
    made = []

    class Ended:
        def __init__(self, app, limits):
            made.append((app, limits))

        def run(self, sockets):
            assert sockets[0].getsockname()[1] > 0

    monkeypatch.setattr("hyperbaton.serving.server.make_server", Ended)
    return made


def serve(*arguments, **options):
    return command_line.run("serve", *arguments, "--port", 0, **options)


def systems(served):
    [(app, _)] = served
    service = next(route for route in app._app.routes if route.path == "/models").endpoint
    return service.__self__.systems


OPEN = re.compile(r"open http://\S+/ in a browser \(Ctrl-C stops the server\)\n")


def said(messages):
    """All but that kernels are compiled, which depends on what was run before."""
    return messages.replace(f"{COMPILING}\n", "")


def connect(address):
    return closing(http.client.HTTPConnection(urlsplit(address).netloc, timeout=PATIENCE))


def test_it_says_where_it_is_and_nothing_else(model, served):
    done = serve(model)
    assert OPEN.fullmatch(said(done.stderr))
    address = urlsplit(done.stdout.strip())
    assert (address.scheme, address.hostname, address.path) == ("http", "127.0.0.1", "/")
    assert address.port > 0
    assert list(systems(served)) == ["m"]


def test_systems_have_names(model, served, monkeypatch):
    monkeypatch.chdir(model)
    serve(f"first={model}", ".")
    assert list(systems(served)) == ["first", "m"]


def test_options_are_limits_and_settings(model, served):
    limits = {"bytes": 1, "sentences": 2, "words": 3, "seconds": 4.5, "requests": 5, "n_best": 6}
    limits |= {"pops": 7, "letters": 8, "word_letters": 9, "answer_bytes": 10}
    options = [f"--max-{name.replace('_', '-')}={value}" for name, value in limits.items()]
    serve(model, *options, "--set", "search.pop_limit=50")
    assert vars(served[0][1]) == limits
    assert systems(served)["m"].translator.settings.pop_limit == 50


def test_an_open_door_is_announced(model, served):
    """And yet the server does not answer to any name."""
    done = serve(model, "--host", "0.0.0.0", "--allow-host", "box.example")
    [(app, _)] = served
    asked = ("10.0.0.7", "box.example", "evil.example")
    assert [host in app._hosts for host in asked] == [True, True, False]
    assert "anyone who can reach this address can use the server" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "facts"),
    [
        ([], 2, "give a SYSTEM, or --demo"),
        (["no-such-folder"], 1, "no-such-folder"),
        (["m", "--max-seconds", 0], 2, ""),
        (["m", "m"], 2, "two systems have the same name"),
    ],
)
def test_wrong_usage(model, served, arguments, code, facts):
    command_line.refuses(facts, code, "serve", *arguments, "--port", 0, cwd=model.parent)
    assert not served


def test_missing_packages_are_named(model, monkeypatch):
    monkeypatch.setattr(
        "importlib.util.find_spec", lambda name: None if name == "uvicorn" else name
    )
    command_line.refuses("uvicorn … pip install 'hyperbaton[serve]'", 2, "serve", model)


def test_a_port_that_is_taken(model):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        facts = f"127.0.0.1:{port}: … --port 0"
        command_line.refuses(facts, 1, "serve", model, "--port", port)


def test_the_samples_are_trained_once(model, served, monkeypatch, tmp_path):
    tags = "N P V\nPRO P N P V\n"
    files = write_corpus(tmp_path, times=1, **TWO_PAIRS, source_tags=tags)
    monkeypatch.setattr("hyperbaton.samples.sample_files", lambda *_: files)
    monkeypatch.chdir(tmp_path)
    serve("--demo", f"own={model}")
    assert list(systems(served)) == ["own", "ja-en", "zh-en"]
    folder = tmp_path / "hyperbaton-demo" / "ja-en" / "served"
    kinds = [entry["name"] for entry in read_system(folder)["distortion"]]
    assert kinds == ["linear", "msd", "pair"]
    ja = systems(served)["ja-en"]
    assert [set(example) for example in ja.examples] == [{"text", "caption"}] * 5
    assert ja.examples[0] == {
        "text": "sensei wa tomodachi ni tegami o okutta .",
        "caption": "the verb comes last, and second in English",
    }
    assert ja.translator.weights["pair.logp"] == 0.1168  # of demo.toml
    served.clear()
    parts = {path: path.stat().st_mtime_ns for path in folder.glob("parts/*")}
    serve("--demo")
    assert {path: path.stat().st_mtime_ns for path in folder.glob("parts/*")} == parts


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_requests_under_way_are_finished_before_the_end(model, number):
    command = [sys.executable, "-m", "hyperbaton", "serve", model, "--port", 0]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        address = process.stdout.readline().strip()
        with connect(address) as idle, connect(address) as busy:
            idle.request("GET", "/health")
            assert idle.getresponse().read()
            asked = json.dumps({"text": [SENTENCE] * 1000})
            busy.request("POST", "/translate", asked, {"Content-Type": "application/json"})
            response = busy.getresponse()
            first = response.readline()
            process.send_signal(number)
            lines = [json.loads(line) for line in (first, *response)]
        assert [line["id"] for line in lines] == list(range(1000))
        assert len({line["translation"] for line in lines}) == 1
        assert process.wait(PATIENCE) == 0
        assert OPEN.fullmatch(said(process.stderr.read()))
    with connect(address) as late, pytest.raises(ConnectionRefusedError):
        late.connect()
