"""Learners as text: `name:key=value:…`."""

from typing import Any

from models.errors import SettingError
from models.learning.catalogue import make_learner
from models.settings_text import convert_setting


def parse_learner(text: str) -> tuple[str, dict[str, Any]]:
    """Name and settings of a learner, checked.

    >>> parse_learner("me:sigma=0.5:max_iterations=50")
    ('me', {'sigma': 0.5, 'max_iterations': 50})
    """
    name, *assignments = text.split(":")
    defaults = make_learner(name).settings()
    settings: dict[str, Any] = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals:
            raise SettingError(
                f"{assignment!r} gives no value", where=text, expected="name:key=value:…"
            )
        wanted = type(defaults.get(key, ""))
        settings[key] = convert_setting(f"{name}.{key}", value, wanted, where=text)
    make_learner(name, **settings)
    return name, settings
