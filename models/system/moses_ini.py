"""Reads Moses' configuration file, as far as phrase-based systems need it.

[feature]                               one feature function a line: class, then key=value
KENLM name=LM0 factor=0 path=lm.arpa order=5
[weight]                                its weights, by name
LM0= 0.5
"""

from contextlib import closing
from dataclasses import dataclass, field
from itertools import product
from math import isfinite, nan
from pathlib import Path

from hyperbaton.corpus.text import parse_lines
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.compression import FORMATS

LANGUAGE_MODELS = ("KENLM", "KENLM_OLD", "SRILM", "IRSTLM")
PHRASE_TABLES = ("PhraseDictionaryMemory",)
PACKED_TABLES = (
    "PhraseDictionaryCompact", "PhraseDictionaryBinary", "PhraseDictionaryOnDisk", "ProbingPT",
)  # fmt: skip
REORDERING = "LexicalReordering"
SINGLE_WEIGHTS = {  # features with one weight and no file, by our name
    "UnknownWordPenalty": "unknown",
    "WordPenalty": "word_penalty",
    "PhrasePenalty": "phrase_penalty",
    "Distortion": "linear",
}
CHART_SEARCH, CHART_SPAN = "3", "20"  # as Moses trains and searches by default
USED_SECTIONS = (
    "feature",
    "weight",
    "distortion-limit",
    "input-factors",
    "mapping",
    "non-terminals",
    "max-chart-span",
)


@dataclass(frozen=True)
class FeatureLine:
    kind: str
    arguments: dict[str, str]
    where: str  # file:line

    @property
    def name(self) -> str:
        return self.arguments.get("name", f"{self.kind}0")


@dataclass
class MosesIni:
    path: Path
    features: list[FeatureLine] = field(default_factory=list)
    weights: dict[str, list[float]] = field(default_factory=dict)
    distortion_limit: int = 6  # Moses' default
    is_chart: bool = False  # whether rules are hierarchical
    unused: list[str] = field(default_factory=list)  # unsupported lines, with file and line number

    def only(self, kinds: tuple[str, ...], what: str) -> FeatureLine:
        """The only feature of these kinds; an error unless there is exactly one."""
        lines = [feature for feature in self.features if feature.kind in kinds]
        packed = [feature.kind for feature in self.features if feature.kind in PACKED_TABLES]
        if len(lines) != 1:
            advice = "give the text table that the binary one was made from"
            raise DataError(
                f"has {len(lines)} features for the {what}",
                where=str(self.path),
                expected=f"expected one line of {' or '.join(kinds)}",
                advice=f"{packed[0]}: {advice}" if packed and kinds == PHRASE_TABLES else "",
            )
        return lines[0]

    def rule_tables(self) -> tuple[FeatureLine, FeatureLine | None]:
        """The table of hierarchical rules, and the glue grammar, which has one score."""
        lines = [feature for feature in self.features if feature.kind in PHRASE_TABLES]
        glue = [line for line in lines if line.arguments.get("num-features") == "1"]
        if len(lines) - len(glue) != 1 or len(glue) > 1:
            raise DataError(
                f"has {len(lines)} rule tables",
                where=str(self.path),
                expected="expected one with four scores, and a glue grammar with one",
            )
        [table] = [line for line in lines if line not in glue]
        return table, glue[0] if glue else None

    def weights_of(self, feature: FeatureLine, n: int) -> list[float]:
        """The weights of a feature; a missing weight is an error, never silently 1."""
        weights = self.weights.get(feature.name, [])
        if len(weights) != n:
            raise DataError(
                f"{feature.name} has {len(weights)} weights",
                where=str(self.path),
                expected=f"expected {n} in the section [weight]",
            )
        return weights

    def file_of(self, feature: FeatureLine, *endings: str) -> Path:
        """The file of a feature, relative to the ini file unless absolute; as in Moses, the name
        may lack its suffix."""
        if "path" not in feature.arguments:
            raise DataError(f"{feature.name} has no path", where=feature.where)
        path = self.path.parent / feature.arguments["path"]
        for ending, packed in product(("", *endings), ("", *FORMATS)):
            candidate = path.with_name(path.name + ending + packed)
            if candidate.is_file():
                return candidate
        return path


def read_moses_ini(path: Path) -> MosesIni:
    ini = MosesIni(path)
    section = ""
    with closing(parse_lines(path, lambda line: line.partition("#")[0].strip())) as lines:
        for number, text in lines:
            if text.startswith("[") and text.endswith("]"):
                section = text[1:-1]
            elif text:
                _take(ini, section, text, f"{path}:{number}")
    return ini


def _take(ini: MosesIni, section: str, text: str, where: str) -> None:
    if section == "feature":
        kind, *arguments = text.split()
        pairs = dict(argument.partition("=")[::2] for argument in arguments)
        ini.features.append(FeatureLine(kind, pairs, where))
    elif section == "weight":
        name, equals, values = text.partition("=")
        try:
            weights = [float(value) for value in values.split()]
        except ValueError:
            weights = [nan]
        ini.weights[name.strip()] = weights
        if not equals or not all(map(isfinite, weights)):
            raise DataError(
                f"{text!r} is not a weight",
                where=where,
                expected="expected a line such as LM0= 0.5",
            )
    elif section == "distortion-limit":
        try:
            ini.distortion_limit = int(text)
        except ValueError:
            raise DataError(f"{text!r} is not a whole number", where=where) from None
    elif section == "search-algorithm":
        ini.is_chart = text == CHART_SEARCH
    elif section not in USED_SECTIONS:
        ini.unused.append(f"{where}: [{section}] {text}")
