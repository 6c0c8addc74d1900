"""Creates objects from the names of their classes: built-in ones, entry points, `module:Class`.

In text, settings follow the name: `msd,type=phrase-msd-backward-fe`. Their types are those of the
constructor's defaults. Built-in classes are listed in a dictionary, so that modules are imported
only when needed; installed packages provide classes as entry points; `module` may be a file in the
working folder.
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

Entry = TypeVar("Entry")

OURS = ("models", "decoder", "tuning", "hyperbaton")
_plug_ins: set[str] = set()  # imported modules that are not part of hyperbaton


@dataclass(frozen=True)
class Catalogue(Generic[Entry]):
    kind: str  # of its entries: "distortion model"
    base: type[Entry]
    places: Mapping[str, str]  # name → module:Class
    group: str  # of entry points
    separator: str = ","  # between name and settings

    def make(self, name: str, /, **settings: Any) -> Entry:
        """Creates an object from its name and settings, after checking their types."""
        factory = self.find(name)
        if not (isinstance(factory, type) and issubclass(factory, self.base)):
            raise SettingError(f"{name!r} is not a {self.kind}")
        return factory(**self._convert(name, factory, settings, ""))

    def parse(self, text: str, /, **defaults: Any) -> tuple[str, dict[str, Any]]:
        """Name and settings of `name,key=value,…`; `defaults` apply to existing settings that are
        not given."""
        name, given = self.split(text)
        factory = self.find(name)
        known = default_settings(factory)
        usual = {key: value for key, value in defaults.items() if key in known}
        return name, self._convert(name, factory, usual | given, text)

    def split(self, text: str) -> tuple[str, dict[str, str]]:
        """Name and settings, still as text."""
        module, _, rest = text.partition(":")
        first = rest.partition(":")[0]
        if self.separator == ":" and first and "=" not in first and not self._place(module):
            _, settings = split_settings(rest, ":")
            return f"{module}:{first}", settings
        return split_settings(text, self.separator)

    def _place(self, name: str) -> str:
        """The module:Class of a name, or empty. Entry-point lookup is slow, so it comes last."""
        return self.places.get(name) or self._offered().get(name, "")

    def _offered(self) -> dict[str, str]:
        return {point.name: point.value for point in entry_points(group=self.group)}

    def find(self, name: str) -> Any:
        """The class or factory of a name."""
        place = name if ":" in name else self._place(name)
        if not place:
            known = [*self.places, *self._offered()]
            raise SettingError(f"there is no {self.kind} {name!r}", expected=nearest(name, known))
        if ":" in name and str(Path.cwd()) not in sys.path:
            sys.path.append(str(Path.cwd()))  # as python -m does
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
        self, name: str, factory: Any, settings: Mapping[str, Any], where: str
    ) -> dict[str, Any]:
        known = default_settings(factory)
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
    """Advice for a module that was not found; empty for other errors."""
    missing = error.name if isinstance(error, ModuleNotFoundError) else None
    if missing is None or not f"{module}.".startswith(f"{missing}."):
        return ""
    top, _, inside = module.partition(".")
    wanted = top if inside else f"{top}.py"
    return f"start in the folder of {wanted}, or name that folder: PYTHONPATH=FOLDER hyperbaton …"


def plug_in_error(error: BaseException) -> HyperbatonError | None:
    """The message for an error in the code of a plug-in; None for other errors."""
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
