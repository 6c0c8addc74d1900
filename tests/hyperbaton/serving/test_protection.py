"""Who may use the server, and what its answers allow a browser to do."""

import pytest

from hyperbaton.decoder.translator import Translator
from hyperbaton.serving.protection import allowed_hosts, is_loopback
from hyperbaton.serving.systems import ServedSystem
from tests.hyperbaton.serving.running import JSON, running


@pytest.mark.parametrize(
    "path", ["/", "/page/page.css", "/models", "/health", "/openapi.json", "/nowhere", "/translate"]
)
def test_headers_of_every_answer(server, path):
    headers = server.get(path).headers
    policy = dict(
        part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";")
    )
    assert policy["default-src"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    assert set(policy.values()) <= {"'none'", "'self'", "'self' data:"}
    assert headers["Access-Control-Allow-Origin"] is None
    assert headers["Server"] is None
    for name, value in {
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "DENY",
        "Referrer-Policy": "no-referrer",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
    }.items():
        assert headers[name] == value


def test_the_page_loads_nothing_from_elsewhere(server):
    page = server.get("/")
    assert page.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "http://" not in page.body.decode()
    assert "https://" not in page.body.decode()
    assert "style=" not in page.body.decode()


@pytest.mark.parametrize(
    "path",
    [
        "/../pyproject.toml", "/page/../app.py", "/page/%2e%2e/app.py", "/page/..%2fapp.py",
        "/page/%2e%2e%2f%2e%2e%2fmain.py", "//etc/passwd", "/page//etc/passwd", "/page/", "/page",
        "/page/index.html%00.css", "/page/..\\app.py", "/model.toml",
    ],
)  # fmt: skip
def test_no_path_leads_to_a_file(server, path):
    answer = server.get(path)
    assert answer.status == 404
    assert set(answer.error) == {"message", "advice"}


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("127.0.0.1:8321", 200), ("localhost", 200), ("LocalHost:1", 200), ("[::1]:8321", 200),
        ("evil.example", 421), ("evil.example:8321", 421), ("localhost.evil.example", 421),
        ("127.0.0.1.evil.example", 421), ("evil-localhost", 421), ("1127.0.0.1", 421), ("", 421),
        ("[::2]", 421),
    ],
)  # fmt: skip
def test_names_of_others_are_refused(server, host, status):
    answer = server.get("/health", Host=host)
    assert answer.status == status
    if status != 200:
        assert "--allow-host" in answer.error["advice"]
        assert server.request("POST", "/translate", b"{}", JSON | {"Host": host}).status == 421


def test_names_and_origins_that_are_allowed(model):
    system = ServedSystem("small", Translator.load(model))
    origin = "https://class.example"
    with running(system, more_hosts=["Box.example"], origins=[origin]) as server:
        assert server.get("/health", Host="box.example:8321").status == 200
        assert server.get("/health", Host="other.example").status == 421
        answer = server.post("/translate", {"text": "hon"}, Origin=origin)
        assert answer.headers["Access-Control-Allow-Origin"] == origin
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        ask = {
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "content-type",
        }
        assert (
            server.request("OPTIONS", "/translate", headers=ask | {"Origin": origin}).status == 200
        )
        foreign = {"Origin": "https://evil.example"}
        assert server.request("OPTIONS", "/translate", headers=ask | foreign).status == 400
        answer = server.post("/translate", {"text": "hon"}, **foreign)
        assert answer.headers["Access-Control-Allow-Origin"] is None


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("127.0.0.1", True), ("127.8.0.1", True), ("::1", True), ("localhost", True),
        ("0.0.0.0", False), ("::", False), ("192.168.0.7", False), ("box.example", False),
    ],
)  # fmt: skip
def test_which_addresses_are_of_this_machine_only(host, expected):
    assert is_loopback(host) == expected


def test_a_public_server_has_the_names_of_its_machine_and_addresses(monkeypatch):
    """Every literal address, because only a name can be pointed at another machine."""
    monkeypatch.setattr("hyperbaton.serving.protection.gethostname", lambda: "Desk.example")
    for host in ("0.0.0.0", "::", "10.0.0.1"):
        hosts = allowed_hosts(host, ["box.example"])
        for name in (
            "desk.example",
            "box.example",
            "localhost",
            "10.0.0.1",
            "[fe80::1]",
            "8.8.8.8",
        ):
            assert name in hosts
        for name in ("evil.example", "10.0.0.1.evil.example", "", "10.0.0", "[::1].evil.example"):
            assert name not in hosts
    assert str(allowed_hosts("0.0.0.0", [])) == (
        "0.0.0.0, 127.0.0.1, [::1], desk.example, localhost, IP addresses"
    )


def test_a_local_server_has_local_names():
    hosts = allowed_hosts("127.0.0.1", ["A"])
    assert str(hosts) == "127.0.0.1, [::1], a, localhost"
    assert "10.0.0.1" not in hosts
