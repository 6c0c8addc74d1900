"""`hyperbaton sample`: plain files that other commands read."""

import gzip

from hyperbaton.corpus.corpora.reading import CorpusFiles, read_corpus
from hyperbaton.samples import sample_files
from tests import command_line


def test_the_first_lines_of_every_file(tmp_path):
    command_line.run("sample", "zh-en", "--lines", 7, "--out", tmp_path / "data")
    names = {path.name for path in (tmp_path / "data").iterdir()}
    for split in ("train", "dev", "test"):
        kinds = ("zh", "en", "align", "zh.tags", "en.tags", "zh.trees")
        assert {f"{split}.{kind}" for kind in kinds} <= names
        parts = [tmp_path / "data" / f"{split}.{kind}" for kind in kinds]
        assert len(read_corpus(CorpusFiles(*parts))[0]) == 7
    assert "test.2.en" in names
    whole = gzip.decompress(sample_files("zh-en").source.read_bytes())
    assert (tmp_path / "data" / "train.zh").read_bytes() == b"".join(
        whole.splitlines(keepends=True)[:7]
    )


def test_one_part_whole(tmp_path):
    command_line.run("sample", "ja-en", "--split", "dev", "--out", tmp_path)
    files = sample_files("ja-en", "dev")
    assert (tmp_path / "dev.ja").read_bytes() == files.source.read_bytes()
    assert not list(tmp_path.glob("train*"))
