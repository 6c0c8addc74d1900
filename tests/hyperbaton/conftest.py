"""A system of two sentences, for whatever needs any system."""

import pytest

from hyperbaton.corpus.corpora.reading import CorpusFiles
from hyperbaton.models.system.training import train_system


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("system")
    for name, text in (
        ("s", "hon o katta\nkare wa hon o yonda\n"),
        ("t", "bought a book\nhe read a book\n"),
        ("a", "0-2 2-0\n0-0 2-3 4-1\n"),
    ):
        (folder / name).write_text(text)
    train_system(CorpusFiles(folder / "s", folder / "t", folder / "a"), folder / "m")
    return folder / "m"
