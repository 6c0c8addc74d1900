"""Systems from and for Moses: `moses.ini` with its tables and language model."""

import shutil
from collections.abc import Callable
from pathlib import Path

from models.language_model.kenlm_model import KenlmModel
from models.language_model.model import LanguageModel
from models.moses_ini import (
    LANGUAGE_MODELS,
    PHRASE_TABLES,
    REORDERING,
    SINGLE_WEIGHTS,
    FeatureLine,
    MosesIni,
    read_moses_ini,
)
from models.phrases.moses_tables import (
    read_phrase_table,
    write_phrase_table,
    write_reordering_table,
)
from models.phrases.reordering import ReorderingType
from models.phrases.table import FORMAT, SCORES
from models.progress import Progress
from models.stages import fingerprint, run_stage
from models.system import (
    ARPA,
    KENLM_BINARY,
    load_language_model,
    load_phrases,
    read_system,
    reordering_features,
    write_system,
)
from models.text import open_binary
from models.writing import open_to_write

KENLM_MAGIC = b"mmap lm http://kheafield.com/code"
ALL_FEATURES = "-allff"  # Moses' mark of a table whose classes have a weight each
DEFAULT_TYPE = "wbe-msd-bidirectional-fe"


def import_moses(
    ini_path: Path,
    out: Path,
    talk: Callable[[str], None] = lambda _: None,
    progress: Progress | None = None,
) -> None:
    """Makes a system of ours from a Moses configuration and the files that it names."""
    ini = read_moses_ini(ini_path)
    for line in _unsupported(ini):
        talk(f"left out, because it is not supported: {line}")
    table = ini.only(PHRASE_TABLES, "phrase table")
    lm = ini.only(LANGUAGE_MODELS, "language model")
    reordering = next((f for f in ini.features if f.kind == REORDERING), None)
    kind = _reordering_type(reordering)
    weights = _weights(ini, table, lm, reordering, kind)
    table_path, lm_path = ini.file_of(table), ini.file_of(lm)
    reordering_path = ini.file_of(reordering, f".{kind}") if reordering else None

    def phrases(folder: Path) -> str:
        made, n_too_long = read_phrase_table(table_path, reordering_path, kind, progress)
        if n_too_long:
            talk(f"{n_too_long} phrase pairs are left out: a phrase has more than 8 words")
        made.save(folder)
        return f"{len(made):,} phrase pairs"

    def language_model(folder: Path) -> str:
        if _is_kenlm_binary(lm_path):
            KenlmModel(lm_path)  # refuses what kenlm cannot read
            shutil.copyfile(lm_path, folder / KENLM_BINARY)
            return "KenLM binary"
        model = LanguageModel.from_arpa(lm_path, progress)
        model.save(folder)
        with open_binary(lm_path) as source, open_to_write(folder / ARPA) as copy:
            shutil.copyfileobj(source, copy)
        return f"order {model.order}, {len(model.vocabulary):,} words"

    files = [path for path in (table_path, reordering_path) if path]
    parts = {
        "phrases": run_stage(out, "phrases", fingerprint(FORMAT, kind, *files), phrases, talk),
        "lm": run_stage(out, "lm", fingerprint(lm_path), language_model, talk),
    }
    origin = {"moses_ini": str(ini_path)}
    write_system(out, parts, weights, kind, ini.distortion_limit, imported=origin)


def export_moses(directory: Path, out: Path, talk: Callable[[str], None] = lambda _: None) -> None:
    """Writes a system of ours as Moses' files into the folder `out`."""
    content = read_system(directory)
    table, lm = load_phrases(directory), load_language_model(directory)
    lm_name = KENLM_BINARY if isinstance(lm, KenlmModel) else ARPA
    out.mkdir(parents=True, exist_ok=True)
    write_phrase_table(table, out / "phrase-table.gz")
    talk(f"{out / 'phrase-table.gz'}: {len(table):,} phrase pairs")
    if table.reordering_type:
        path = out / f"reordering-table.{table.reordering_type}.gz"
        write_reordering_table(table, path)
        talk(str(path))
    shutil.copyfile(directory / content["parts"]["lm"] / lm_name, out / lm_name)
    talk(str(out / lm_name))
    with open_to_write(out / "moses.ini") as stream:
        stream.write(_ini_text(content, table.reordering_type, lm_name, lm.order).encode())
    talk(str(out / "moses.ini"))


def _unsupported(ini: MosesIni) -> list[str]:
    known = {*PHRASE_TABLES, *LANGUAGE_MODELS, REORDERING, *SINGLE_WEIGHTS}
    lines = [f"{f.where}: {f.kind}" for f in ini.features if f.kind not in known]
    return [*lines, *ini.unused]


def _reordering_type(feature: FeatureLine | None) -> str:
    if feature is None:
        return ""
    name = feature.arguments.get("type", DEFAULT_TYPE).removesuffix(ALL_FEATURES)
    return str(ReorderingType.parse(name))


def _weights(
    ini: MosesIni, table: FeatureLine, lm: FeatureLine, reordering: FeatureLine | None, kind: str
) -> dict[str, float]:
    names = [f"translation.{name}" for name in SCORES]
    weights = dict(zip(names, ini.weights_of(table, len(names)), strict=True))
    [weights["lm"]] = ini.weights_of(lm, 1)
    for feature in ini.features:
        if feature.kind in SINGLE_WEIGHTS:
            [weights[SINGLE_WEIGHTS[feature.kind]]] = ini.weights_of(feature, 1)
    for name in SINGLE_WEIGHTS.values():
        weights.setdefault(name, 1.0 if name == "unknown" else 0.0)
    if reordering:
        columns = reordering_features(kind)
        weights |= dict(zip(columns, ini.weights_of(reordering, len(columns)), strict=True))
    return weights


def _is_kenlm_binary(path: Path) -> bool:
    with open_binary(path) as stream:
        return stream.read(len(KENLM_MAGIC)) == KENLM_MAGIC


def _ini_text(content: dict, kind: str, lm_name: str, lm_order: int) -> str:  # type: ignore[type-arg]
    weights = content["weights"]
    features = ["UnknownWordPenalty", "WordPenalty", "PhrasePenalty", "Distortion"]
    lines = [f"{feature}0= {weights[SINGLE_WEIGHTS[feature]]}" for feature in features]
    features.append(
        "PhraseDictionaryMemory name=TranslationModel0 num-features=4 path=phrase-table.gz "
        "input-factor=0 output-factor=0"
    )
    values = (str(weights[f"translation.{name}"]) for name in SCORES)
    lines.append(f"TranslationModel0= {' '.join(values)}")
    if kind:
        names = reordering_features(kind)
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
