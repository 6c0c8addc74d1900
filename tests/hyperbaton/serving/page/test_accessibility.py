"""The page keeps axe's rules, light and dark, wide and narrow, with one column and with two."""

from importlib.resources import files

import pytest

from tests.hyperbaton.serving.page.looking import ALL, TEXT, settled

pytest.importorskip("axe_core_python")
VIOLATIONS = (
    "return axe.run().then(({ violations }) => violations.map(({ id, nodes }) =>"
    " [id, ...nodes.map(({ html }) => html)]))"
)


@pytest.fixture(scope="module")
def axe():
    return files("axe_core_python").joinpath("axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("width", [1400, 390])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("columns", [[{"open": ALL, "step": 2}], [{}, {"limit": 0}]])
def test_no_rule_is_broken(visit, emulate, axe, columns, scheme, width):
    emulate(prefers_color_scheme=scheme, prefers_reduced_motion="reduce")
    page = visit(f"{TEXT} xyz", width=width, columns=columns)
    settled(page)
    page.run(axe)
    assert page.run(VIOLATIONS) == []


def test_a_broken_rule_would_be_seen(visit, axe):
    page = visit()
    page.run("document.querySelector('#text').labels[0].remove()")
    page.run("document.querySelector('#text').removeAttribute('placeholder')")
    page.run(axe)
    assert [name for name, *_ in page.run(VIOLATIONS)] == ["label"]
