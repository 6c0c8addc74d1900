"""`hyperbaton import`: a Moses system becomes one of ours."""

from dataclasses import dataclass
from pathlib import Path

from hyperbaton.commands.parameters import (
    REQUIRED,
    Command,
    argument,
    command,
    option,
)
from hyperbaton.console import progress_line, say


@dataclass(frozen=True, kw_only=True)
class Import(Command):
    """Make a system from a Moses configuration.

    \b
    hyperbaton import moses.ini --out model

    Reads the phrase table (text or gz), the lexicalised reordering table, the language model (ARPA
    or KenLM binary), weights and distortion limit. What else the file holds is named and left out.
    """

    ini: Path = argument(default=REQUIRED, metavar="MOSES.INI")
    out: Path = option("Folder of the system; made if missing.", default=REQUIRED)

    def run(self) -> None:
        from models.system import moses_exchange

        with progress_line() as progress:
            moses_exchange.import_moses(self.ini, self.out, say, progress)
        say(f"imported: {self.out}")


import_moses = command(Import)
