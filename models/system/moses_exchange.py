"""Imports systems from Moses and exports them: `moses.ini` with its tables and language model."""

from pathlib import Path
from typing import Any

from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.foundation.files.writing import copy_file, make_folder, open_to_write, path_text
from hyperbaton.foundation.progress import SILENT, Reporter, Talk, silent
from hyperbaton.models.distortion.catalogue import make_model
from hyperbaton.models.language_model.arpa import write_arpa
from hyperbaton.models.language_model.model import FORMAT as LM_FORMAT
from hyperbaton.models.language_model.model import KenlmModel, LanguageModel
from hyperbaton.models.phrases.moses_tables import (
    read_phrase_table,
    write_phrase_table,
    write_reordering_table,
)
from hyperbaton.models.phrases.reordering import ReorderingType
from hyperbaton.models.phrases.table import FORMAT as PHRASES_FORMAT
from hyperbaton.models.phrases.table import SCORES
from hyperbaton.models.system.folder import (
    KENLM_BINARY,
    NAME,
    FittedModel,
    default_models,
    default_weights,
    load_language_model,
    load_phrases,
    read_system,
    require_weights,
    write_system,
)
from hyperbaton.models.system.moses_ini import (
    LANGUAGE_MODELS,
    PHRASE_TABLES,
    REORDERING,
    SINGLE_WEIGHTS,
    FeatureLine,
    MosesIni,
    read_moses_ini,
)
from hyperbaton.models.system.stages import fingerprint, locked, run_stage

KENLM_MAGIC = b"mmap lm http://kheafield.com/code"
ARPA = "lm.arpa.gz"
ALL_FEATURES = "-allff"  # Moses' mark of a table with a weight for each class
DEFAULT_TYPE = "wbe-msd-bidirectional-fe"


def import_moses(
    ini_path: Path,
    out: Path,
    reporter: Reporter = SILENT,
) -> None:
    """Makes one of our systems from a Moses configuration and the files that it names."""
    ini = read_moses_ini(ini_path)
    table = ini.only(PHRASE_TABLES, "phrase table")
    lm = ini.only(LANGUAGE_MODELS, "language model")
    used = _used(ini)
    left_out = [f"{f.where}: {f.kind}" for f in ini.features if f is not used.get(f.kind)]
    for line in [*left_out, *ini.unused]:
        reporter.talk(f"left out, because it is not supported: {line}")
    reordering = used.get(REORDERING)
    kind = _reordering_type(reordering)
    weights = _weights(ini, used, table, lm, kind)
    table_path, lm_path = ini.file_of(table), ini.file_of(lm)
    reordering_path = ini.file_of(reordering, f".{kind}") if reordering else None

    def phrases(folder: Path) -> str:
        made, n_too_long = read_phrase_table(table_path, reordering_path, kind, reporter.progress)
        if n_too_long:
            reporter.talk(f"{n_too_long} phrase pairs are left out: a phrase has more than 8 words")
        made.save(folder)
        return f"{len(made):,} phrase pairs"

    def language_model(folder: Path) -> str:
        if _is_kenlm_binary(lm_path):
            KenlmModel(lm_path)  # refuses what kenlm cannot read
            copy_file(lm_path, folder / KENLM_BINARY)
            return "KenLM binary"
        model = LanguageModel.from_arpa(lm_path, reporter.progress)
        model.save(folder)
        return f"order {model.order}, {len(model.vocabulary):,} words"

    files = [path for path in (table_path, reordering_path) if path]
    phrases_key = fingerprint(PHRASES_FORMAT, kind, *files)
    lm_key = fingerprint(LM_FORMAT, lm_path)
    with locked(out):
        parts = {
            "phrases": run_stage(out, "phrases", phrases_key, phrases, reporter),
            "lm": run_stage(out, "lm", lm_key, language_model, reporter),
        }
        origin = {"moses_ini": path_text(ini_path)}
        models = [FittedModel(model.name, model) for model in default_models(kind)]
        search = {"distortion_limit": ini.distortion_limit}
        write_system(out, parts, weights, models, search, imported=origin)


def export_moses(directory: Path, out: Path, talk: Talk = silent) -> None:
    """Writes one of our systems as Moses' files into the folder `out`."""
    content = read_system(directory)
    table, lm = load_phrases(directory), load_language_model(directory)
    lm_name = KENLM_BINARY if isinstance(lm, KenlmModel) else ARPA
    names = {entry["name"] for entry in content["distortion"]}
    kind = table.reordering_type if "msd" in names else ""  # the table may have unused scores
    if "linear" not in names:
        content["weights"].setdefault("linear", 0.0)
    ini = _ini_text(content, kind, lm_name, lm.order, str(directory / NAME))
    known = default_weights(kind)
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
    if isinstance(lm, KenlmModel):
        copy_file(directory / content["parts"]["lm"] / lm_name, out / lm_name)
    else:
        write_arpa(lm.ngrams(), out / lm_name)
    talk(str(out / lm_name))
    with open_to_write(out / "moses.ini") as stream:
        stream.write(ini.encode())
    talk(str(out / "moses.ini"))


def _used(ini: MosesIni) -> dict[str, FeatureLine]:
    """The first feature of every kind that we support."""
    known = {*PHRASE_TABLES, *LANGUAGE_MODELS, REORDERING, *SINGLE_WEIGHTS}
    return {f.kind: f for f in reversed(ini.features) if f.kind in known}


def _reordering_type(feature: FeatureLine | None) -> str:
    if feature is None:
        return ""
    name = feature.arguments.get("type", DEFAULT_TYPE).removesuffix(ALL_FEATURES)
    try:
        return str(ReorderingType.parse(name))
    except SettingError as error:  # not our setting, but what the file says
        raise DataError(error.what, where=feature.where, expected=error.expected) from None


def _weights(
    ini: MosesIni, used: dict[str, FeatureLine], table: FeatureLine, lm: FeatureLine, kind: str
) -> dict[str, float]:
    names = [f"translation.{name}" for name in SCORES]
    weights = dict(zip(names, ini.weights_of(table, len(names)), strict=True))
    [weights["lm"]] = ini.weights_of(lm, 1)
    for moses_kind, name in SINGLE_WEIGHTS.items():
        weights[name] = 1.0 if name == "unknown" else 0.0
        if moses_kind in used:
            [weights[name]] = ini.weights_of(used[moses_kind], 1)
    if kind:
        columns = make_model("msd", type=kind).feature_names
        values = ini.weights_of(used[REORDERING], len(columns))
        weights |= dict(zip(columns, values, strict=True))
    return weights


def _is_kenlm_binary(path: Path) -> bool:
    with path.open("rb") as stream:
        return stream.read(len(KENLM_MAGIC)) == KENLM_MAGIC


def _ini_text(content: dict[str, Any], kind: str, lm_name: str, lm_order: int, where: str) -> str:
    weights = content["weights"]
    require_weights(default_weights(kind), weights, where)
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
    features.append(f"KENLM name=LM0 factor=0 path={lm_name} order={lm_order}")
    lines.append(f"LM0= {weights['lm']}")
    sections = {
        "input-factors": ["0"],
        "mapping": ["0 T 0"],
        "distortion-limit": [str(content["search"]["distortion_limit"])],
        "feature": features,
        "weight": lines,
    }
    return "\n".join(f"[{name}]\n" + "\n".join(body) + "\n" for name, body in sections.items())
