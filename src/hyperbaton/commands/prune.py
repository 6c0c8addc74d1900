"""`hyperbaton prune`: a smaller phrase table for a trained system."""

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
    """Drop phrase pairs from the phrase table of a system.

    \b
    hyperbaton prune system --significance a+e --out small
    hyperbaton prune system --min-count 2 --top 20 --out smaller

    Pairs that fail any of the conditions are dropped; the others keep their scores. Without --out
    the system itself becomes smaller, and what is dropped is lost. Tune the system again: its
    weights stay as they are.
    """

    model: Path = argument(default=REQUIRED, metavar="SYSTEM")
    out: Path | None = option(
        "Folder of the new system, a copy without what is dropped.", "-o", "--out"
    )
    min_count: int | None = option("Keep pairs seen at least this often.", type=NOT_NEGATIVE)
    top: int | None = option(
        "Translations to keep per source phrase, best φ(e|f) first.", type=NOT_NEGATIVE
    )
    significance: str | None = option(
        "Keep pairs whose −log p in Fisher's exact test is at least this: a number, or a+e to drop "
        "pairs whose phrases were seen once, a-e to keep them."
    )

    def run(self) -> None:
        from hyperbaton.models.phrases.settings import PhraseSettings
        from hyperbaton.models.system.pruning import prune_system

        names = ("min_count", "top", "significance")
        chosen = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        if not chosen:
            raise click.UsageError("say what to drop: --min-count, --top or --significance")
        out = self.out or self.model
        settings = PhraseSettings(**{"min_count": 0} | chosen)  # imported counts may be fractions
        prune_system(self.model, out, settings, Reporter(say))
        say(f"pruned: {out}")


prune = command(Prune)
