"""Imports systems from Moses and exports them: `moses.ini` with its tables and language model."""

from functools import partial
from pathlib import Path
from typing import Any

from hyperbaton.foundation.errors import DataError, SettingError, counted
from hyperbaton.foundation.files.writing import copy_file, make_folder, open_to_write, path_text
from hyperbaton.foundation.progress import SILENT, Reporter, Talk, silent
from hyperbaton.models.distortion.catalogue import make_model
from hyperbaton.models.language_model.arpa import write_arpa
from hyperbaton.models.language_model.class_model import ClassModel
from hyperbaton.models.language_model.kenlm_model import KenlmModel
from hyperbaton.models.language_model.model import FORMAT as LM_FORMAT
from hyperbaton.models.language_model.model import LanguageModel
from hyperbaton.models.language_model.parts import fill_part, load_part
from hyperbaton.models.language_model.speaking import SingleModel
from hyperbaton.models.phrases.entries import SCORES
from hyperbaton.models.phrases.moses_tables import (
    read_phrase_table,
    write_phrase_table,
    write_reordering_table,
)
from hyperbaton.models.phrases.reordering import ReorderingType
from hyperbaton.models.phrases.table import PhraseTable
from hyperbaton.models.rules.moses_table import GLUE_GRAMMAR, read_rule_table, write_rule_table
from hyperbaton.models.rules.table import RuleTable
from hyperbaton.models.system.folder import (
    CHART,
    GLUE,
    LM,
    NAME,
    PHRASES,
    RULES,
    FittedModel,
    default_models,
    default_weights,
    language_models,
    load_phrases,
    load_rules,
    read_system,
    require_weights,
    search_of,
    starting_weights,
    write_system,
)
from hyperbaton.models.system.moses_ini import (
    CHART_SEARCH,
    CHART_SPAN,
    LANGUAGE_MODELS,
    PHRASE_TABLES,
    REORDERING,
    SINGLE_WEIGHTS,
    FeatureLine,
    MosesIni,
    read_moses_ini,
)
from hyperbaton.models.system.moses_operations import (
    FEATURES,
    FILE,
    OPERATIONS,
    import_operations,
    models_of_words,
    operation_file,
    operation_lines,
    operation_weights,
)
from hyperbaton.models.system.stages import fingerprint, locked, run_stage

ALL_FEATURES = "-allff"  # Moses' suffix for a table with a weight for each class
DEFAULT_TYPE = "wbe-msd-bidirectional-fe"


def import_moses(
    ini_path: Path,
    out: Path,
    reporter: Reporter = SILENT,
) -> None:
    """Converts a Moses configuration and the files that it names to a system."""
    ini = read_moses_ini(ini_path)
    if ini.is_chart:
        import_rules(ini, out, reporter)
        return
    table = ini.only(PHRASE_TABLES, "phrase table")
    lms = _language_models(ini)
    used = _used(ini)
    taken = [*used.values(), *lms.values()]
    _say_unused(ini, taken, reporter.talk)
    reordering = used.get(REORDERING)
    kind = _reordering_type(reordering)
    weights = _weights(ini, used, table, lms, kind)
    table_path, lm_paths = ini.file_of(table), {name: ini.file_of(lm) for name, lm in lms.items()}
    reordering_path = ini.file_of(reordering, f".{kind}") if reordering else None
    osm_path = operation_file(ini, used[OPERATIONS], reporter.talk) if OPERATIONS in used else None

    def phrases(folder: Path) -> str:
        read, n_too_long = read_phrase_table(table_path, reordering_path, kind, reporter.progress)
        if n_too_long:
            pairs = counted(n_too_long, "phrase pair")
            reporter.talk(f"{pairs} left out: longer than 8 words")
        read.save(folder)
        return f"{len(read):,} phrase pairs"

    files = [path for path in (table_path, reordering_path) if path]
    phrases_key = fingerprint(PhraseTable.FORMAT, kind, *files)
    with locked(out):
        parts = {PHRASES: run_stage(out, PHRASES, phrases_key, phrases, reporter)}
        parts |= _language_model_parts(lm_paths, out, reporter)
        origin = {"moses_ini": path_text(ini_path)}
        models = [FittedModel(model.name, model) for model in default_models(kind)]
        if osm_path:
            models.append(import_operations(osm_path, out, parts["phrases"], reporter))
        search = {"distortion_limit": ini.distortion_limit}
        write_system(out, parts, weights, models, search, imported=origin)


def import_rules(ini: MosesIni, out: Path, reporter: Reporter) -> None:
    """Converts a configuration with hierarchical rules."""
    table, glue = ini.rule_tables()
    lms, used = _language_models(ini), _used(ini)
    single = [used[kind] for kind in SINGLE_WEIGHTS if kind in used and kind != "Distortion"]
    _say_unused(ini, [table, *([glue] if glue else []), *single, *lms.values()], reporter.talk)
    weights = _weights(ini, used, table, lms, "")
    weights[GLUE] = ini.weights_of(glue, 1)[0] if glue else 0.0
    del weights["linear"]
    path, lm_paths = ini.file_of(table), {name: ini.file_of(lm) for name, lm in lms.items()}

    def rules(folder: Path) -> str:
        read, n_left_out = read_rule_table(path, reporter.progress)
        if n_left_out:
            what = counted(n_left_out, "rule")
            reporter.talk(f"{what} left out: too long, with adjacent gaps or without words")
        read.save(folder)
        return f"{len(read):,} rules"

    with locked(out):
        key = fingerprint(RuleTable.FORMAT, path)
        parts = {RULES: run_stage(out, RULES, key, rules, reporter)}
        parts |= _language_model_parts(lm_paths, out, reporter)
        search = {"distortion_limit": ini.distortion_limit}
        write_system(out, parts, weights, [], search, imported={"moses_ini": path_text(ini.path)})


def _say_unused(ini: MosesIni, taken: list[FeatureLine], talk: Talk) -> None:
    left_out = [f"{f.where}: {f.kind}" for f in ini.features if f not in taken]
    for line in [*left_out, *ini.unused]:
        talk(f"left out, because it is not supported: {line}")


def _language_model_parts(paths: dict[str, Path], out: Path, reporter: Reporter) -> dict[str, str]:
    parts = {}
    for name, path in paths.items():
        work = partial(fill_part, path, progress=reporter.progress)
        parts[name] = run_stage(out, name, fingerprint(LM_FORMAT, path), work, reporter)
    return parts


def export_moses(directory: Path, out: Path, talk: Talk = silent) -> None:
    """Writes a system as Moses' files into the folder `out`."""
    content = read_system(directory)
    if search_of(directory) == CHART:
        export_rules(directory, out, talk)
        return
    table, parts = load_phrases(directory), content["parts"]
    lms = _word_models(directory, parts)
    lm_files = {name: name + _suffix(lm) for name, lm in lms.items()}
    names = {entry["name"] for entry in content["distortion"]}
    kind = table.reordering_type if "msd" in names else ""  # the table may have unused scores
    if "linear" not in names:
        content["weights"].setdefault("linear", 0.0)
    given = [(lm_files[name], lm.order, content["weights"][name]) for name, lm in lms.items()]
    osm = models_of_words(directory, content["distortion"])
    ini = _ini_text(content, kind, given, str(directory / NAME), has_operations=bool(osm))
    known = {**default_weights(kind), **lms, **dict.fromkeys(FEATURES if osm else ())}
    for name in content["weights"]:
        if name not in known:
            talk(f"left out, because Moses has no such feature: {name}")
    make_folder(out)
    write_phrase_table(table, out / "phrase-table.gz")
    talk(f"{out / 'phrase-table.gz'}: {len(table):,} phrase pairs")
    if kind:
        path = out / f"reordering-table.{kind}.gz"
        write_reordering_table(table, path)
        talk(str(path))
    _write_models(lms, out, talk)
    for model in osm:
        write_arpa(model.moses_ngrams(), out / FILE)
        talk(str(out / FILE))
    with open_to_write(out / "moses.ini") as stream:
        stream.write(ini.encode())
    talk(str(out / "moses.ini"))


def export_rules(directory: Path, out: Path, talk: Talk) -> None:
    """Writes a system with hierarchical rules."""
    content, table = read_system(directory), load_rules(directory)
    weights, lms = content["weights"], _word_models(directory, content["parts"])
    for name in weights:
        if name not in {*starting_weights((), lms, has_rules=True)}:
            talk(f"left out, because Moses has no such feature: {name}")
    make_folder(out)
    write_rule_table(table, out / "rule-table.gz")
    talk(f"{out / 'rule-table.gz'}: {len(table):,} rules")
    values = (str(weights[f"translation.{name}"]) for name in SCORES)
    form = "PhraseDictionaryMemory name=TranslationModel{} num-features={} path={}"
    features = ["UnknownWordPenalty", "WordPenalty", "PhrasePenalty"]
    lines = [f"{feature}0= {weights[SINGLE_WEIGHTS[feature]]}" for feature in features]
    lines += [f"TranslationModel0= {' '.join(values)}", f"TranslationModel1= {weights[GLUE]}"]
    features += [form.format(0, 4, "rule-table.gz"), form.format(1, 1, "glue-grammar")]
    for number, (name, lm) in enumerate(lms.items()):
        features.append(f"KENLM name=LM{number} factor=0 path={name}{_suffix(lm)} order={lm.order}")
        lines.append(f"LM{number}= {weights[name]}")
    _write_models(lms, out, talk)
    sections = {
        "input-factors": ["0"],
        "mapping": ["0 T 0", "1 T 1"],
        "search-algorithm": [CHART_SEARCH],
        "non-terminals": ["X"],
        "max-chart-span": [CHART_SPAN, "1000"],
        "feature": features,
        "weight": lines,
    }
    for name, text in (("glue-grammar", GLUE_GRAMMAR), ("moses.ini", _text_of(sections))):
        with open_to_write(out / name) as stream:
            stream.write(text.encode())
        talk(str(out / name))


def _word_models(directory: Path, parts: dict[str, str]) -> dict[str, SingleModel]:
    """The language models of words, by name."""
    lms = {name: load_part(directory / parts[name]) for name in language_models(parts)}
    return {name: lm for name, lm in lms.items() if not isinstance(lm, ClassModel)}


def _write_models(lms: dict[str, SingleModel], out: Path, talk: Talk) -> None:
    for name, lm in lms.items():
        path = out / f"{name}{_suffix(lm)}"
        if isinstance(lm, KenlmModel):
            copy_file(lm.path, path)
        elif isinstance(lm, LanguageModel):
            write_arpa(lm.ngrams(), path)
        talk(str(path))


def _suffix(lm: SingleModel) -> str:
    return ".kenlm" if isinstance(lm, KenlmModel) else ".arpa.gz"


def _language_models(ini: MosesIni) -> dict[str, FeatureLine]:
    """The language models by their names here: lm, lm.2, …"""
    lines = [feature for feature in ini.features if feature.kind in LANGUAGE_MODELS]
    first, *others = lines or [ini.only(LANGUAGE_MODELS, "language model")]
    return {LM: first} | {f"{LM}.{number}": lm for number, lm in enumerate(others, 2)}


def _used(ini: MosesIni) -> dict[str, FeatureLine]:
    """The first feature of every kind that we support."""
    known = {*PHRASE_TABLES, REORDERING, OPERATIONS, *SINGLE_WEIGHTS}
    return {f.kind: f for f in reversed(ini.features) if f.kind in known}


def _reordering_type(feature: FeatureLine | None) -> str:
    if feature is None:
        return ""
    name = feature.arguments.get("type", DEFAULT_TYPE).removesuffix(ALL_FEATURES)
    try:
        return str(ReorderingType.parse(name))
    except SettingError as error:  # an error of the file, not of a setting
        raise DataError(error.what, where=feature.where, expected=error.expected) from None


def _weights(
    ini: MosesIni,
    used: dict[str, FeatureLine],
    table: FeatureLine,
    lms: dict[str, FeatureLine],
    kind: str,
) -> dict[str, float]:
    names = [f"translation.{name}" for name in SCORES]
    weights = dict(zip(names, ini.weights_of(table, len(names)), strict=True))
    for name, lm in lms.items():
        [weights[name]] = ini.weights_of(lm, 1)
    for moses_kind, name in SINGLE_WEIGHTS.items():
        weights[name] = 1.0 if name == "unknown" else 0.0
        if moses_kind in used:
            [weights[name]] = ini.weights_of(used[moses_kind], 1)
    if kind:
        columns = make_model("msd", type=kind).feature_names
        values = ini.weights_of(used[REORDERING], len(columns))
        weights |= dict(zip(columns, values, strict=True))
    if OPERATIONS in used:
        weights |= operation_weights(ini, used[OPERATIONS])
    return weights


def _ini_text(
    content: dict[str, Any],
    kind: str,
    lms: list[tuple[str, int, float]],
    where: str,
    *,
    has_operations: bool,
) -> str:
    """The text of `moses.ini`; `lms` are the language models' files, orders and weights."""
    weights = content["weights"]
    require_weights([*default_weights(kind), *(FEATURES if has_operations else ())], weights, where)
    features = ["UnknownWordPenalty", "WordPenalty", "PhrasePenalty", "Distortion"]
    lines = [f"{feature}0= {weights[SINGLE_WEIGHTS[feature]]}" for feature in features]
    features.append(
        "PhraseDictionaryMemory name=TranslationModel0 num-features=4 path=phrase-table.gz "
        "input-factor=0 output-factor=0"
    )
    values = (str(weights[f"translation.{name}"]) for name in SCORES)
    lines.append(f"TranslationModel0= {' '.join(values)}")
    if kind:
        names = make_model("msd", type=kind).feature_names
        features.append(
            f"LexicalReordering name=LexicalReordering0 num-features={len(names)} "
            f"type={kind}{ALL_FEATURES} input-factor=0 output-factor=0 "
            f"path=reordering-table.{kind}.gz"
        )
        lines.append(f"LexicalReordering0= {' '.join(str(weights[name]) for name in names)}")
    if has_operations:
        feature, line = operation_lines(weights)
        features.append(feature)
        lines.append(line)
    for number, (path, order, weight) in enumerate(lms):
        features.append(f"KENLM name=LM{number} factor=0 path={path} order={order}")
        lines.append(f"LM{number}= {weight}")
    sections = {
        "input-factors": ["0"],
        "mapping": ["0 T 0"],
        "distortion-limit": [str(content["search"]["distortion_limit"])],
        "feature": features,
        "weight": lines,
    }
    return _text_of(sections)


def _text_of(sections: dict[str, list[str]]) -> str:
    return "\n".join(f"[{name}]\n" + "\n".join(body) + "\n" for name, body in sections.items())
