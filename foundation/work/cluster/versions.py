"""Whether all machines run the same programs, since otherwise results would depend on the place."""

import hashlib
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from hyperbaton.foundation.errors import SettingError

ROOT = Path(__file__).parents[3]  # of the package
OTHERS = ("numpy", "numba", "scipy", "sacrebleu", "kenlm", "distributed")


@cache
def own_versions() -> dict[str, str]:
    """Of Python, of what hyperbaton needs, and of its own source."""
    found = {"Python": ".".join(platform.python_version_tuple()[:2]), "hyperbaton": _source()}
    for name in OTHERS:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            found[name] = "none"
    return found


def _source() -> str:
    digest = hashlib.sha256()
    # in a checkout the floors are links, which rglob does not follow
    folders = [ROOT, *(path for path in ROOT.iterdir() if path.is_symlink())]
    for path in sorted({path for folder in folders for path in folder.rglob("*.py")}):
        digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return f"{version('hyperbaton')}, source {digest.hexdigest()[:12]}"


def check_versions(wanted: dict[str, str], place: str) -> None:
    """Refuses to work with other programs than the command's machine has."""
    own = own_versions()
    wrong = [
        f"{name} {own.get(name, 'none')} instead of {wanted[name]}"
        for name in wanted
        if own.get(name) != wanted[name]
    ]
    if wrong:
        raise SettingError(
            f"other versions than on the command's machine: {'; '.join(wrong)}",
            where=f"worker {place}",
            advice="install the same versions on all machines, and start its workers again",
        )
