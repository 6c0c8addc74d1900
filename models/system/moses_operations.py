"""Moses' feature OpSequenceModel, and the model `osm`: its file, line and weights."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.progress import Reporter, Talk
from hyperbaton.models.distortion.osm.model import WORDS, OperationSequence
from hyperbaton.models.distortion.osm.operations import Kind
from hyperbaton.models.language_model.arpa import check_header
from hyperbaton.models.language_model.kenlm_model import is_kenlm_binary
from hyperbaton.models.language_model.ngrams import LN10
from hyperbaton.models.phrases.table import PhraseTable
from hyperbaton.models.system.folder import FittedModel, load_entry
from hyperbaton.models.system.moses_ini import FeatureLine, MosesIni
from hyperbaton.models.system.stages import DISTORTION, fingerprint, run_stage

OPERATIONS = "OpSequenceModel"
FILE = "operationLM.arpa.gz"
FEATURES = OperationSequence().feature_names
SCALES = (LN10, -1, -1, -1, -1)  # Moses has logarithms to base 10, and does not negate its counts


def operation_file(ini: MosesIni, feature: FeatureLine, talk: Talk) -> Path:
    """The ARPA file of operations. `OSM-Train.perl` leaves it beside the KenLM binary."""
    for key in ("input-factor", "output-factor"):
        if (factor := feature.arguments.get(key, "0")) != "0":
            raise DataError(
                f"{feature.name} has {key}={factor}",
                where=feature.where,
                expected="expected factor 0, the words; other factors are not supported",
                advice="remove the feature and its weights",
            )
    path = ini.file_of(feature)
    if not path.is_file() or not is_kenlm_binary(path):
        return path
    text = path.with_suffix("")
    if text.is_file() and not is_kenlm_binary(text):
        talk(f"{feature.name}: using {text}, because a KenLM binary does not list its n-grams")
        return text
    raise DataError(
        f"{feature.name} has a KenLM binary, which does not list its n-grams",
        where=str(path),
        expected="expected an ARPA file",
        advice="give the ARPA file that the binary was made from",
    )


def import_operations(path: Path, out: Path, phrases: str, reporter: Reporter) -> FittedModel:
    """Reads the model into the system `out`, whose phrase table is the part `phrases`."""
    model = OperationSequence(order=check_header(path), prune="0")  # no n-gram is dropped

    def read(folder: Path) -> str:
        table = PhraseTable.load(out / phrases)
        shared = {*table.source_vocabulary.words} & {*table.target_vocabulary.words}
        model.read_moses(path, sorted(shared), reporter.progress).save(folder)
        rows = model.operations_
        n_other = np.count_nonzero(rows.values[rows.begin[:-1]] == Kind.OTHER)
        other = f", {n_other:,} of an unknown form, which no step performs" if n_other else ""
        return f"order {model.order}, {rows.total[0]:,} operations{other}"

    key = fingerprint(model.FORMAT, path, phrases)
    return FittedModel(
        model.name, model, run_stage(out, DISTORTION + model.name, key, read, reporter)
    )


def operation_weights(ini: MosesIni, feature: FeatureLine) -> dict[str, float]:
    """Our weights; without support features, the counts have none."""
    n = 1 if feature.arguments.get("support-features") == "no" else len(FEATURES)
    values = ini.weights_of(feature, n) + [0.0] * (len(FEATURES) - n)
    scaled = (value / scale + 0.0 for value, scale in zip(values, SCALES, strict=True))  # no −0
    return dict(zip(FEATURES, scaled, strict=True))


def operation_lines(weights: Mapping[str, float]) -> tuple[str, str]:
    """The lines of `moses.ini` for the feature and its weights."""
    values = (weights[name] * scale + 0.0 for name, scale in zip(FEATURES, SCALES, strict=True))
    feature = f"{OPERATIONS} name={OPERATIONS}0 num-features={len(FEATURES)} path={FILE}"
    return feature, f"{OPERATIONS}0= {' '.join(map(str, values))}"


def models_of_words(
    directory: Path, entries: Iterable[Mapping[str, Any]]
) -> list[OperationSequence]:
    """The models that Moses can use, at most one; it has no word classes."""
    named = (entry for entry in entries if entry["name"] == OperationSequence.name)
    models = (load_entry(directory, entry) for entry in named)
    return [m for m in models if isinstance(m, OperationSequence) and m.units == WORDS]
