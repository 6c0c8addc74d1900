"""`hyperbaton import` and `hyperbaton export`: exchange systems with Moses."""

from dataclasses import dataclass
from pathlib import Path

from hyperbaton.commands.parameters import REQUIRED, Command, argument, command, option
from hyperbaton.console import reporting, say


@dataclass(frozen=True, kw_only=True)
class Import(Command):
    """Import a Moses system.

    \b
    hyperbaton import moses.ini --out system

    Reads the phrase table (text or gz), the lexicalised reordering table, the language model (ARPA
    or KenLM binary), the operation sequence model (ARPA), weights and distortion limit. Lists all
    other features of the file and ignores them.
    """

    ini: Path = argument(default=REQUIRED, metavar="MOSES.INI")
    out: Path = option("Folder of the system; created if missing.", "-o", "--out", default=REQUIRED)

    def run(self) -> None:
        from hyperbaton.models.system.moses_exchange import import_moses

        with reporting() as reporter:
            import_moses(self.ini, self.out, reporter)
        say(f"imported: {self.out}")


@dataclass(frozen=True, kw_only=True)
class Export(Command):
    """Export a system as Moses files.

    \b
    hyperbaton export system --out moses

    Writes phrase-table.gz, lm.arpa.gz, moses.ini and, if the system uses them, the reordering table
    of msd and operationLM.arpa.gz of osm.
    """

    model: Path = argument(default=REQUIRED, metavar="SYSTEM")
    out: Path = option("Output folder; created if missing.", "-o", "--out", default=REQUIRED)

    def run(self) -> None:
        from hyperbaton.models.system.moses_exchange import export_moses

        export_moses(self.model, self.out, say)


import_system, export_system = command(Import), command(Export)
