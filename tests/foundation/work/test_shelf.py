"""A shelf as tasks elsewhere see it holds what the one at home holds."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.foundation.work import shelf as shelves
from hyperbaton.foundation.work.shelf import FileShelf, Shelf
from hyperbaton.foundation.work.workplace import Piece, Workplace
from tests.far_threads import Elsewhere

PAIR = np.dtype([("at", np.int32), ("length", np.int8)])


def item(sizes, first):
    """Rows of several parts, as records, numbers and rows of numbers."""
    n = sum(sizes)
    records = np.zeros(n, PAIR)
    records["at"], records["length"] = first + np.arange(n), 3
    return {
        "begin": np.cumsum([0, *sizes]),
        "records": records,
        "numbers": np.arange(n, dtype=np.int32) * first,
        "table": np.arange(3.0 * n).reshape(3, n).T,  # not in the order of its rows
    }


def of_kinds(folder):
    (folder / "far").mkdir()
    return [Shelf(), FileShelf(folder / "disk"), FileShelf(folder / "far").at(Elsewhere())]


@given(
    st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=1, max_size=4),
    st.integers(0, 2),
    st.integers(1, 40),
    st.sampled_from([0, shelves.SMALL_FILE]),
)
def test_parts_of_items_are_gathered_in_order(sizes, part, piece, small):
    items = [item(own, first) for first, own in enumerate(sizes, 1)]
    names, columns = [f"item-{n}" for n in range(len(items))], ["records", "numbers", "table"]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(shelves, "PIECE", piece)
        patch.setattr(shelves, "SMALL_FILE", small)
        for shelf in of_kinds(Path(folder)):
            for name, arrays in zip(names, items, strict=True):
                shelf.put(name, arrays)
            found, n_rows = shelf.gather(names, "begin", part, columns)
            assert n_rows.tolist() == [own[part] for own in sizes]
            for column, values in zip(columns, found, strict=True):
                rows = [
                    arrays[column][slice(*arrays["begin"][part : part + 2])] for arrays in items
                ]
                np.testing.assert_array_equal(values, np.concatenate(rows), strict=True)
            for name, arrays in zip(names, items, strict=True):
                for key, values in arrays.items():
                    found = shelf.get(name)[key]
                    np.testing.assert_array_equal(found, values, strict=True)
                    is_mapped = isinstance(shelf, FileShelf) and shelf.here.is_home
                    assert found.flags.writeable != is_mapped
                    common = shelf.common(name)[key]
                    np.testing.assert_array_equal(common, values, strict=True)
                    assert common.flags.writeable


def test_what_is_written_into_common_arrays_stays_there(tmp_path):
    shelf = FileShelf(tmp_path).at(Elsewhere())
    shelf.put("item", {"values": np.arange(3)})
    shelf.common("item")["values"][:] = 7
    assert shelf.get("item")["values"].tolist() == [0, 1, 2]


def test_pieces_end_where_their_file_does(tmp_path):
    path = tmp_path / "file"
    path.write_bytes(b"abcdefgh")
    pieces = [Piece(path, 6, 100), Piece(path, 1, 2), Piece(path, 8, 1), Piece(path, 0, 1)]
    assert list(Workplace().read(pieces)) == [b"gh", b"bc", b"", b"a"]
