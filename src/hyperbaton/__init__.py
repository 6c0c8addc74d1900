"""hyperbaton from Python: prepare, align, train, tune, translate, evaluate and compare.

    import hyperbaton

    system = hyperbaton.train(
        source="train.ja", target="train.en", alignment="train.align", out="system"
    )
    hyperbaton.tune("system", source="dev.ja", references="dev.en")
    system = hyperbaton.Translator.load("system")
    for translation in system.translate_all(open("test.ja")):
        print(translation.text)

The functions do the work of the commands of the same names. Mistakes raise a `HyperbatonError`.
Importing the package is quick: heavy modules are imported on first use.

Types in the signatures:

* `File`: a path, as a string or a `Path`;
* `Text`: a `File`, or the sentences themselves as a list of strings or an open file. A string alone
  always names a file;
* `Links`: the word alignment of one sentence pair, a list of (source word, target word), from 0;
* `Section`: settings by key, as in a section of a TOML file: `lm={"order": 3}`;
* `verbose`: `True` reports the progress on standard error; a function receives the same lines.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hyperbaton.api.building import (
        align,
        export_moses,
        import_moses,
        prepare,
        train,
        tune,
    )
    from hyperbaton.api.judging import compare, evaluate, explain, rerank
    from hyperbaton.corpus.sentences.sentence import Sentence
    from hyperbaton.decoder.translator import Translation, Translator
    from hyperbaton.foundation.errors import DataError, HyperbatonError, SettingError
    from hyperbaton.models.distortion.conformance import check_model
    from hyperbaton.models.distortion.interface import DistortionModel
    from hyperbaton.samples import sample_files

__all__ = [
    "DataError",
    "DistortionModel",
    "HyperbatonError",
    "Sentence",
    "SettingError",
    "Translation",
    "Translator",
    "align",
    "check_model",
    "compare",
    "evaluate",
    "explain",
    "export_moses",
    "import_moses",
    "prepare",
    "rerank",
    "sample_files",
    "train",
    "tune",
]
_PLACES = {
    "hyperbaton.api.building": "align export_moses import_moses prepare train tune",
    "hyperbaton.api.judging": "compare evaluate explain rerank",
    "hyperbaton.corpus.sentences.sentence": "Sentence",
    "hyperbaton.decoder.translator": "Translation Translator",
    "hyperbaton.foundation.errors": "DataError HyperbatonError SettingError",
    "hyperbaton.models.distortion.conformance": "check_model",
    "hyperbaton.models.distortion.interface": "DistortionModel",
    "hyperbaton.samples": "sample_files",
}
_MODULES = {name: module for module, names in _PLACES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__
