"""Pages that are made from the code are those that the code gives now."""

import pytest

from tools.reference.__main__ import FOLDER, MAKERS, page


@pytest.mark.parametrize("name", MAKERS)
def test_a_page_is_up_to_date(name):
    """Made anew by: python -m tools.reference"""
    assert (FOLDER / name).read_text(encoding="utf-8") == page(name)


@pytest.mark.parametrize("name", ["settings.md", "python.md"])
def test_every_row_has_a_meaning(name):
    rows = [line for line in page(name).splitlines() if line.startswith("| `")]
    assert len(rows) > 15
    assert not [row for row in rows if row.endswith("|  |")]


def test_python_page_has_examples_of_all_kinds():
    text = page("python.md")
    for part in (
        "### train\n\n```py\ntrain(\n    *,\n    source: Text,",
        "#### Translator.for_tokens\n\n```py\nfor_tokens() -> Translator\n```",
        '    symmetrise: str = "grow-diag-final-and",',
        "    is_stopped: IsStopped = never,",
        "| `score` | `float` | weighted sum of the features |",
    ):
        assert part in text
