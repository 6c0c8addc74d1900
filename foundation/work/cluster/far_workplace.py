"""Runs tasks on a remote worker, with copies of the files that they need."""

import asyncio
import pickle
import secrets
import shutil
from collections.abc import Callable, Hashable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from time import monotonic
from typing import Any, BinaryIO, Self

from distributed import get_worker
from distributed.comm.addressing import get_address_host_port
from distributed.comm.core import connect
from distributed.utils import sync

from hyperbaton.foundation.errors import DataError, HyperbatonError
from hyperbaton.foundation.work.cluster.file_service import TIMEOUT
from hyperbaton.foundation.work.cluster.listing import ListedFile, Lister, Listing, is_same
from hyperbaton.foundation.work.cluster.part_cache import PartCache
from hyperbaton.foundation.work.cluster.versions import check_versions
from hyperbaton.foundation.work.workers import Work
from hyperbaton.foundation.work.workplace import PIECE, Piece, Workplace, plain

NEWS = 0.5  # seconds between progress messages
SMALL_RESULT = 1 << 16  # bytes of arrays in a result
CACHE_FOLDER = "hyperbaton-files"
MOST_PIECES = 1000  # per request


@dataclass(frozen=True)
class Order:
    """The context of a task for a worker."""

    number: int
    home: str  # the address of the command's machine
    folder: Path  # working folder of the command, for relative paths
    token: str
    versions: dict[str, str]
    cache: int  # largest size of the cache in bytes; 0: no limit
    shared: bool  # whether files on a shared disk are used without copying


@dataclass(frozen=True)
class Packed:
    """The pickled result of a task.

    Dask sends results through the scheduler, and trusts them like all of its messages. Large arrays
    and other buffers go directly to the command's machine, and are used only as buffers.
    """

    pickled: bytes
    ticket: str = ""  # of the buffers, if they were sent separately
    sizes: tuple[int, ...] = ()  # of the buffers

    def unpacked(self, delivered: Callable[[str], bytearray]) -> Any:
        """The result, with the buffers that were sent separately."""
        if not self.ticket:
            return pickle.loads(self.pickled)
        data = delivered(self.ticket)
        ends = list(accumulate(self.sizes, initial=0))
        if len(data) != ends[-1]:
            raise DataError("a worker's result is damaged")
        # copied, because arrays must be aligned
        return pickle.loads(self.pickled, buffers=[data[a:b] for a, b in pairwise(ends)])


def run_task(order: Order, work: Work[..., Any], arguments: tuple[Any, ...]) -> tuple[str, Any]:
    """The function that Dask runs; returns the worker's address and the packed result."""
    place = get_worker().address
    try:
        check_versions(order.versions, place)
        with FarWorkplace(order) as here:
            return place, here.bring_home(work(here, *arguments))
    except HyperbatonError as error:
        raise plain(error, f"worker {place}") from None


class FarWorkplace(Workplace):
    """A machine other than the command's."""

    is_home = False

    def __init__(self, order: Order) -> None:
        self._order, self._worker = order, get_worker()
        super().__init__(self._report)
        scratch = Path(self._worker.local_directory).parent
        self._cache = PartCache(scratch / CACHE_FOLDER, order.cache)
        self._held = ExitStack()
        self._found: dict[tuple[Path, tuple[str, ...]], Path] = {}
        self._last_news = 0.0
        self._comm: Any = None
        self._lock = Lock()  # a task may have threads

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._held.close()
        if self._comm is not None:
            self._comm.abort()

    def get(self, home: Path, *parts: str) -> Path:
        path = self._find(home, parts)
        if path is None:
            raise DataError("no such file or folder on the command's machine", where=str(home))
        return path

    def _find(self, home: Path, parts: tuple[str, ...] = ()) -> Path | None:
        path = self._order.folder / home
        if (path, parts) not in self._found:
            answer = self._ask("list", path=str(path), parts=parts)
            if answer is None:
                return None
            self._found[path, parts] = self._copy(path, parts, Listing.of_plain(answer))
        return self._found[path, parts]

    def _copy(self, path: Path, parts: tuple[str, ...], listing: Listing) -> Path:
        if self._order.shared and is_same(path, listing, parts):
            return path

        def fetch(entry: ListedFile, stream: BinaryIO) -> None:
            starts = range(0, entry.size, PIECE)
            stream.writelines(self.read(Piece(path / entry.name, at, PIECE) for at in starts))

        return self._held.enter_context(self._cache.holding(listing, fetch))

    def read(self, pieces: Iterable[Piece]) -> Iterator[bytes]:
        for batch in _batches(pieces):
            wanted = [(str(home.absolute()), start, size) for home, start, size in batch]
            yield from self._ask("read", pieces=wanted)

    @contextmanager
    def working_in(self, home: Path, *brought: str) -> Iterator[Path]:
        with TemporaryDirectory(prefix="task-", dir=self._worker.local_directory) as name:
            folder = Path(name)
            for part in brought:
                path = self._find(home / part)
                if path is not None:
                    _copy_tree(path, folder / part)
            yield folder

    def put(self, made: Path, home: Path) -> None:
        path, listing = str(self._order.folder / home), Lister().listing(made)
        ticket = self._ask("begin", path=path, is_file=listing.is_file)
        for entry in listing.entries:
            file = made / entry.name if entry.name else made
            with file.open("rb") as stream:
                first = True
                while (piece := stream.read(PIECE)) or first:  # also for an empty file
                    self._ask("write", ticket=ticket, name=entry.name, data=piece)
                    first = False
        self._ask("finish", ticket=ticket, path=path, listing=listing.plain())

    def bring_home(self, result: Any) -> Packed:
        """Packs a result for the scheduler; sends large arrays directly to the command's
        machine."""
        buffers: list[pickle.PickleBuffer] = []
        pickled = pickle.dumps(result, protocol=5, buffer_callback=buffers.append)
        data = b"".join(buffer.raw() for buffer in buffers)
        if len(data) <= SMALL_RESULT:
            return Packed(pickle.dumps(result, protocol=5))
        ticket = secrets.token_hex(8)  # a task may run twice, if a worker seems dead
        for start in range(0, len(data), PIECE):
            piece = data[start : start + PIECE]
            self._ask("deliver", number=self._order.number, ticket=ticket, data=piece)
        return Packed(pickled, ticket, tuple(buffer.raw().nbytes for buffer in buffers))

    def remembered(self, key: Hashable, make: Any) -> Any:
        return super().remembered((self._order.token, key), make)

    def _report(self, what: str, count: int) -> None:
        if monotonic() - self._last_news >= NEWS:
            self._last_news = monotonic()
            # without an answer the command has ended, and the error ends the task
            self._ask("news", number=self._order.number, what=what, count=count)

    def _ask(self, question: str, **values: Any) -> Any:
        message = {"token": self._order.token, "ask": question, **values}
        loop = self._worker.loop
        try:
            with self._lock:
                answer = sync(loop, self._exchange, message, callback_timeout=TIMEOUT)
        except OSError as error:
            raise DataError(
                f"the command's machine cannot be reached: {error}",
                where=self._order.home,
                expected="workers must be able to connect to it, to fetch files",
            ) from None
        if "error" in answer:
            where, advice = answer.get("where", ""), answer.get("advice", "")
            raise DataError(answer["error"], where=where, advice=advice)
        return answer["value"]

    async def _exchange(self, message: dict[str, Any]) -> Any:
        if self._comm is None:
            await _check_that_command_listens(self._order.home)
            how = self._worker.security.get_connection_args("worker")
            self._comm = await connect(self._order.home, **how)
        await self._comm.write(message)
        return await self._comm.read()


async def _check_that_command_listens(address: str) -> None:
    """Fails at once if the command has stopped. Dask would retry for half a minute, and block the
    worker for other tasks."""
    _, writer = await asyncio.open_connection(*get_address_host_port(address))
    writer.close()


def _batches(pieces: Iterable[Piece]) -> Iterator[list[Piece]]:
    """Groups pieces so that each group fits into one answer."""
    batch, size = list[Piece](), 0
    for piece in pieces:
        assert piece.size <= PIECE
        if batch and (size + piece.size > PIECE or len(batch) == MOST_PIECES):
            yield batch
            batch, size = [], 0
        batch.append(piece)
        size += piece.size
    if batch:
        yield batch


def _copy_tree(original: Path, copy: Path) -> None:
    """Makes a copy that the task may change."""
    copy.parent.mkdir(parents=True, exist_ok=True)
    if original.is_dir():
        shutil.copytree(original, copy, copy_function=shutil.copyfile)
    else:
        shutil.copyfile(original, copy)
