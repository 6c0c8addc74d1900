"""The embedded sample corpora, by name: their files, and a comparison on them."""

import tomllib
from importlib.resources import files
from pathlib import Path
from typing import Any

from hyperbaton.corpus.corpora.reading import CorpusFiles
from hyperbaton.foundation.errors import check_known
from hyperbaton.tuning.comparison.configuration import Configuration, TrainingData
from hyperbaton.tuning.evaluation.data_sets import DataSet

SAMPLES = ("ja-en", "zh-en")
SPLITS = ("train", "dev", "test")
NOTE = "on sentences that a grammar has generated, with their own alignments"


def sample_files(name: str, split: str = "train") -> CorpusFiles:
    """The files of an embedded sample corpus: `sample_files("ja-en", "test").source`.

    * `name`: `ja-en` or `zh-en`.
    * `split`: `train`, `dev` or `test`.

    The result has the paths `source`, `target`, `alignment`, `source_tags`, `target_tags` and
    `source_tree`.
    """
    check_known("sample", name, SAMPLES)
    check_known("split", split, SPLITS)
    source, target = name.split("-")
    folder = Path(str(files("hyperbaton.data_samples").joinpath(name)))
    ending = ".gz" if split == "train" else ""

    def path(kind: str) -> Path:
        return folder / f"{split}.{kind}{ending}"

    return CorpusFiles(
        source=path(source),
        target=path(target),
        alignment=path("align"),
        source_tags=path(f"{source}.tags"),
        target_tags=path(f"{target}.tags"),
        source_tree=path(f"{source}.trees"),
    )


def sample_references(name: str, split: str) -> tuple[Path, ...]:
    """The reference translations; the test set has a second one for some sentences."""
    first = sample_files(name, split).target
    second = first.with_name(f"{split}.2.{name.split('-')[1]}")
    return (first, second) if second.exists() else (first,)


def sample_demo(name: str) -> dict[str, Any]:
    """The system of a sample that `serve --demo` has: `distortion` models, tuned `weights`, and
    `examples` with their captions."""
    check_known("sample", name, SAMPLES)
    text = files("hyperbaton.data_samples").joinpath("demo.toml").read_text(encoding="utf-8")
    content = tomllib.loads(text)
    return {"distortion": content["distortion"], **content[name]}


def sample_configuration(name: str) -> Configuration:
    """A comparison on the data of a sample, with tags and trees."""
    dev, test = (
        DataSet(
            files.source,
            sample_references(name, split),
            split,
            files.alignment,
            files.source_tags,
            files.source_tree,
        )
        for split in ("dev", "test")
        for files in [sample_files(name, split)]
    )
    return Configuration(TrainingData(**vars(sample_files(name))), dev, (test,), note=NOTE)
