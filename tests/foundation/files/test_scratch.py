import resource

import numpy as np
import pytest

from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files import scratch
from hyperbaton.foundation.files.scratch import SHARE, Scratch, pieces
from tests.mapped_arrays import is_mapped


def test_large_arrays_are_unnamed_files(tmp_path):
    small = Scratch(tmp_path, 80 * SHARE)  # 80 bytes may be in memory
    arrays = [small.array(n, np.int64) for n in (0, 10, 11)]
    assert [is_mapped(array) for array in arrays] == [False, False, True]
    assert [array.tolist() for array in arrays] == [[0] * n for n in (0, 10, 11)]
    arrays[2][:] = range(11)
    assert arrays[2].sum() == 55
    assert not is_mapped(Scratch().array(11, np.int64))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("memory", [0, 80 * SHARE, 10**6])
def test_a_column_is_its_parts_one_after_the_other(tmp_path, memory):
    column = Scratch(tmp_path, memory).column(np.int32)
    for size in (3, 0, 15, 4):
        column.append(np.arange(column.n, column.n + size))
    array = column.finish()
    assert array.tolist() == list(range(22))
    assert array.dtype == np.int32
    assert is_mapped(array) == (memory < 10**6)


def test_a_full_disk_is_named(tmp_path):
    def fill(scratch):
        scratch.array(10**6, np.int64)

    def append(scratch):
        scratch.column(np.int8).append(np.zeros(10**6, np.int8))

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))  # no file may be longer
    try:
        for write in (fill, append):
            with pytest.raises(DataError, match="cannot be written: ") as refused:
                write(Scratch(tmp_path, 0))
            assert refused.value.where == str(tmp_path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_pieces_cover_a_range(monkeypatch):
    monkeypatch.setattr(scratch, "AT_ONCE", 4)
    assert list(pieces(3, 12)) == [slice(3, 7), slice(7, 11), slice(11, 12)]
    assert list(pieces(5, 5)) == []
