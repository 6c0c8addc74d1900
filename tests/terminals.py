"""Commands in a terminal: typing, reading, and what a person sees of what they write."""

import os
import pty
import re
import select
from contextlib import contextmanager

from tests.child_processes import PATIENCE, started

CONTROLS = re.compile(r"\x1b\[([\d;?]*)([A-Za-z])|([\r\n])|([^\x1b\r\n]+)")


class Terminal:
    def __init__(self, descriptor):
        self.written = ""  # so far
        self._descriptor = descriptor

    def type(self, text):
        self.type_bytes(text.encode())

    def type_bytes(self, keys):
        os.write(self._descriptor, keys)

    def read_until(self, text):
        """Reads on until the text appears."""
        before = len(self.written)
        while text not in self.written[before:]:
            assert self._read_some(), f"{text!r} is not in {self.written[before:]!r}"

    def read_to_end(self):
        while self._read_some():
            pass

    def _read_some(self):
        ready, _, _ = select.select([self._descriptor], [], [], PATIENCE)
        assert ready, f"nothing more is written after {self.written!r}"
        try:
            read = os.read(self._descriptor, 1 << 16)
        except OSError:  # Linux: no process has the terminal any more
            read = b""
        self.written += read.decode(errors="replace")
        return bool(read)

    def seen(self):
        """The lines on the screen that are not empty."""
        lines, row, column = [""], 0, 0
        for number, control, end, text in CONTROLS.findall(self.written):
            if end == "\n":
                row += 1
                lines += [""] * (row + 1 - len(lines))
            elif end:
                column = 0
            elif control == "A":  # up
                row -= int(number)
            elif control == "K":  # erase the line
                assert number == "2"
                lines[row] = ""
            elif control:
                assert control in "hlm"  # the cursor is shown or hidden; colours
            else:
                line = lines[row].ljust(column)
                lines[row] = line[:column] + text + line[column + len(text) :]
                column += len(text)
        return [line.rstrip() for line in lines if line.strip()]


@contextmanager
def in_terminal(command, **streams):
    """A process with a terminal for all streams but those that are given, and the terminal."""
    ours, theirs = pty.openpty()
    streams = dict.fromkeys(("stdin", "stdout", "stderr"), theirs) | streams
    environment = os.environ | {"TERM": "xterm"}
    try:
        with started(command, env=environment, start_new_session=True, **streams) as process:
            os.close(theirs)
            yield process, Terminal(ours)
    finally:
        os.close(ours)
