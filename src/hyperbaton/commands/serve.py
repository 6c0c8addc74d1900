"""`hyperbaton serve`: systems behind an HTTP API and a page."""

import webbrowser
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hyperbaton.commands.parameters import (
    POSITIVE,
    Command,
    argument,
    command,
    config_option,
    flag,
    option,
    plugins_option,
    set_option,
    threads_option,
)
from hyperbaton.console import announce_compilation, reporting, say
from hyperbaton.foundation.errors import SettingError

if TYPE_CHECKING:
    from hyperbaton.decoder.translator import Translator
    from hyperbaton.serving.limits import RequestLimits
    from hyperbaton.serving.systems import ServedSystem

PORT = click.IntRange(0, 65535)
DEMO = Path("hyperbaton-demo")  # as `hyperbaton demo` has it


@dataclass(frozen=True, kw_only=True)
class Serve(Command):
    """Translate over HTTP, with a page for the browser.

    \b
    hyperbaton serve system
    hyperbaton serve ja-en=first zh-en=second --port 8000
    hyperbaton serve --demo

    MODEL is the folder of a system, or NAME=FOLDER. The server answers on this machine only, unless
    --host says otherwise, and reads no file but those of the systems. It prints its address and
    runs until Ctrl-C; requests under way are finished first. docs/reference/http.md has the API.
    """

    models: tuple[str, ...] = argument(default=(), metavar="[SYSTEM]...")
    demo: bool = flag(f"Serve the embedded samples, trained once into {DEMO}.")
    open: bool = flag("Open the page in a browser.")
    host: str = option("Address to listen on.", default="127.0.0.1")
    port: int = option("Port to listen on; 0: any free one.", default=8321, type=PORT)
    threads: int = threads_option()
    max_bytes: int = option("Longest body of a request.", default=1 << 20, type=POSITIVE)
    max_sentences: int = option("Most sentences of a request.", default=1000, type=POSITIVE)
    max_words: int = option("Most words of a sentence.", default=200, type=POSITIVE)
    max_letters: int = option("Most letters of a sentence.", default=5000, type=POSITIVE)
    max_word_letters: int = option("Most letters of a word.", default=200, type=POSITIVE)
    max_seconds: float = option(
        "Longest time for a request.", default=30.0, type=click.FloatRange(min=0, min_open=True)
    )
    max_requests: int = option("Most requests at once.", default=64, type=POSITIVE)
    max_n_best: int = option("Most translations of a sentence.", default=200, type=POSITIVE)
    max_pops: int = option(
        "Largest pop limit and stack size that a request may set.", default=5000, type=POSITIVE
    )
    max_answer_bytes: int = option(
        "Longest answer, or line of one.", default=4 << 20, type=POSITIVE
    )
    allow_host: tuple[str, ...] = option(
        "Answer to this name of the machine too; may be given several times.",
        default=(),
        metavar="NAME",
    )
    allow_origin: tuple[str, ...] = option(
        "Let pages from there use the API; may be given several times.",
        default=(),
        metavar="https://HOST",
    )
    allow_plugins: bool = plugins_option()
    config: Path | None = config_option()
    assignments: tuple[str, ...] = set_option()

    def run(self) -> None:
        check_installed()
        from hyperbaton.serving.app import make_app
        from hyperbaton.serving.explaining import warm_up
        from hyperbaton.serving.protection import allowed_hosts, is_loopback
        from hyperbaton.serving.request_threads import RequestThreads
        from hyperbaton.serving.server import address_of, listen, make_server

        if not self.models and not self.demo:
            raise click.UsageError("give a SYSTEM, or --demo")
        with listen(self.host, self.port) as listening:
            systems = list(self.systems())
            announce_compilation("hyperbaton.decoder.search")
            for system in systems:
                warm_up(system)
            if not is_loopback(self.host):
                say("anybody who can reach this address can use the server; it asks no password")
            workers, limits = RequestThreads(self.threads, self.limits()), self.limits()
            hosts = allowed_hosts(self.host, self.allow_host)
            app = make_app(systems, workers, limits, hosts, self.allow_origin)
            address = address_of(self.host, listening)
            click.echo(address)
            say(f"open {address} in a browser (Ctrl-C stops)")
            if self.open:
                webbrowser.open(address)
            with suppress(KeyboardInterrupt):  # what ended the server is raised again afterwards
                make_server(app, limits).run(sockets=[listening])

    def limits(self) -> "RequestLimits":
        from hyperbaton.serving.limits import RequestLimits

        return RequestLimits(
            **{limit.name: getattr(self, f"max_{limit.name}") for limit in fields(RequestLimits)}
        )

    def systems(self) -> "Iterator[ServedSystem]":
        """Those that were named, then the samples."""
        from hyperbaton.samples import SAMPLES, sample_demo
        from hyperbaton.serving.systems import ServedSystem

        folders = dict(map(named_folder, self.models))
        if len(folders) < len(self.models):
            raise SettingError(
                "two systems have the same name", advice="name them: one=FOLDER other=FOLDER"
            )
        for name, folder in folders.items():
            yield ServedSystem(name, self.translator(folder))
        for name in SAMPLES if self.demo else ():
            folder = train_sample(name, DEMO / name / "served", self.threads)
            yield ServedSystem(name, self.translator(folder), sample_demo(name)["examples"])

    def translator(self, folder: Path) -> "Translator":
        from hyperbaton.decoder.translator import Translator
        from hyperbaton.settings import settings_of_system

        search = self.settings(self.assignments, ["search"], settings_of_system(folder)).search
        translator = Translator.load(folder, search, allow_plugins=self.allow_plugins)
        for difference in translator.preparation.differences():
            say(difference)
        return translator


serve = command(Serve)


def check_installed() -> None:
    """Reports missing packages before anything is loaded."""
    from importlib.util import find_spec

    missing = [name for name in ("starlette", "uvicorn") if find_spec(name) is None]
    if missing:
        raise SettingError(
            f"the server needs {' and '.join(missing)}", advice="pip install 'hyperbaton[serve]'"
        )


def named_folder(text: str) -> tuple[str, Path]:
    """Name and folder of `NAME=FOLDER`; a folder's own name by default."""
    name, equals, folder = text.partition("=")
    if not equals or Path(text).exists():
        return Path(text).resolve().name, Path(text)
    return name, Path(folder)


def train_sample(name: str, folder: Path, threads: int) -> Path:
    """Trains a system on a sample and gives it tuned weights; one that was trained before is
    kept."""
    from hyperbaton.models.system.folder import DISTORTION_LIMIT, write_weights
    from hyperbaton.models.system.training import train_system
    from hyperbaton.samples import sample_demo, sample_files
    from hyperbaton.settings import Settings

    demo = sample_demo(name)
    with reporting() as reporter:
        settings = Settings().training(demo["distortion"])
        train_system(sample_files(name), folder, settings, (), threads, reporter)
    write_weights(folder, demo["weights"], DISTORTION_LIMIT, {"source": "demo.toml"})
    return folder
