"""Commands in a terminal: typing, reading, and what a person sees of what they write."""

import os
import pty
import re
import select
from contextlib import contextmanager

from tests.child_processes import PATIENCE, started

SILENCE = 1.0  # seconds after which a signal was not heard
CONTROLS = re.compile(r"\x1b\[([\d;?]*)([A-Za-z])|([\r\n])|([^\x1b\r\n]+)")


class Terminal:
    def __init__(self, descriptor):
        self.written, self._at = "", 0  # so far, and what of it was waited for
        self._descriptor = descriptor

    def type(self, text):
        self.type_bytes(text.encode())

    def type_bytes(self, keys):
        os.write(self._descriptor, keys)

    def read_until(self, text, repeat=None):
        """Reads on until the text appears behind what was waited for last."""
        while text not in self.written[self._at :]:
            found = self._read_some(repeat)
            assert found, f"{text!r} is not in {self.written[self._at :]!r}"
        self._at = self.written.index(text, self._at) + len(text)

    def read_to_end(self, repeat=None):
        while self._read_some(repeat):
            pass

    def _read_some(self, repeat=None):
        """`repeat` sends a signal again that nobody seems to have heard: one that comes between two
        looks of readline for keys waits for the next."""
        while repeat and not select.select([self._descriptor], [], [], SILENCE)[0]:
            repeat()
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
