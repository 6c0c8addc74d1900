"""A server in a thread of the test, and a client for it."""

import http.client
import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass

from hyperbaton.serving.app import make_app
from hyperbaton.serving.limits import RequestLimits
from hyperbaton.serving.protection import allowed_hosts
from hyperbaton.serving.request_threads import RequestThreads
from hyperbaton.serving.server import listen, make_server
from tests.child_processes import PATIENCE, wait_until

JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def content(self):
        return json.loads(self.body)

    @property
    def lines(self):
        return [json.loads(line) for line in self.body.splitlines()]

    @property
    def error(self):
        return self.content["error"]


@dataclass(frozen=True)
class Running:
    port: int
    workers: RequestThreads

    def connect(self):
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def request(self, method, path, body=None, headers=()):
        connection = self.connect()
        try:
            connection.request(method, path, body, dict(headers))
            response = connection.getresponse()
            return Answer(response.status, response.headers, response.read())
        finally:
            connection.close()

    def get(self, path, **headers):
        return self.request("GET", path, headers=headers)

    def post(self, path, content, **headers):
        return self.request("POST", path, json.dumps(content).encode(), JSON | headers)

    def translate(self, text, **asked):
        return self.post("/translate", {"text": text, **asked})

    def explain(self, text, **asked):
        answer = self.post("/explain", {"text": text, **asked})
        assert answer.status == 200, answer.body
        return answer.content

    def is_idle(self):
        return self.workers.n_requests == self.workers.n_given_up == 0


@contextmanager
def running(*systems, threads=2, more_hosts=(), origins=(), **limits):
    """A server for systems, with some limits other than the usual ones."""
    own = RequestLimits(**limits)
    workers = RequestThreads(threads, own)
    with listen("127.0.0.1", 0) as listening:
        port = listening.getsockname()[1]
        hosts = allowed_hosts("127.0.0.1", more_hosts)
        server = make_server(make_app(systems, workers, own, hosts, origins), own)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        try:
            wait_until(lambda: server.started)
            yield Running(port, workers)
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()
