"""`hyperbaton import` and `hyperbaton export`: systems from and for Moses."""

from dataclasses import dataclass
from pathlib import Path

from hyperbaton.commands.parameters import REQUIRED, Command, argument, command, option
from hyperbaton.console import reporting, say


@dataclass(frozen=True, kw_only=True)
class Import(Command):
    """Make a system from a Moses configuration.

    \b
    hyperbaton import moses.ini --out system

    Reads the phrase table (text or gz), the lexicalised reordering table, the language model (ARPA
    or KenLM binary), weights and distortion limit. Whatever else the file holds is named and left
    out.
    """

    ini: Path = argument(default=REQUIRED, metavar="MOSES.INI")
    out: Path = option("Folder of the system; made if missing.", "-o", "--out", default=REQUIRED)

    def run(self) -> None:
        from hyperbaton.models.system.moses_exchange import import_moses

        with reporting() as reporter:
            import_moses(self.ini, self.out, reporter)
        say(f"imported: {self.out}")


@dataclass(frozen=True, kw_only=True)
class Export(Command):
    """Write a trained system as Moses' files.

    \b
    hyperbaton export system --out moses

    Writes phrase-table.gz, lm.arpa.gz, moses.ini and, if the system uses msd, its reordering table.
    """

    model: Path = argument(default=REQUIRED, metavar="SYSTEM")
    out: Path = option("Folder for the files; made if missing.", "-o", "--out", default=REQUIRED)

    def run(self) -> None:
        from hyperbaton.models.system.moses_exchange import export_moses

        export_moses(self.model, self.out, say)


import_system, export_system = command(Import), command(Export)
