"""The prompt of `hyperbaton translate`: a sentence is typed, its translation appears.

A line that begins with a colon asks for something else. Lines can be edited and are remembered, as
far as Python was built with readline.
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
:help         this list
:quit         the end, as Ctrl-D; Ctrl-C clears the line
::            a line that begins with a colon, to be translated; so does a space before it"""
MOST_REMEMBERED = 1000  # lines


@dataclass
class Prompt:
    """`translate` gives the best translations of a line, as many as it is asked for."""

    translate: Callable[[str, int], "list[Translation]"]
    n_best: int = 1
    last: "list[Translation]" = field(default_factory=list)

    def run(self) -> None:
        say("type a sentence to translate it, or :help")
        with remembered():
            while True:
                try:
                    text = input(SIGN)
                    for line in text.split("\n"):  # several were pasted
                        self.answer(line)
                except EOFError:
                    print()
                    return
                except KeyboardInterrupt as stop:
                    if type(stop) is not KeyboardInterrupt:  # more than Ctrl-C
                        raise
                    print()

    def answer(self, line: str) -> None:
        """Translates a line or does what it asks; the end is an `EOFError`, as where input ends."""
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
            raise DataError("this is not UTF-8", advice="set the terminal to it") from None
        self.last = self.translate(line, self.n_best)
        for one in self.last:
            print(one.text if self.n_best == 1 else f"{one.score:9.4f}  {one.text}")

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
                asked = f":{' '.join((name, *values))}"
                advice = "a line that begins with :: is translated"
                raise DataError(
                    f"there is no {asked}", expected=nearest(asked, known), advice=advice
                )

    def _draw(self) -> None:
        from hyperbaton.views.jumps_text import jump_lines

        if not self.last:
            raise DataError("nothing was translated yet", advice="type a sentence first")
        for line in jump_lines(self.last[0].derivation):
            print(line)


def prompt(job: "MarkedCommand", n_best: int) -> None:
    """Translates what is typed with the system of a command."""
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
        # as a stream, because Ctrl-C ends one at once
        [result] = decode_all(translator, [sentence], n_best=n_best, distinct=True)
        if isinstance(result, Failure):
            raise result.error
        for remark in remarks(result):
            say(remark)
        return translator.results(result)

    Prompt(translate, n_best).run()


@contextmanager
def remembered() -> Iterator[None]:
    """Lines can be edited and those of earlier times come back, if that is possible at all."""
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
