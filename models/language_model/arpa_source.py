"""The text of an ARPA file, line by line where it is small and in large pieces where it is not."""

import gzip
import zlib
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from models.data.text import open_binary
from models.errors import DataError

CHUNK = 1 << 22  # bytes


class ArpaSource:
    """A position in the file; `line` and `piece` look ahead, the `take` methods move on."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._stream = open_binary(path)
        self._text, self._at, self._end = b"", 0, 0
        self._n_taken = 0  # lines

    def close(self) -> None:
        self._stream.close()

    def line(self) -> str | None:
        """The next line that is not empty, without blanks around it; None at the end."""
        while self._fill():
            self._end = self._text.index(b"\n", self._at) + 1
            stripped = self._text[self._at : self._end].strip(b" \t\r\n")
            if stripped:
                try:
                    return stripped.decode()
                except UnicodeDecodeError as error:
                    byte = stripped[error.start]
                    raise self.error(
                        f"byte 0x{byte:02x} is not UTF-8",
                        "convert the file first, for instance with iconv -t UTF-8",
                    ) from None
            self.take_line()
        return None

    def take_line(self) -> None:
        self._at, self._n_taken = self._end, self._n_taken + 1

    def piece(self) -> NDArray[np.uint8]:
        """Whole lines, as many as are at hand; nothing at the end."""
        if not self._fill():
            return np.empty(0, dtype=np.uint8)
        end = self._text.rindex(b"\n") + 1
        return np.frombuffer(self._text, dtype=np.uint8, count=end - self._at, offset=self._at)

    def take_piece(self, n_bytes: int, n_lines: int) -> None:
        self._at, self._n_taken = self._at + n_bytes, self._n_taken + n_lines

    def error(self, what: str, expected: str = "") -> DataError:
        """About the line that would be taken next."""
        return DataError(what, where=f"{self.path}:{self._n_taken + 1}", expected=expected)

    def _fill(self) -> bool:
        """Reads on until a whole line is at hand; False at the end of the file."""
        while self._text.find(b"\n", self._at) < 0:
            try:
                more = self._stream.read(CHUNK)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise self.error(f"broken gzip file: {error}") from None
            rest = self._text[self._at :]
            if not more and not rest:
                return False
            # the last line may lack its end
            self._text, self._at = rest + (more or b"\n"), 0
        return True
