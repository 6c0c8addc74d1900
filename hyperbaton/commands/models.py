"""`hyperbaton models`: what distortion models there are, and what a trained system holds."""

from pathlib import Path

import click

from hyperbaton.commands.options import FILE


@click.command()
@click.argument("model", type=FILE, required=False)
@click.option("--json", "as_json", is_flag=True, help="Print everything as JSON.")
def models(model: Path | None, as_json: bool) -> None:
    """List distortion models, or what a system holds.

    \b
    hyperbaton models
    hyperbaton models model

    Without MODEL: every distortion model that --distortion understands, with its features (and the
    weights that tuning starts from), its settings (and their defaults), whether it learns, and
    which layers of a sentence it needs. With the folder of a system: its parts, models, weights
    and settings.
    """
    import json

    from hyperbaton.views.text_tables import print_blocks

    if model is None:
        from hyperbaton.views.known_models import describe, known_models

        known = list(known_models())
        if as_json:
            click.echo(
                json.dumps([entry.as_dict() for entry in known], ensure_ascii=False, indent=1)
            )
        else:
            print_blocks(map(describe, known))
        return
    from hyperbaton.views.system_text import describe_system, system_blocks

    system = describe_system(model)
    if as_json:
        click.echo(json.dumps(system, ensure_ascii=False, indent=1))
    else:
        print_blocks(system_blocks(system))
