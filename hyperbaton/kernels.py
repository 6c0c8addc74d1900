"""The first run compiles the hot loops: a word to whoever is waiting."""

from hyperbaton.console import say

MESSAGE = "compiling for the first time, which takes up to half a minute; later runs start at once"


def announce_compilation(module: str) -> None:
    """Says so if there is no compiled code of the module yet."""
    from models.kernels import cache_folder

    if not any(cache_folder(module).rglob("*.nbi")):
        say(MESSAGE)
