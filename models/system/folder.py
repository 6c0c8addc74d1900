"""A translation system on disk: a folder with `model.toml` and memory-mapped parts.

`model.toml` names the parts and is written last, atomically, so a folder has either a complete
system or none. It records everything needed to repeat the training: settings, versions, hashes of
the corpora, and the weights by feature name.
"""

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import tomli_w

from hyperbaton.corpus.corpora.reading import SPLIT_BOTH
from hyperbaton.corpus.words.tagger import Tagger
from hyperbaton.corpus.words.word_classes import WordClasses
from hyperbaton.foundation.errors import DataError, SettingError, missing_file, nearest
from hyperbaton.foundation.files.writing import make_folder, open_to_write, writing
from hyperbaton.foundation.progress import Talk
from hyperbaton.foundation.settings_text import NO_LIMIT
from hyperbaton.models.distortion.catalogue import (
    MODELS,
    make_model,
    model_text,
    parse_model,
    split_model,
)
from hyperbaton.models.distortion.interface import DistortionModel
from hyperbaton.models.language_model.parts import load_part
from hyperbaton.models.language_model.several import LanguageModels
from hyperbaton.models.language_model.speaking import SpeakingModel
from hyperbaton.models.phrases.entries import SCORES
from hyperbaton.models.phrases.table import PhraseTable
from hyperbaton.models.rules.table import RuleTable
from hyperbaton.models.system.stages import PARTS, remove_other_parts

if TYPE_CHECKING:  # imported only for systems with raw text
    from hyperbaton.corpus.raw_text.both_sides import TextPipelines

FORMAT = 2
NAME = "model.toml"
ADVICE = "train or import the system again"
DISTORTION_LIMIT = 6
LARGEST_WEIGHT, LARGEST_LIMIT = 1e6, 10**6  # more could overflow
MBR_SCALE = 20.0  # default, if the table [search] has none
TAGGER = "source_tagger"  # a part of systems that were trained with tags
TEXT = "text"  # the part with the truecasers; also the table that describes the text pipelines
LM = "lm"  # the language model; further ones are lm.NAME
FURTHER_LM = 0.1  # starting weight
PHRASES, RULES = "phrases", "rules"  # the parts with what is translated; a system may have both
STACK, CHART = "stack", "chart"  # searches, for phrases and for hierarchical rules
SEARCHES = STACK, CHART
GLUE = "glue"  # feature of the chart search: steps that put spans one after the other


@dataclass(frozen=True)
class FittedModel:
    """A distortion model of a system, and the folder of its learned parameters, if it has any."""

    name: str  # in the catalogue, or module:Class
    model: DistortionModel
    part: str = ""

    def entry(self) -> dict[str, Any]:
        """The model's entry in `model.toml`."""
        return {"name": self.name, "settings": self.model.settings()} | (
            {"part": self.part} if self.part else {}
        )


def default_models(reordering_type: str) -> list[DistortionModel]:
    """Linear distortion, and the reordering scores of the phrase table if it has any."""
    models = [make_model("linear")]
    return models + [make_model("msd", type=reordering_type)] * bool(reordering_type)


def starting_weights(
    models: Iterable[DistortionModel], lms: Iterable[str] = (), *, has_rules: bool = False
) -> dict[str, float]:
    """Weights before tuning, by feature name: Moses' defaults, if Moses has the feature. `lms` are
    the names of the language models if there are several.

    With Moses' word penalty of −1, translations of real text are up to 13 % too short. With −1.2
    their length is within 10 % of the references' on all corpora we tried.
    """
    weights = {f"translation.{name}": 0.2 for name in SCORES}
    weights |= {"phrase_penalty": 0.2, "word_penalty": -1.2, LM: 0.5}
    weights |= {name: FURTHER_LM for name in lms if name != LM}
    weights |= {"unknown": 1.0}
    weights |= {GLUE: 0.0} if has_rules else {}
    for model in models:
        weights |= dict(zip(model.feature_names, model.initial_weights, strict=True))
    return weights


def default_weights(reordering_type: str) -> dict[str, float]:
    return starting_weights(default_models(reordering_type))


def write_system(
    directory: Path,
    parts: dict[str, str],
    weights: Mapping[str, float],
    models: Iterable[FittedModel],
    search: Mapping[str, float],
    **sections: dict[str, Any],
) -> None:
    """Writes `model.toml` for the parts (folders inside `directory`); `search` has the distortion
    limit and optionally the scale for minimum Bayes risk."""
    content = {
        "format": FORMAT,
        "hyperbaton": version("hyperbaton"),
        "parts": parts,
        "search": dict(search),
        "weights": dict(weights),
        "distortion": [model.entry() for model in models],
        **sections,
    }
    write_content(directory, content)
    remove_other_parts(directory, part_folders(content))


def write_variant(
    directory: Path,
    base: Path,
    distortion: Iterable[str],
    weights: Mapping[str, float],
    distortion_limit: int,
) -> None:
    """Writes a system that uses some models of another system, with other weights.

    Its parts are links to those of `base`, so the two folders must be moved together.
    """
    content = read_system(base) | {
        "search": {"distortion_limit": distortion_limit},
        "weights": dict(weights),
        "distortion": model_entries(base, distortion),
    }
    make_folder(directory / PARTS)
    for part in part_folders(content):
        link = directory / part
        with writing(link):
            link.unlink(missing_ok=True)
            link.symlink_to(os.path.relpath((base / part).resolve(), link.parent.resolve()))
    write_content(directory, content)


def write_weights(
    directory: Path,
    weights: Mapping[str, float],
    distortion_limit: int,
    tuning: Mapping[str, Any],
    mbr_scale: float | None = None,
) -> None:
    """Replaces a system's weights, distortion limit and, if given, scale for minimum Bayes risk.

    `tuning` records how they were found.
    """
    content = read_system(directory)
    content["weights"] |= weights
    content["search"]["distortion_limit"] = distortion_limit
    if mbr_scale is not None:
        content["search"]["mbr_scale"] = mbr_scale
    content["tuning"] = dict(tuning)
    write_content(directory, content)


def write_content(directory: Path, content: Mapping[str, Any]) -> None:
    with open_to_write(directory / NAME) as stream:
        tomli_w.dump(content, stream)


def weights_to_keep(
    directory: Path, defaults: dict[str, float], talk: Talk
) -> tuple[dict[str, float], dict[str, float]]:
    """Weights and the table `[search]` for a system that is trained again.

    The old weights may have been tuned, so they are kept if the features are the same; otherwise
    the defaults are used.
    """
    search: dict[str, float] = {"distortion_limit": DISTORTION_LIMIT}
    if not (directory / NAME).exists():
        return defaults, search
    try:
        content = read_system(directory)
    except DataError as error:
        talk(f"using default weights, because the old ones cannot be read: {error}")
        return defaults, search
    weights: dict[str, float] = content["weights"]
    if set(weights) != set(defaults):
        talk("using default weights, because the features have changed")
        return defaults, search
    if (weights, content["search"]) != (defaults, search):
        talk(f"keeping the weights and the distortion limit of {directory / NAME}")
    return weights, content["search"]


def read_system(directory: Path) -> dict[str, Any]:
    """The content of `model.toml`."""
    path = directory / NAME
    if not directory.is_dir():
        raise DataError("is not a folder with a trained system", where=str(directory))
    try:
        content = deepcopy(_parsed(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise missing_file(path) from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"is not TOML: {error}", where=str(path)) from None
    if content.get("format") != FORMAT:
        raise DataError(
            f"has format {content.get('format')}",
            where=str(path),
            expected=f"this version of hyperbaton reads format {FORMAT}",
            advice=ADVICE,
        )
    _check(content, str(path))
    return content


@lru_cache(maxsize=1)
def _parsed(text: str) -> dict[str, Any]:
    """Cached, because loading a system parses the same text once for each part."""
    return tomllib.loads(text)


def _check(content: dict[str, Any], where: str) -> None:
    """Checks parts, weights, distortion models and search settings."""
    for name in ("parts", "weights", "search"):
        if not isinstance(content.get(name), dict):
            raise DataError(f"has no table [{name}]", where=where, advice=ADVICE)
    searched = RULES if RULES in content["parts"] else PHRASES
    for name in {searched: None, LM: None, **content["parts"]}:
        part = content["parts"].get(name)
        if not _is_part(part):
            raise DataError(f"parts.{name} is {part!r}, not a folder", where=where, advice=ADVICE)
    needed = starting_weights(
        (), language_models(content["parts"]), has_rules=RULES in content["parts"]
    )
    _check_weights(content["weights"], where, needed)
    entries = content.get("distortion")
    if not isinstance(entries, list) or not all(map(_is_entry, entries)):
        raise DataError("has no list [[distortion]] of models", where=where, advice=ADVICE)
    limit = content["search"].get("distortion_limit")
    if type(limit) is not int or not NO_LIMIT <= limit <= LARGEST_LIMIT:
        raise DataError(
            f"search.distortion_limit is {limit!r:.40}",
            where=where,
            expected="expected a whole number, or -1 for no limit",
        )
    scale = content["search"].get("mbr_scale", MBR_SCALE)
    if type(scale) not in (int, float) or not 0 < scale < inf:
        raise DataError(
            f"search.mbr_scale is {scale!r}", where=where, expected="expected a number above 0"
        )


def require_weights(names: Iterable[str], weights: Mapping[str, Any], where: str) -> None:
    """Rejects features without a weight."""
    for name in names:
        if name not in weights:
            expected = nearest(name, list(weights))
            raise DataError(f"the feature {name!r} has no weight", where=where, expected=expected)


def _check_weights(weights: dict[str, Any], where: str, needed: Iterable[str]) -> None:
    require_weights(needed, weights, where)
    for name, weight in weights.items():
        if type(weight) not in (int, float) or not abs(weight) <= LARGEST_WEIGHT:
            raise DataError(f"weights.{name} is {weight!r:.40}, not a number", where=where)
        weights[name] = float(weight)  # TOML's `lm = 1` is a whole number


def _is_entry(entry: Any) -> bool:
    return (
        isinstance(entry, dict)
        and isinstance(entry.get("name"), str)
        and isinstance(entry.get("settings"), dict)
        and ("part" not in entry or _is_part(entry["part"]))
    )


def _is_part(part: Any) -> bool:
    """Whether a part is inside the system's folder: systems may come from untrusted sources."""
    return isinstance(part, str) and re.fullmatch(rf"{PARTS}/\w[\w.-]*", part) is not None


def load_distortion(
    directory: Path, wanted: Iterable[str] = (), *, allow_plugins: bool = False
) -> list[DistortionModel]:
    """The system's distortion models, or those in `wanted`, as `name,key=value,…`.

    A wanted model that the system lacks is created if it has nothing to learn. A system is data:
    the models that it names must be part of hyperbaton, unless `allow_plugins` is set.
    """
    wanted = list(wanted)
    entries = model_entries(directory, wanted)
    if not wanted and not allow_plugins:
        refuse_plugins(entries, str(directory / NAME))
    return [load_entry(directory, entry) for entry in entries]


def refuse_plugins(entries: Iterable[Mapping[str, Any]], where: str) -> None:
    for name in (entry["name"] for entry in entries):
        if name not in MODELS:
            raise SettingError(
                f"the system uses the plug-in {name!r}",
                where=where,
                expected="code that is not part of hyperbaton runs only with your permission",
                advice="if you trust it: --allow-plugins",
            )


def model_entries(directory: Path, wanted: Iterable[str] = ()) -> list[dict[str, Any]]:
    """The models' entries in `model.toml`; for models created here, name and settings."""
    entries: list[dict[str, Any]] = read_system(directory)["distortion"]
    chosen = [_find_entry(directory, entries, text) for text in wanted]
    return chosen or entries


def load_entry(directory: Path, entry: Mapping[str, Any]) -> DistortionModel:
    model = make_model(entry["name"], **entry["settings"])
    try:
        model.check_settings()
    except SettingError as error:
        error.where = ": ".join(filter(None, (str(directory / NAME), error.where)))
        raise
    return model.load(directory / entry["part"]) if "part" in entry else model


def _find_entry(directory: Path, entries: list[dict[str, Any]], text: str) -> dict[str, Any]:
    name, given = split_model(text)
    model = parse_model(text)
    full = model.settings()
    asked = {key: full[key] for key in given}.items()
    fitting = [
        entry for entry in entries if entry["name"] == name and asked <= entry["settings"].items()
    ]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise SettingError(f"{text!r} is ambiguous: {_model_texts(fitting)}")
    if not model.learns:
        return FittedModel(name, model).entry()
    raise SettingError(
        f"the system has no model {text!r}",
        where=str(directory / NAME),
        expected=f"it has {_model_texts(entries)}",
        advice=f"train the system again, with --distortion {text} in addition to its other models",
    )


def _model_texts(entries: Iterable[Mapping[str, Any]]) -> str:
    return "; ".join(model_text(entry["name"], entry["settings"]) for entry in entries)


def system_files(directory: Path, wanted: Iterable[str] = ()) -> tuple[str, ...]:
    """The files and folders of a system with these models; the folder may have others."""
    content = read_system(directory) | {"distortion": model_entries(directory, wanted)}
    return NAME, *part_folders(content)


def part_folders(content: Mapping[str, Any]) -> list[str]:
    """The folders of all parts that a `model.toml` names."""
    learned = (entry["part"] for entry in content["distortion"] if "part" in entry)
    return [*content["parts"].values(), *learned]


def load_phrases(directory: Path) -> PhraseTable:
    return PhraseTable.load(_part_with(directory, PHRASES, "phrase table"))


def load_rules(directory: Path) -> RuleTable:
    return RuleTable.load(_part_with(directory, RULES, "hierarchical rules"))


def search_of(directory: Path) -> str:
    """The search that a system uses unless asked for the other."""
    return STACK if PHRASES in read_system(directory)["parts"] else CHART


def load_table(directory: Path, search: str = "") -> PhraseTable | RuleTable:
    """The phrase table, or the hierarchical rules for the chart search."""
    is_chart = (search or search_of(directory)) == CHART
    return load_rules(directory) if is_chart else load_phrases(directory)


def _part_with(directory: Path, name: str, what: str) -> Path:
    part = read_system(directory)["parts"].get(name)
    if part is None:
        raise DataError(f"the system has no {what}", where=str(directory / NAME))
    return directory / str(part)


def load_text(directory: Path) -> "TextPipelines | None":
    """The system's text pipelines; None if it takes tokens."""
    content = read_system(directory)
    if TEXT not in content:
        return None
    from hyperbaton.corpus.raw_text.both_sides import TextPipelines

    part = content["parts"].get(TEXT)
    folder = directory / part if part else None
    return TextPipelines.read(content[TEXT], folder, str(directory / NAME))


def load_tokenisers(directory: Path) -> Mapping[str, Callable[[str], list[str]]]:
    """The tokenisers of the system's training corpus."""
    text = load_text(directory)
    if text is None:
        return SPLIT_BOTH
    text.load()
    return text.tokenise


def load_source_tagger(directory: Path) -> Tagger | None:
    part = read_system(directory)["parts"].get(TAGGER)
    return Tagger.load(directory / part) if part else None


def load_source_classes(directory: Path) -> WordClasses | None:
    part = read_system(directory)["parts"].get("source_classes")
    return WordClasses.load(directory / part) if part else None


def load_language_model(directory: Path) -> SpeakingModel:
    """The system's language model, or all of them if it has several."""
    parts = read_system(directory)["parts"]
    models = {name: load_part(directory / parts[name]) for name in language_models(parts)}
    return LanguageModels(models) if len(models) > 1 else models[LM]


def language_models(parts: Iterable[str]) -> list[str]:
    """The names of the language models, `lm` first."""
    return [LM, *sorted(name for name in parts if name.startswith(f"{LM}."))]
