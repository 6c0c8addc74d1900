"""`hyperbaton export`: one of our systems in Moses' formats."""

from dataclasses import dataclass
from pathlib import Path

from hyperbaton.commands.parameters import (
    REQUIRED,
    Command,
    argument,
    command,
    option,
)
from hyperbaton.console import say


@dataclass(frozen=True, kw_only=True)
class Export(Command):
    """Write a trained system as Moses' files.

    \b
    hyperbaton export model --out moses

    Writes phrase-table.gz, reordering-table.TYPE.gz, lm.arpa.gz and moses.ini.
    """

    model: Path = argument(default=REQUIRED)
    out: Path = option("Folder for the files; made if missing.", default=REQUIRED)

    def run(self) -> None:
        from models.system.moses_exchange import export_moses

        export_moses(self.model, self.out, say)


export = command(Export)
