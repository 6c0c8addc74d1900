"""The rules of a grammar, read from `*.rules` and translated to Python functions.

README.md explains how rules are written. The lines of a function keep their numbers in the rule
file, so a traceback shows the line of the rule.
"""

import ast
import builtins
import inspect
import re
from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any

EXPRESSION = r"(?:[^\[\]]|\[[^\]]*\])*"  # with an index, at most
NODE = re.compile(
    r"(?:\((?P<tag>[^\s()\[\]{}]+) (?P<word>\{[^}]*\}|[^\s()\[\]{}]+)\)"
    rf"|\((?P<open>[^\s()\[\]{{}}]+)|(?P<close>\))|\[(?P<splice>{EXPRESSION})\])\s*"
)
WORD = re.compile(
    rf"(?:\[(?P<splice>{EXPRESSION})\]"
    r"|(?P<text>\{[^}]*\}|[^\s/]+)/(?P<tag>\{[^}]*\}|[^\s~]+)(?:~(?P<links>[\w.,]+))?)(?:\s+|$)"
)
HEADER = re.compile(r"(cached )?(\w+)\((.*?)\): (.+)")
LINE = re.compile(
    r"(?:if (?P<condition>.+?): )?"
    r"(?:(?P<tree>[(\[].*) => (?P<words>.*)"
    r"|return(?P<back> [<>])?(?: (?P<value>.*))?"
    r"|(?P<name>[\w, *]+?) (?P<operator>[=<>~]) (?P<body>.*))"
)


class BadRule(Exception):
    """A rule that cannot be parsed; the message says where."""


class Rule:
    """One rule: a header `name(parameters, setting=default): example`, and its lines."""

    def __init__(self, path: Path, number: int, header: str) -> None:
        self.path, self.number = path, number
        match = HEADER.fullmatch(header)
        if not match:
            raise self.error(number, f"no header: {header!r}", "name(parameters): example")
        cached, self.name, parameters, _ = match.groups()
        self.cached = bool(cached)
        self.function = f"rule_{self.name}"
        signature = inspect.signature(eval(f"lambda {parameters}: 0"))
        defaults = {name: p.default for name, p in signature.parameters.items()}
        self.parameters = [name for name in defaults if defaults[name] is inspect.Parameter.empty]
        self.defaults = {name: d for name, d in defaults.items() if name not in self.parameters}
        self.lines: list[ast.stmt] = []
        self._leaves: set[str] = set()

    def error(self, number: int, wrong: str, expected: str) -> BadRule:
        return BadRule(f"{self.path}:{number}: {wrong}; expected {expected}")

    def add(self, number: int, line: str) -> None:
        """Translates a line to Python."""
        match = LINE.fullmatch(line)
        if not match:
            raise self.error(number, f"no rule line: {line!r}", "tree => words, name = or return")
        try:
            code = self._code(match)
            statements = ast.parse(f"if {match['condition']}: {code}" if match[1] else code).body
        except (SyntaxError, ValueError) as problem:
            raise self.error(number, f"{problem} in {line!r}", "a line as in README.md") from None
        self.lines += [ast.increment_lineno(statement, number - 1) for statement in statements]

    def _code(self, match: re.Match[str]) -> str:
        if match["tree"]:
            return f"source = {self._tree(match['tree'])}; words = {self._words(match['words'])}"
        start = f"{match['name']} = " if match["name"] else "return "
        operator = (match["operator"] or match["back"] or "=").strip()
        translate = {"<": self._tree, ">": self._words, "~": self._links}.get(operator, str)
        return start + translate(match["body"] or match["value"] or "()")

    def _tree(self, template: str) -> str:
        """(PP [noun] (P-OBJ o)) → tree("PP", noun, leaf_o := leaf)"""
        code = "_nodes("
        for match in _scan(NODE, template):
            if match["tag"]:
                name = re.match(r"\w*", match["word"].lstrip("{"))[0]  # type: ignore[index]
                self._leaves.add(name)
                code += f"(leaf_{name} := _leaves({match['tag']!r}, {_value(match['word'])})),"
            elif match["open"]:
                code += f"_tree({match['open']!r},"
            else:
                code += ")," if match["close"] else f"({match['splice']}),"
        return code + ")"

    def _words(self, template: str) -> str:
        """the/DT {noun}/NN~noun → english("the", "DT"), english(noun, "NN", leaf_noun)"""
        code = "_words("
        for match in _scan(WORD, template):
            if match["text"]:
                links = self._links(match["links"] or "")
                code += f"_english({_value(match['text'])}, {_value(match['tag'])}, {links}),"
            else:
                code += f"({match['splice']}),"
        return code + ")"

    def _links(self, names: str) -> str:
        """noun,de → leaves of both"""
        found = [f"leaf_{n}" if n in self._leaves else n for n in names.split(",") if n]
        return f"_leaves_of({', '.join(found)})"

    def settings_given(self, rules: set[str]) -> set[str]:
        """Names of settings with defaults in the rule or passed to other rules."""
        calls = [node for node in self._nodes() if isinstance(node, ast.Call)]
        called = [c for c in calls if isinstance(c.func, ast.Name) and c.func.id in rules]
        given = {word.arg for node in called for word in node.keywords if word.arg}
        return given | set(self.defaults)

    def compiled(self, names: dict[str, Any], settings: set[str]) -> Any:
        """The function: takes the settings, runs the lines, returns every name that was set."""
        inner = [node.target for node in self._nodes() if isinstance(node, ast.comprehension)]
        inside = [part for target in inner for part in ast.walk(target)]
        used = [node for node in self._nodes() if isinstance(node, ast.Name) and node not in inside]
        own = {node.id for node in used if isinstance(node.ctx, ast.Store)}
        bound = {part.id for part in inside if isinstance(part, ast.Name)}
        bound |= {node.arg for node in self._nodes() if isinstance(node, ast.arg)}
        bound |= {*own, *names, *self.parameters, *self.defaults, *dir(builtins)}
        free = {node.id: node.lineno for node in used if node.id not in bound}
        for name in set(free) - settings:
            near = get_close_matches(name, {*settings, *names, *own}) or ["a name that is set"]
            raise self.error(free[name], f"unknown name {name!r}", " or ".join(near))
        blank = sorted(own - {*self.parameters, *self.defaults})
        made = [name for name in sorted({*own, *self.parameters}) if name[:5] != "leaf_"]
        start = [f"{name} = _setting({name!r})" for name in sorted({*self.defaults, *free})]
        start += [f"{name} = ()" for name in blank]
        end = f"return _Phrase({', '.join(f'{name}={name}' for name in made)})"
        code = [
            f"def {self.function}({', '.join(self.parameters)}):",
            "; ".join(start or ["0"]),
            end,
        ]
        module = ast.parse("\n    ".join(code))
        ast.increment_lineno(module, self.number - 1)
        module.body[0].body[-1:-1] = self.lines  # type: ignore[attr-defined]
        return compile(module, self.path, "exec")

    def _nodes(self) -> Iterator[ast.AST]:
        return (node for line in self.lines for node in ast.walk(line))


def read_rules(path: Path) -> list[Rule]:
    """The rules of a file; a line that is indented twice continues the previous line."""
    rules: list[Rule] = []
    for number, line in _joined(path.read_text(encoding="utf-8")):
        if not line.startswith(" "):
            rules.append(Rule(path, number, line))
        elif rules:
            rules[-1].add(number, line.strip())
        else:
            raise BadRule(f"{path}:{number}: a line outside a rule; expected a header")
    return rules


def _joined(text: str) -> Iterator[tuple[int, str]]:
    start, whole = 0, ""
    for number, line in enumerate(text.splitlines(), 1):
        line = re.sub(r"(^|\s)\s*# .*", "", line).rstrip()
        if whole and line.startswith(" " * 8):
            whole += " " + line.strip()
        elif line:
            if whole:
                yield start, whole
            start, whole = number, line
    if whole:
        yield start, whole


def _scan(pattern: re.Pattern[str], template: str) -> Iterator[re.Match[str]]:
    """The pieces of a template, which must cover all of it."""
    position = 0
    while position < len(template):
        match = pattern.match(template, position)
        if not match:
            raise ValueError(f"cannot read {template[position:]!r}")
        yield match
        position = match.end()


def _value(text: str) -> str:
    """An expression in braces, or a literal word."""
    return text[1:-1] if text.startswith("{") and text.endswith("}") else repr(text)
