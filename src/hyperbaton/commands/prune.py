"""`hyperbaton prune`: removes phrase pairs from a trained system."""

from dataclasses import dataclass
from pathlib import Path

import click

from hyperbaton.commands.parameters import (
    NOT_NEGATIVE,
    REQUIRED,
    Command,
    argument,
    command,
    option,
)
from hyperbaton.console import say
from hyperbaton.foundation.progress import Reporter


@dataclass(frozen=True, kw_only=True)
class Prune(Command):
    """Remove phrase pairs from the phrase table of a system.

    \b
    hyperbaton prune system --significance a+e --out small
    hyperbaton prune system --min-count 2 --top 20 --out smaller

    Removes pairs that fail any of the conditions; the others keep their scores. Without --out, the
    pairs are removed from SYSTEM itself and are lost. The weights do not change: tune the system
    again.
    """

    model: Path = argument(default=REQUIRED, metavar="SYSTEM")
    out: Path | None = option("Folder for the pruned copy of the system.", "-o", "--out")
    min_count: int | None = option("Keep pairs seen at least this often.", type=NOT_NEGATIVE)
    top: int | None = option(
        "Keep this many translations per source phrase, best φ(e|f) first.", type=NOT_NEGATIVE
    )
    significance: str | None = option(
        "Keep pairs whose −log p in Fisher's exact test is at least this: a number, or a+e to "
        "remove pairs of phrases seen once, or a-e to keep them."
    )

    def run(self) -> None:
        from hyperbaton.models.phrases.settings import PhraseSettings
        from hyperbaton.models.system.pruning import prune_system

        names = ("min_count", "top", "significance")
        chosen = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        if not chosen:
            raise click.UsageError("give at least one of --min-count, --top and --significance")
        out = self.out or self.model
        settings = PhraseSettings(**{"min_count": 0} | chosen)  # imported counts may be fractions
        prune_system(self.model, out, settings, Reporter(say))
        say(f"pruned: {out}")


prune = command(Prune)
