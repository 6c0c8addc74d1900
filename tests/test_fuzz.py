"""Broken input to every reader, in short; `tests/fuzz.py` does it for as long as one likes."""

import pytest

from tests.fuzz import EXAMPLES, FINDINGS, READERS, attempt, examples, fuzz


@pytest.mark.parametrize("name", READERS)
def test_examples_are_good(name, tmp_path):
    assert examples(name)
    path = tmp_path / READERS[name].file
    for content in examples(name):
        path.write_bytes(content)
        READERS[name].read(path)


def test_every_example_belongs_to_a_reader():
    assert {path.name.rpartition(".")[0] for path in EXAMPLES.iterdir()} == {*READERS}


@pytest.mark.parametrize("name", READERS)
def test_broken_input_ends_in_a_clean_error(name, tmp_path):
    counts = fuzz(name, tmp_path, seed=1, inputs=60)
    assert counts.keys() <= {"read", "refused"}
    assert counts["refused"] or name == "trace"  # one that is broken is as if there were none


@pytest.mark.parametrize("path", sorted(FINDINGS.glob("*/*")), ids=lambda path: path.parent.name)
def test_what_was_found_before_is_mended(path, tmp_path):
    reader = READERS[path.parent.name]
    (tmp_path / reader.file).write_bytes(path.read_bytes())
    attempt(reader, tmp_path / reader.file)
