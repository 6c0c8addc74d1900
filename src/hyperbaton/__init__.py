"""hyperbaton from Python: prepare, align, train, tune, translate, evaluate and compare.

    import hyperbaton

    system = hyperbaton.train(
        source="train.ja", target="train.en", alignment="train.align", out="system"
    )
    hyperbaton.tune("system", source="dev.ja", references="dev.en")
    system = hyperbaton.Translator.load("system")
    for translation in system.translate_all(open("test.ja")):
        print(translation.text)

Each function does the same as the command of its name. A text is a file or a list of sentences: a
`Path` is a file, a string in a list is a sentence, and a string alone names a file. Settings are
given by section, as in a TOML file: `lm={"order": 3}`. Errors are subclasses of `HyperbatonError`.

Importing this package is fast: heavy modules are imported at first use.
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
