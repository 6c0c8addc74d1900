"""Checks that all machines run the same versions, so that results do not depend on the machine."""

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
    """The versions of Python, of hyperbaton's source, and of the packages it needs."""
    versions = {"Python": ".".join(platform.python_version_tuple()[:2]), "hyperbaton": _source()}
    for name in OTHERS:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            versions[name] = "none"
    return versions


def _source() -> str:
    digest = hashlib.sha256()
    # in a checkout the packages are symbolic links, which rglob does not follow
    folders = [ROOT, *(path for path in ROOT.iterdir() if path.is_symlink())]
    for path in sorted({path for folder in folders for path in folder.rglob("*.py")}):
        digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return f"{version('hyperbaton')}, source {digest.hexdigest()[:12]}"


def check_versions(wanted: dict[str, str], place: str) -> None:
    """Raises an error if this machine has other versions than the command's machine."""
    here = own_versions()
    wrong = [
        f"{name} {here.get(name, 'none')} instead of {wanted[name]}"
        for name in wanted
        if here.get(name) != wanted[name]
    ]
    if wrong:
        raise SettingError(
            f"versions differ from the command's machine: {'; '.join(wrong)}",
            where=f"worker {place}",
            advice="install the same versions on all machines, and restart the workers",
        )
