"""Writes the pages of docs/reference/ that are made from the code.

python -m tools.reference
"""

from pathlib import Path

from tools.reference.commands import commands_page
from tools.reference.python import python_page
from tools.reference.settings import settings_page

FOLDER = Path(__file__).parent.parent.parent / "docs/reference"
MAKERS = {
    "commands.md": commands_page,
    "settings.md": settings_page,
    "python.md": python_page,
}


def page(name: str) -> str:
    return "\n".join(MAKERS[name]()).rstrip() + "\n"


if __name__ == "__main__":
    for name in MAKERS:
        (FOLDER / name).write_text(page(name), encoding="utf-8")
