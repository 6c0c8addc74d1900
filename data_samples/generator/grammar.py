"""Runs a grammar: the choices and building blocks that its rules call.

Random choices are made in the order in which the lines of the rules run. A setting passed to a rule
(`clause(depth=1)`) applies to that rule and to all rules that it calls.
"""

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from hyperbaton.data_samples.generator.lexicon import Entry, read_lexicon
from hyperbaton.data_samples.generator.rules import BadRule, Rule, read_rules
from hyperbaton.data_samples.generator.synchronous import (
    Chooser,
    Leaf,
    Phrase,
    Tree,
    Word,
    Words,
    flat,
    leaves_of,
)


class Grammar:
    """The lexicon and rules of a language, read from its folder. `sentence` generates a pair."""

    def __init__(
        self, folder: Path, languages: tuple[str, str], favourite: float, *modules: ModuleType
    ) -> None:
        """Rules can also call the functions of the modules."""
        self.source, self.target = languages
        self.favourite = favourite  # share of the first of several synonymous translations
        self.lexicon = read_lexicon(folder)
        self.settings: dict[str, Any] = {}
        self._choose = Chooser("")
        self._classes: dict[tuple[Entry, str], bool] = {}
        self._weights: dict[tuple[str, bool], list[tuple[Entry, float]]] = {}
        self.names: dict[str, Any] = {}
        for module in modules:
            self.names |= vars(module)
        self.names |= self._functions()
        rules = [rule for path in sorted(folder.glob("*.rules")) for rule in read_rules(path)]
        self.names |= {rule.name: self._caller(rule) for rule in rules}
        callable_rules = {"call", *(rule.name for rule in rules)}
        known = {name for rule in rules for name in rule.settings_given(callable_rules)}
        if clash := known & set(self.names):
            raise BadRule(f"{folder}: {sorted(clash)} are settings and also rules or functions")
        for rule in rules:
            exec(rule.compiled(self.names, known), self.names)

    def sentence(self, choose: Chooser) -> tuple[Tree, Words]:
        self._choose, self.settings = choose, {}
        source, target = choose.source, choose.target
        self.names |= {"chance": source.chance, "below": source.below, "among": source.among}
        self.names["style"] = target.chance  # decides only the English wording
        made = self.names["sentence"]()
        return made.source, made.words

    def _caller(self, rule: Rule) -> Callable[..., Any]:
        """Wraps a rule for its callers: sets the settings and restores them afterwards."""

        def call(*arguments: Any, **settings: Any) -> Any:
            before = self.settings
            self.settings = {**before, **rule.defaults, **settings}
            try:
                return self.names[rule.function](*arguments)
            finally:
                self.settings = before

        return cache(call) if rule.cached else call

    def _functions(self) -> dict[str, Any]:
        """The functions that rules can call; names with an underscore are for templates."""
        found = {function.__name__: function for function in BUILDING}
        own = (self.weighted, self.weights, self.reword, self.pick, self.find, self.belongs)
        found |= {f.__name__: f for f in (*own, self.classes, self.call, self.english)}
        inner = {f"_{name}": function for name, function in found.items()}
        drawn = dict.fromkeys(("chance", "below", "among", "style"))  # set for each sentence
        settings = {"_setting": lambda name: self.settings[name]}
        return found | inner | drawn | settings | {"entries": self.lexicon.get}

    def weighted(self, pairs: list[tuple[Any, float]] | None = None, **weights: float) -> Any:
        return self._choose.source.weighted(pairs or list(weights.items()))

    def weights(self, name: str) -> list[tuple[str, float]]:
        """The choices of a line of the category "weights" in the lexicon."""
        line = next(entry for entry in self.lexicon["weights"] if entry.word == name)
        return [(choice, float(weight)) for choice, weight in line.features.items()]

    def reword(self, text: str) -> str:
        """One of several synonymous translations: "big|large"."""
        first, *others = text.replace("_", " ").split("|")
        if not others or self._choose.target.chance(self.favourite):
            return first
        return self._choose.target.among(*others)

    def pick(self, category: str, wanted: Callable[[Entry], Any] = lambda _: True) -> Entry:
        """An entry drawn by its weight among those of the category that are `wanted`."""
        unseen = self._choose.unseen
        if (category, unseen) not in self._weights:
            known = [entry for entry in self.lexicon[category] if unseen or not entry.unseen]
            self._weights[category, unseen] = [(entry, entry.weight) for entry in known]
        pairs = [pair for pair in self._weights[category, unseen] if wanted(pair[0])]
        return self._choose.source.weighted(pairs)

    def find(self, category: str, wanted: Callable[[Entry], Any]) -> Entry | None:
        """Like `pick`, but None if training has no such entry."""
        seen = any(not entry.unseen and wanted(entry) for entry in self.lexicon[category])
        return self.pick(category, wanted) if seen else None

    def belongs(self, entry: Entry, listed: str) -> bool:
        """Whether a noun is of a class of the list "doc,thing.tool": category, with a flag or word;
        groups of classes are entries of the category "group"."""
        if (entry, listed) not in self._classes:
            self._classes[entry, listed] = any(map(entry.is_of, self.classes(listed)))
        return self._classes[entry, listed]

    def classes(self, listed: str) -> list[str]:
        """The classes of a list, groups spelt out; a translation may follow each: "doc:read"."""
        items = [item.partition(":")[0] for item in re.split("[,+]", listed)]
        groups = {group.word: group.english.split(",") for group in self.lexicon.get("group", ())}
        return [kind for item in items for kind in groups.get(item, [item])]

    def call(self, name: str, *arguments: Any, **settings: Any) -> Any:
        """Calls the rule of a drawn name."""
        return self.names[name](*arguments, **settings)

    def english(self, text: str | Entry, tag: str, *links: Any) -> Words:
        """Each word of an expression, all linked to the same leaves."""
        chosen = self.reword(text.english if isinstance(text, Entry) else text or "")
        return tuple(Word(word, tag, leaves_of(*links)) for word in chosen.split())


def leaves(tag: str, text: str | Entry, **other: str) -> tuple[Leaf, ...]:
    """A leaf for each word of an expression; `other` gives the tags of some words."""
    word = text.word if isinstance(text, Entry) else text or ""
    return tuple(Leaf(other.get(part, tag), part) for part in word.split())


def tree(label: str, *children: Any) -> Tree | tuple[()]:
    """A node; without children there is none."""
    found = tuple(flat(children, "source"))
    return Tree(label, found) if found else ()


def nested(label: str, before: Any, inner: Any) -> Any:
    """Each of the trees `before` above the next: (VP a (VP b inner))."""
    for node in reversed(tuple(flat((before,), "source"))):
        inner = tree(label, node, inner)
    return inner


def nodes(*items: Any) -> Any:
    """A single tree, or several side by side."""
    found = tuple(flat(items, "source"))
    return found[0] if len(found) == 1 else found


def words(*items: Any) -> Words:
    return tuple(flat(items, "words"))


BUILDING: tuple[Any, ...] = (Leaf, Phrase, tree, nodes, words, leaves, leaves_of, nested)
