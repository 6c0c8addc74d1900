"""Objects by the names of their classes: ours, those of installed packages, and `module:Class`.

In text, settings follow the name: `msd,type=phrase-msd-backward-fe`. Their types are those of the
constructor's defaults. Our classes are in a literal dictionary, so that nothing is imported before
it is needed; packages offer theirs as entry points; a file in the working folder works as well.
"""

import inspect
import sys
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Generic, TypeVar

from hyperbaton.foundation.errors import HyperbatonError, SettingError, nearest
from hyperbaton.foundation.estimator import SCALARS, default_settings
from hyperbaton.foundation.settings_text import convert_setting, split_settings

Made = TypeVar("Made")

OURS = ("models", "decoder", "tuning", "hyperbaton")
_plug_ins: set[str] = set()  # imported modules that are not ours


@dataclass(frozen=True)
class Catalogue(Generic[Made]):
    kind: str  # what its entries are: "distortion model"
    base: type[Made]
    places: Mapping[str, str]  # name → module:Class
    group: str  # of entry points
    separator: str = ","  # between name and settings

    def make(self, name: str, /, **settings: Any) -> Made:
        """One by its name and its settings, whose types are checked."""
        found = self.find(name)
        if not (isinstance(found, type) and issubclass(found, self.base)):  # before it is called
            raise SettingError(f"{name!r} is not a {self.kind}")
        return found(**self._convert(name, found, settings, ""))

    def parse(self, text: str, /, **defaults: Any) -> tuple[str, dict[str, Any]]:
        """Name and settings of `name,key=value,…`; `defaults` hold for settings that exist and are
        not given."""
        name, given = self.split(text)
        made = self.find(name)
        known = default_settings(made)
        usual = {key: value for key, value in defaults.items() if key in known}
        return name, self._convert(name, made, usual | given, text)

    def split(self, text: str) -> tuple[str, dict[str, str]]:
        """Name and settings, still as text."""
        module, _, rest = text.partition(":")
        first = rest.partition(":")[0]
        if self.separator == ":" and first and "=" not in first and not self._place(module):
            _, settings = split_settings(rest, ":")
            return f"{module}:{first}", settings
        return split_settings(text, self.separator)

    def _place(self, name: str) -> str:
        """The module:Class of a name, if it is known. To ask the installed packages takes long."""
        return self.places.get(name) or self._offered().get(name, "")

    def _offered(self) -> dict[str, str]:
        return {point.name: point.value for point in entry_points(group=self.group)}

    def find(self, name: str) -> Any:
        """The class, or whatever makes an object."""
        place = name if ":" in name else self._place(name)
        if not place:
            known = [*self.places, *self._offered()]
            raise SettingError(f"there is no {self.kind} {name!r}", expected=nearest(name, known))
        if ":" in name and str(Path.cwd()) not in sys.path:
            sys.path.append(str(Path.cwd()))  # the working folder counts, as with python -m
        module, _, attribute = place.partition(":")
        if module.partition(".")[0] not in OURS:
            _plug_ins.add(module)
        try:
            return getattr(import_module(module), attribute)
        except (ImportError, AttributeError) as error:
            what = f"the {self.kind} {name!r} cannot be loaded: {error}"
            advice = _where_to_look(module, error) if ":" in name else ""
            raise SettingError(what, advice=advice) from None

    def _convert(
        self, name: str, made: Any, settings: Mapping[str, Any], where: str
    ) -> dict[str, Any]:
        known = default_settings(made)
        converted = {}
        for key, value in settings.items():
            if key not in known:
                raise SettingError(
                    f"the {self.kind} {name!r} has no setting {key!r}",
                    where=where,
                    expected=nearest(key, list(known)) if known else "it has no settings",
                )
            wanted = type(known[key])
            if wanted in SCALARS:
                value = convert_setting(f"{name}.{key}", value, wanted, where)
            converted[key] = value
        for key, default in known.items():
            if default is inspect.Parameter.empty and key not in converted:
                raise SettingError(f"the {self.kind} {name!r} needs the setting {key!r}")
        return converted


def _where_to_look(module: str, error: Exception) -> str:
    """How Python finds a module that it has not found; nothing if something else is wrong."""
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing is None or not f"{module}.".startswith(f"{missing}."):
        return ""
    top, _, inside = module.partition(".")
    wanted = top if inside else f"{top}.py"
    return f"start in the folder of {wanted}, or name that folder: PYTHONPATH=FOLDER hyperbaton …"


def plug_in_error(error: BaseException) -> HyperbatonError | None:
    """The message for an error in the code of a plug-in; None if the error is ours."""
    frames = list(traceback.walk_tb(error.__traceback__))
    for frame, line in reversed(frames):
        module = frame.f_globals.get("__name__", "")
        if module in _plug_ins:
            return HyperbatonError(
                f"the plug-in {module} failed: {type(error).__name__}: {error}",
                where=f"{frame.f_code.co_filename}:{line}",
                expected=f"in {frame.f_code.co_name}",
                advice="--debug shows the whole traceback",
            )
    return None
