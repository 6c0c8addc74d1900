"""Everything that `import hyperbaton` gives, from signatures and docstrings."""

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import is_dataclass
from typing import Any

import hyperbaton
from tools.reference.markdown import MADE, annotation, fields_of, paragraphs, table

WIDTH = 80
GROUPS = {
    "Build a system": "prepare align train tune import_moses export_moses sample_files",
    "Translate": "Translator Translation Sentence explain",
    "Judge": "evaluate compare rerank",
    "Extend": "DistortionModel check_model",
    "Errors": "HyperbatonError DataError SettingError",
}


def python_page() -> Iterator[str]:
    shown = [name for names in GROUPS.values() for name in names.split()]
    assert sorted(shown) == sorted(hyperbaton.__all__), "every exported name is in one group"
    yield from ("# The Python interface", "", MADE, "", paragraphs(hyperbaton), "")
    yield from ("[hyperbaton from Python](../use/python.md) shows them at work.", "")
    for group, names in GROUPS.items():
        yield from (f"## {group}", "")
        for name in names.split():
            described = getattr(hyperbaton, name)
            is_class = inspect.isclass(described)
            yield from _class(described) if is_class else _function("###", described, name)


def _class(described: type) -> Iterator[str]:
    yield from (f"### {described.__name__}", "", paragraphs(described), "")
    if is_dataclass(described):
        rows = [(f"`{one.name}`", f"`{one.type}`", one.meaning) for one in fields_of(described)]
        yield from table(("field", "type", "meaning"), rows)
    for name, member in vars(described).items():
        if name.startswith("_"):
            continue
        if isinstance(member, property):
            yield from (f"#### {described.__name__}.{name}", "")
            yield from (_text(member.fget), "")
        elif inspect.isfunction(member) or isinstance(member, classmethod):
            yield from _function("####", getattr(described, name), f"{described.__name__}.{name}")


def _function(level: str, described: Callable[..., Any], name: str) -> Iterator[str]:
    yield from (f"{level} {name}", "", "```py", _signature(described), "```", "")
    yield from (_text(described), "")


def _text(described: Any) -> str:
    assert described.__doc__, f"{described.__qualname__} has no docstring"
    return paragraphs(described)


def _signature(described: Callable[..., Any]) -> str:
    """With types as in the source, and the values of defaults, on as many lines as it takes."""
    node = ast.parse(textwrap.dedent(inspect.getsource(described))).body[0]
    assert isinstance(node, ast.FunctionDef)
    known = inspect.signature(described).parameters.values()
    parameters = [one for one in known if one.name != "self"]
    types = {one.arg: one.annotation for one in ast.walk(node.args) if isinstance(one, ast.arg)}
    parts = [_parameter(one, annotation(types[one.name])) for one in parameters]
    keyword = [one.kind is one.KEYWORD_ONLY for one in parameters]
    if any(keyword):
        parts.insert(keyword.index(True), "*")
    returned = f" -> {annotation(node.returns)}"
    line = f"{node.name}({', '.join(parts)}){returned}"
    if len(line) <= WIDTH:
        return line
    return f"{node.name}(\n" + "".join(f"    {part},\n" for part in parts) + f"){returned}"


def _parameter(one: inspect.Parameter, written: str) -> str:
    stars = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}.get(one.kind.name, "")
    text = f"{stars}{one.name}: {written}"
    if one.default is one.empty:
        return text
    value = one.default.__name__ if inspect.isfunction(one.default) else repr(one.default)
    return f"{text} = {value}".replace("'", '"')
