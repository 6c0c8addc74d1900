"""The prompt of `hyperbaton translate`: type a sentence to see its translation.

A line that begins with a colon is a command. Lines can be edited and are kept in a history if
Python was built with readline.
"""

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from hyperbaton.console import announce_compilation, say
from hyperbaton.foundation.errors import DataError, nearest

if TYPE_CHECKING:
    from hyperbaton.commands.parameters import MarkedCommand
    from hyperbaton.decoder.translator import Translation

SIGN = "> "
HELP = """\
:jumps        draw the order in which the last sentence was translated
:n-best N     show the N best translations of each sentence
:help         show this list
:quit         quit, as does Ctrl-D; Ctrl-C clears the line
::            translate a line that begins with a colon; a space before the colon works too"""
MOST_REMEMBERED = 1000  # lines


@dataclass
class Prompt:
    """A prompt; `translate` takes a line and returns its n best translations."""

    translate: Callable[[str, int], "list[Translation]"]
    n_best: int = 1
    last: "list[Translation]" = field(default_factory=list)

    def run(self) -> None:
        say("type a sentence to translate it, or :help")
        with remembered():
            while True:
                try:
                    text = input(SIGN)
                    for line in text.split("\n"):  # several lines were pasted
                        self.answer(line)
                except EOFError:
                    print()
                    return
                except KeyboardInterrupt as stop:
                    if type(stop) is not KeyboardInterrupt:  # another signal
                        raise
                    print()

    def answer(self, line: str) -> None:
        """Translates a line or runs its command; `:quit` raises `EOFError`, as the end of input
        does."""
        try:
            if line.startswith(":") and not line.startswith("::"):
                self._do(*line[1:].split())
            elif line.strip():
                self._translate(line.removeprefix(":"))
        except DataError as error:
            say(str(error))

    def _translate(self, line: str) -> None:
        try:
            line.encode()
        except UnicodeEncodeError:
            raise DataError("this is not UTF-8", advice="set the terminal to UTF-8") from None
        self.last = self.translate(line, self.n_best)
        for best in self.last:
            print(best.text if self.n_best == 1 else f"{best.score:9.4f}  {best.text}")

    def _do(self, name: str = "", *values: str) -> None:
        match name, values:
            case "jumps", ():
                self._draw()
            case "n-best", (number,) if number.isdecimal() and int(number) > 0:
                self.n_best = int(number)
            case "n-best", _:
                raise DataError(":n-best needs a number", expected="such as :n-best 5")
            case "help", ():
                print(HELP)
            case "quit", ():
                raise EOFError
            case _:
                known = [row.split()[0] for row in HELP.splitlines()[:-1]]
                typed = f":{' '.join((name, *values))}"
                advice = "to translate a line that begins with a colon, write ::"
                raise DataError(
                    f"unknown command {typed}", expected=nearest(typed, known), advice=advice
                )

    def _draw(self) -> None:
        from hyperbaton.views.jumps_text import jump_lines

        if not self.last:
            raise DataError("nothing has been translated yet", advice="type a sentence first")
        for line in jump_lines(self.last[0].derivation):
            print(line)


def prompt(job: "MarkedCommand", n_best: int) -> None:
    """Runs a prompt with the system of a command."""
    from hyperbaton.corpus.words.unknown_words import UnknownWords
    from hyperbaton.decoder.stream import Failure, decode_all
    from hyperbaton.decoder.translator import Translation
    from hyperbaton.views.translation_text import remarks

    marking, parse = job.marking(), job.parser()
    announce_compilation("hyperbaton.decoder.search")
    translator = job.translator()
    unknown = UnknownWords(translator.phrases.source_vocabulary)

    def translate(line: str, n_best: int) -> list[Translation]:
        sentence = marking.mark(parse(marking.read(line)))
        for hint in unknown.add(sentence.words):
            say(hint)
        # as a stream, which Ctrl-C stops at once
        [result] = decode_all(translator, [sentence], n_best=n_best, distinct=True)
        if isinstance(result, Failure):
            raise result.error
        for remark in remarks(result):
            say(remark)
        return translator.results(result)

    Prompt(translate, n_best).run()


@contextmanager
def remembered() -> Iterator[None]:
    """Enables line editing and the saved history, if readline is available."""
    sys.stdin.reconfigure(encoding="utf-8", errors="surrogateescape")  # type: ignore[union-attr]
    try:
        import readline
    except ImportError:  # Python was built without it
        yield
        return
    state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
    path = state / "hyperbaton" / "history"
    with suppress(OSError):
        readline.read_history_file(path)
    readline.set_history_length(MOST_REMEMBERED)
    try:
        yield
    finally:
        with suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            readline.write_history_file(path)
