"""The file server of the command's machine: sends files to workers, receives results and progress.

Dask transports the bytes directly between the two machines. Every request needs the token; only
files in the folders of the run can be read, and only folders for results can be written.
"""

import asyncio
import secrets
import shutil
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from distributed.comm.core import CommClosedError, listen
from distributed.security import Security

from hyperbaton.foundation.errors import DataError, HyperbatonError
from hyperbaton.foundation.files.writing import make_folder, writing
from hyperbaton.foundation.work.cluster.listing import Lister, Listing
from hyperbaton.foundation.work.workplace import PIECE

TIMEOUT = 60  # seconds without an answer


class FileService:
    """Runs in the event loop of Dask's client. `hear` gets the number of a task and its
    progress."""

    def __init__(self, hear: Callable[[int, str, int], None]) -> None:
        self._hear = hear
        self.token = secrets.token_hex(16)
        self.address = ""
        self.sent = self.received = 0  # bytes
        self._lister = Lister()
        self._readable: set[Path] = set()
        self._writable: set[Path] = set()
        self._open: dict[str, Path] = {}  # unfinished uploads by ticket
        self._delivered: dict[int, dict[str, bytearray]] = {}  # by task and ticket
        self._answers: dict[str, Callable[..., Awaitable[Any]]] = {
            "list": self._list,
            "read": self._read,
            "begin": self._begin,
            "write": self._write,
            "finish": self._finish,
            "news": self._news,
            "deliver": self._deliver,
        }

    async def start(self, address: str, security: Security) -> None:
        self._listener = await listen(
            address, self._serve, deserialize=False, **security.get_listen_args("client")
        )
        self.address = self._listener.contact_address

    async def stop(self) -> None:
        self._listener.stop()
        for part in self._open.values():
            _remove(part)

    def allow(self, readable: set[Path], writable: set[Path]) -> None:
        self._readable |= {path.absolute() for path in readable}
        self._writable |= {path.absolute() for path in writable}

    async def _serve(self, comm: Any) -> None:
        try:
            while True:
                message = await comm.read()
                await comm.write(await self._answer(message))
        except (CommClosedError, OSError):
            pass  # a worker is gone

    async def _answer(self, message: dict[str, Any]) -> dict[str, Any]:
        if not secrets.compare_digest(str(message.pop("token", "")), self.token):
            return {"error": "invalid token"}
        try:
            return {"value": await self._answers[message.pop("ask")](**message)}
        except HyperbatonError as error:
            return {"error": error.what, "where": error.where, "advice": error.advice}
        except Exception as error:  # always answer, or the worker would wait forever
            return {"error": str(error) or repr(error)}

    async def _list(self, path: str, parts: Sequence[str] = ()) -> dict[str, Any] | None:
        home = self._checked(path, self._readable | self._writable)
        if not home.exists():
            return None
        for part in parts:
            self._inside(home, part)
        listing = await asyncio.to_thread(self._lister.listing, home, parts)
        return listing.plain()

    async def _read(self, pieces: list[tuple[str, int, int]]) -> list[bytes]:
        """Reads pieces of several files, at most PIECE bytes in total."""
        allowed = self._readable | self._writable
        files = [self._checked(path, allowed) for path, _, _ in pieces]

        def read() -> list[bytes]:
            contents, room = [], PIECE
            for file, (_, start, size) in zip(files, pieces, strict=True):
                with file.open("rb") as stream:
                    stream.seek(start)
                    contents.append(stream.read(min(size, room)))
                room -= len(contents[-1])
            return contents

        contents = await asyncio.to_thread(read)
        self.sent += sum(map(len, contents))
        return contents

    async def _begin(self, path: str, is_file: bool) -> str:
        home = self._checked(path, self._writable)
        ticket = secrets.token_hex(8)
        part = home.with_name(f".{home.name}.{ticket}.part")
        make_folder(home.parent if is_file else part)
        self._open[ticket] = part
        return ticket

    async def _write(self, ticket: str, name: str, data: bytes) -> None:
        file = self._inside(self._open[ticket], name)
        with writing(file):
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("ab") as stream:
                stream.write(data)
        self.received += len(data)

    async def _finish(self, ticket: str, path: str, listing: dict[str, Any]) -> None:
        home, part = self._checked(path, self._writable), self._open.pop(ticket)
        wanted = Listing.of_plain(listing)
        arrived = await asyncio.to_thread(Lister().listing, part)
        if [(file.name, file.digest) for file in arrived.entries] != [
            (file.name, file.digest) for file in wanted.entries
        ]:
            _remove(part)
            raise DataError("a worker's result is damaged", where=str(home))
        with writing(home):
            old = home.with_name(f".{home.name}.{ticket}.old")
            if home.is_dir():  # the task ran twice, and others may be reading
                home.rename(old)
            part.rename(home)
            _remove(old)

    async def _news(self, number: int, what: str, count: int) -> None:
        self._hear(number, what, count)

    async def _deliver(self, number: int, ticket: str, data: bytes) -> None:
        self._delivered.setdefault(number, {}).setdefault(ticket, bytearray()).extend(data)

    def delivered(self, number: int, ticket: str) -> bytearray:
        """The buffers that a task has sent separately."""
        return self._delivered.pop(number)[ticket]

    def _checked(self, path: str, allowed: set[Path]) -> Path:
        wanted = Path(path)
        if ".." in wanted.parts or not any(wanted.is_relative_to(place) for place in allowed):
            raise DataError("is not a file of this run", where=path)
        return wanted

    def _inside(self, folder: Path, name: str) -> Path:
        file = folder / name if name else folder
        if ".." in Path(name).parts or not file.is_relative_to(folder):
            raise DataError("is not a file of this run", where=name)
        return file


def _remove(part: Path) -> None:
    if part.is_dir():
        shutil.rmtree(part, ignore_errors=True)
    else:
        part.unlink(missing_ok=True)
