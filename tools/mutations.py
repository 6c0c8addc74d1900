"""Mutates examples of a format into almost valid inputs.

Bytes are flipped, cut and repeated, and words and lines are replaced by typical parts of formats
(separators, brackets, huge and strange numbers, odd characters). In nested data (TOML, JSON),
values are replaced by others of different types and sizes, removed, added and swapped.
"""

import copy
import json
import math
import re
import tomllib
from pathlib import Path

import tomli_w

ODD_PARTS = Path(__file__).parent / "fuzz_parts.txt"
PARTS = [
    *ODD_PARTS.read_bytes().split(),
    *(letter.encode() for letter in "\u3000\u2028\u0085\ufeff\U0001f600\u0301\u202e\t \n\r\0\x1f"),
    *(b"\xff", b"\xc0\x80", b"\xed\xa0\x80", b"  ", b"\r\n", b"ngram 1=3"),
    *(b"9" * 30, b"9" * 5000, b"a" * 3000, b"0-0 " * 300, b"(" * 2000, b"[" * 2000),
]
VALUES = [
    *(0, 1, 2, 7, -1, 300, 10**6, 2**31, 2**63 - 1, -(2**63), 10**30, True, False),
    *(0.5, -0.5, 1e-320, 1e6, 1e308, -1e308, math.nan, math.inf, -math.inf),
    *("", "x", "none", "0", "3", "-1", "é\u0301", "\0", "a" * 3000, "1 2 3", "a,b", "x=y"),
    *("../../etc", "/etc/passwd", "parts/phrases", "parts/..", "os:system", "linear", "msd"),
    *([], {}, [1, 2], ["x"], [[]], [{}], {"a": 1}, {"": ""}),
]
LONGEST = 100_000  # bytes; repeated changes could grow to megabytes
WORD = re.compile(rb"[^\s]+")


def mutated(content, draw):
    """Changes some bytes, from single bits to whole lines."""
    for _ in range(draw.choice((1, 1, 2, 3, 8))):
        content = draw.choice(CHANGES)(content, draw)[:LONGEST]
    return content


def _flip(content, draw):
    if not content:
        return b"\0"
    at = draw.randrange(len(content))
    return content[:at] + bytes([content[at] ^ 1 << draw.randrange(8)]) + content[at + 1 :]


def _cut(content, draw):
    first, last = sorted(draw.randrange(len(content) + 1) for _ in range(2))
    return content[:first] + content[last:]


def _insert(content, draw):
    at = draw.randrange(len(content) + 1)
    return content[:at] + draw.choice(PARTS) + content[at:]


def _replace_word(content, draw):
    """Replaces the word at a random position, or the next one."""
    word = WORD.search(content, draw.randrange(len(content) + 1)) or WORD.search(content)
    if not word:
        return content + draw.choice(PARTS)
    return content[: word.start()] + draw.choice(PARTS) + content[word.end() :]


def _move_line(content, draw):
    lines = content.split(b"\n")
    line = draw.choice(lines)
    if draw.random() < 0.5:
        lines.remove(line)
    lines.insert(draw.randrange(len(lines) + 1), line)
    return b"\n".join(lines)


def _repeat(content, draw):
    first, last = sorted(draw.randrange(len(content) + 1) for _ in range(2))
    return content[:last] + content[first:last] * draw.choice((1, 2, 50)) + content[last:]


CHANGES = (_flip, _cut, _insert, _insert, _replace_word, _replace_word, _move_line, _repeat)


def nested_toml(content, draw):
    return tomli_w.dumps(restructured(tomllib.loads(content.decode()), draw)).encode()


def nested_json(content, draw):
    return json.dumps(restructured(json.loads(content), draw)).encode()


def nested_lines(content, draw):
    """Changes the structure of one line of JSON lines."""
    lines = content.splitlines()
    at = draw.randrange(len(lines))
    lines[at] = nested_json(lines[at], draw)
    return b"\n".join(lines) + b"\n"


def restructured(content, draw):
    """Changes the structure of nested tables and lists in a few places."""
    content = copy.deepcopy(content)
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        if content:
            draw.choice(RESTRUCTURING)(content, draw)
    return content


def _place(content, draw):
    """A random table or list inside, and one of its keys or indices."""
    places = []
    waiting = [content]
    while waiting:
        inside = waiting.pop()
        keys = inside if isinstance(inside, dict) else range(len(inside))
        for key in keys:
            places.append((inside, key))
            if isinstance(inside[key], dict | list):
                waiting.append(inside[key])
    return draw.choice(places)


def _set(content, draw):
    inside, key = _place(content, draw)
    inside[key] = copy.deepcopy(draw.choice(VALUES))


def _remove(content, draw):
    inside, key = _place(content, draw)
    del inside[key]


def _exchange(content, draw):
    (one, first), (two, second) = _place(content, draw), _place(content, draw)
    one[first], two[second] = copy.deepcopy((two[second], one[first]))


def _add(content, draw):
    inside, _ = _place(content, draw)
    value = copy.deepcopy(draw.choice(VALUES))
    if isinstance(inside, dict):
        inside[draw.choice(("x", "", "format", "name", "part", "lm", "order"))] = value
    else:
        inside.append(value)


def _rename(content, draw):
    inside, key = _place(content, draw)
    if isinstance(inside, dict):
        inside[draw.choice(("x", f"{key}s", key[:-1], key.upper()))] = inside.pop(key)
    else:
        inside.append(copy.deepcopy(inside[key]))


RESTRUCTURING = (_set, _set, _set, _remove, _exchange, _add, _rename)
