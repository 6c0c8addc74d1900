"""Language models as folders of a system: our own arrays, or a KenLM binary."""

from pathlib import Path

from hyperbaton.foundation.files.writing import copy_file
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.language_model.arpa import check_header
from hyperbaton.models.language_model.class_model import OF_WORD, ClassModel
from hyperbaton.models.language_model.kenlm_model import KenlmModel, is_kenlm_binary
from hyperbaton.models.language_model.model import LanguageModel
from hyperbaton.models.language_model.speaking import SingleModel

KENLM_BINARY = "lm.kenlm"


def load_part(folder: Path) -> SingleModel:
    if (folder / KENLM_BINARY).exists():
        return KenlmModel(folder / KENLM_BINARY)
    has_classes = (folder / f"{OF_WORD}.npy").exists()
    return (ClassModel if has_classes else LanguageModel).load(folder)


def check_part(path: Path) -> None:
    """Refuses a file that `fill_part` could not use, as far as its header shows; takes no time."""
    if is_kenlm_binary(path):
        KenlmModel(path)
    else:
        check_header(path)


def fill_part(path: Path, folder: Path, progress: Progress = silent) -> str:
    """Takes over an ARPA file or a KenLM binary; returns what it is in a few words."""
    if is_kenlm_binary(path):
        model = KenlmModel(path)
        copy_file(path, folder / KENLM_BINARY)
        return f"KenLM binary of order {model.order}"
    own = LanguageModel.from_arpa(path, progress)
    own.save(folder)
    return f"order {own.order}, {len(own.vocabulary):,} words"
