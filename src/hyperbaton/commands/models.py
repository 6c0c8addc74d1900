"""`hyperbaton models`: known distortion models, and the contents of a trained system."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import click

from hyperbaton.commands.parameters import (
    Command,
    argument,
    command,
    flag,
    plugins_option,
)


@dataclass(frozen=True, kw_only=True)
class Models(Command):
    """List distortion models, or what a system holds.

    \b
    hyperbaton models
    hyperbaton models model

    Without MODEL: every distortion model that --distortion understands, with its features (and the
    weights that tuning starts from), its settings (and their defaults), whether it learns, and
    which layers of a sentence it needs. With the folder of a system: its parts, models, weights
    and settings.
    """

    model: Path | None = argument()
    as_json: bool = flag("Print everything as JSON.", "--json")
    allow_plugins: bool = plugins_option()

    def run(self) -> None:
        from hyperbaton.views.known_models import describe, known_models
        from hyperbaton.views.system_text import describe_system, system_blocks
        from hyperbaton.views.text_tables import print_blocks

        if self.model is None:
            known = list(known_models())
            if self.as_json:
                _print_json([asdict(entry) for entry in known])
            else:
                print_blocks(map(describe, known))
        else:
            system = describe_system(self.model, allow_plugins=self.allow_plugins)
            if self.as_json:
                _print_json(system)
            else:
                print_blocks(system_blocks(system))


models = command(Models)


def _print_json(content: Any) -> None:
    click.echo(json.dumps(content, ensure_ascii=False, indent=1))
