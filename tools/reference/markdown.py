"""Tables, and classes as tables: a field's meaning is the comment beside it or above it."""

import ast
import inspect
import textwrap
import tokenize
from collections.abc import Iterable, Iterator, Sequence
from io import StringIO
from typing import Any, NamedTuple

MADE = "<!-- Made from the code by `python -m tools.reference`; do not edit. -->"


class Field(NamedTuple):
    name: str
    type: str
    default: Any
    meaning: str


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield from (f"| {' | '.join(heads)} |", "|---" * len(heads) + "|")
    for cells in rows:
        yield "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
    yield ""


def fields_of(described: type) -> list[Field]:
    """The arguments of a class: the fields of a dataclass, or those of its constructor."""
    known = dict[str, tuple[str, str]]()
    for one in reversed(described.__mro__[:-1]):
        if one.__module__.startswith("hyperbaton."):
            known |= _declared(one)
    arguments = inspect.signature(described).parameters.values()
    return [Field(one.name, known[one.name][0], one.default, known[one.name][1])
            for one in arguments]  # fmt: skip


def paragraphs(described: Any) -> str:
    """The docstring, or else that of the module."""
    own = vars(described).get("__doc__") if inspect.isclass(described) else described.__doc__
    if not own or own.startswith(f"{described.__name__}("):  # as dataclasses have by default
        own = inspect.getmodule(described).__doc__
    return inspect.cleandoc(own or "")


def annotation(node: ast.expr | None) -> str:
    """As written, without the quotes of names that are imported late."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return ast.unparse(node) if node else ""


def _declared(described: type) -> dict[str, tuple[str, str]]:
    """Type and meaning of the names that the class or its constructor declares."""
    source = textwrap.dedent(inspect.getsource(described))
    lines = source.splitlines()
    comments = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(StringIO(source).readline)
        if token.type == tokenize.COMMENT and not token.string.startswith("# noqa")
    }

    def meaning(node: ast.AnnAssign | ast.arg) -> str:
        if node.end_lineno in comments:
            return comments[node.end_lineno]
        first = node.lineno - 1
        while first in comments and lines[first - 1].lstrip().startswith("#"):
            first -= 1
        return " ".join(comments[line] for line in range(first + 1, node.lineno))

    found = dict[str, tuple[str, str]]()
    for node in ast.parse(source).body[0].body:  # type: ignore[attr-defined]
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found[node.target.id] = annotation(node.annotation), meaning(node)
        elif isinstance(node, ast.FunctionDef) and node.name == "__init__":
            arguments = node.args.args + node.args.kwonlyargs
            found |= {one.arg: (annotation(one.annotation), meaning(one)) for one in arguments}
    return found
