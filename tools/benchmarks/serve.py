"""Load test of `hyperbaton serve`: sentences per second, latencies, errors, and memory.

    python -m tools.benchmarks.serve MODEL SOURCE [--clients 32] [--seconds 60] [--words 12]
    python -m tools.benchmarks.serve MODEL SOURCE --hostile [--connections 10000]

Starts a server on MODEL. Each client sends one sentence of SOURCE after another (those of at most
--words words) over one connection. The clients run in this process and share the cores with the
server. With --hostile, other clients misbehave at the same time: they send bytes one by one, half
requests, bodies that are too large or not JSON, and open connections one after another; the normal
clients must not be affected. Memory is measured after a fifth of the time, when caches are full,
and at the end.
"""

import argparse
import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import numpy as np

HEAD = "POST /translate HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
SLOW_CLIENTS = 20
SERVER = [sys.executable, "-m", "hyperbaton", "serve", "--port", "0"]


class Load:
    """The results of the clients."""

    def __init__(self, port: int, seconds: float) -> None:
        self.port, self.seconds = port, seconds
        self.ends = time.monotonic() + seconds
        self.latencies: list[float] = []
        self.seen: Counter[str] = Counter()

    def is_over(self) -> bool:
        return time.monotonic() >= self.ends

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port)

    async def client(self, number: int, bodies: list[bytes]) -> None:
        """Sends sentences until the time is up."""
        reader, writer = await self.connect()
        while not self.is_over():
            began = time.perf_counter()
            writer.write(request(bodies[number % len(bodies)]))
            status, content = await read_answer(reader)
            self.latencies.append(time.perf_counter() - began)
            is_good = status == 200 and "translation" in json.loads(content)
            self.seen["translations" if is_good else f"ERRORS {status}"] += 1
            number += 7919  # another sentence
        writer.close()

    async def slow(self) -> None:
        """Sends one byte per second."""
        while not self.is_over():
            _, writer = await self.connect()
            with suppress(ConnectionError):
                for byte in request(b"{}"):
                    writer.write(bytes([byte]))
                    await writer.drain()
                    await asyncio.sleep(1)
                    if self.is_over():
                        break
            self.seen["slow clients, cut off"] += not self.is_over()
            writer.close()

    async def half(self, bodies: list[bytes]) -> None:
        """Breaks off requests at random positions."""
        rng = np.random.default_rng(1)
        while not self.is_over():
            whole = request(bodies[rng.integers(len(bodies))])
            _, writer = await self.connect()
            writer.write(whole[: rng.integers(1, len(whole))])
            await asyncio.sleep(0.01)
            writer.close()
            self.seen["half requests"] += 1

    async def wrong(self) -> None:
        """Sends bodies that are too large, or no valid requests."""
        bodies = b"{", b'{"text": 1}', b'{"txt": "a"}', b"\xff\xfe", b"[" * 50_000, b"1" * (2 << 20)
        while not self.is_over():
            for body in bodies:
                reader, writer = await self.connect()
                with suppress(ConnectionError):
                    writer.write(request(body))
                    status, _ = await read_answer(reader)
                    self.seen[f"wrong bodies answered by {status}"] += 1
                writer.close()
                await asyncio.sleep(0.01)

    async def connections(self, number: int) -> None:
        """Opens connections one after another, every second one without a request."""
        for n in range(number):
            reader, writer = await self.connect()
            if n % 2:
                writer.write(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n")
                status, _ = await read_answer(reader)
                self.seen[f"connections with answer {status}"] += 1
            else:
                self.seen["connections without request"] += 1
            writer.close()


def request(body: bytes) -> bytes:
    return f"{HEAD}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def read_answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    length = next(
        int(line.partition(":")[2])
        for line in head.splitlines()
        if line.lower().startswith("content-length:")
    )
    return int(head.split()[1]), await reader.readexactly(length)


def memory(process: subprocess.Popen[str]) -> float:
    """Memory of the server in MB."""
    shown = subprocess.run(
        ["ps", "-o", "rss=", "-p", str(process.pid)], capture_output=True, text=True, check=True
    )
    return int(shown.stdout) / 1000


async def run(load: Load, bodies: list[bytes], given: argparse.Namespace) -> list[float]:
    """Runs all clients; returns the server's memory early and late."""
    tasks = [load.client(number, bodies) for number in range(given.clients)]
    if given.hostile:
        tasks += [load.slow() for _ in range(SLOW_CLIENTS)]
        tasks += [load.half(bodies), load.wrong(), load.connections(given.connections)]
    working = asyncio.gather(*tasks)
    await asyncio.sleep(load.seconds / 5)
    sizes = [memory(given.process)]
    await working
    return [*sizes, memory(given.process)]


def report(load: Load, sizes: list[float], cpu: str) -> None:
    n, ms = load.seen["translations"], 1e3 * np.array(load.latencies)
    print(f"{n / load.seconds:.0f} sentences a second, {load.seconds:g} s")
    for share in (50, 95, 99, 100):
        print(f"p{share} {np.percentile(ms, share):.1f} ms")
    for what, count in sorted(load.seen.items()):
        print(f"{count:>8,} {what}")
    print(f"memory {sizes[0]:.0f} MB after a fifth of the time, {sizes[1]:.0f} MB at the end")
    print(f"CPU time of the server {cpu}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("model")
    parser.add_argument("source", type=Path)
    parser.add_argument("--clients", type=int, default=32)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--words", type=int, default=12)
    parser.add_argument("--hostile", action="store_true")
    parser.add_argument("--connections", type=int, default=10_000)
    given = parser.parse_args()
    lines = given.source.read_text(encoding="utf-8").splitlines()
    texts = [line for line in lines if 0 < len(line.split()) <= given.words]
    bodies = [json.dumps({"text": text}).encode() for text in texts]
    with subprocess.Popen([*SERVER, given.model], stdout=subprocess.PIPE, text=True) as process:
        given.process = process
        try:
            assert process.stdout is not None
            port = int(process.stdout.readline().rstrip("/\n").rpartition(":")[2])
            load = Load(port, given.seconds)
            sizes = asyncio.run(run(load, bodies, given))
            used = subprocess.run(
                ["ps", "-o", "time=", "-p", str(process.pid)], capture_output=True, text=True
            )
            report(load, sizes, used.stdout.strip())
        finally:
            process.terminate()
    print(f"the server ended with {process.returncode}")
    bad = [what for what in load.seen if what.startswith("ERRORS")]
    raise SystemExit(bool(bad or process.returncode))


if __name__ == "__main__":
    main()
