"""Draws the pictures of docs/understand and the moving one of README.md.

python -m tools.pictures            trains a system on the sample ja-en first
python -m tools.pictures SYSTEM     takes one that `hyperbaton train --sample ja-en` has made
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from hyperbaton import Translator
from tools.pictures import concepts
from tools.pictures.moving import moving_svg
from tools.pictures.sample import Sample

PLACE = Path(__file__).parents[2] / "docs/pictures"
STILL = (
    concepts.derivation, concepts.options, concepts.limit, concepts.future, concepts.stacks,
    concepts.recombination, concepts.cube, concepts.score,
)  # fmt: skip


def pictures(translator: Translator) -> dict[str, str]:
    """The content of each file, by its name."""
    sample = Sample.of(translator)
    drawn = {f"concept-{draw.__name__}.svg": draw(sample) for draw in STILL}
    return {"derivation-moving.svg": moving_svg(sample.explanation), **drawn}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        given = sys.argv[1:2]
        if not given:
            train = [sys.executable, "-m", "hyperbaton", "train", "--sample", "ja-en"]
            subprocess.run([*train, "--out", folder], check=True)
        for name, content in pictures(Translator.load((given or [folder])[0])).items():
            (PLACE / name).write_text(content, encoding="utf-8")


if __name__ == "__main__":
    main()
