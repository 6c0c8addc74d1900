"""Two columns: what differs between them, and that they step together."""

import pytest

from tests.child_processes import wait_until
from tests.hyperbaton.serving.page.looking import SLIDE, TEXT, settled

TITLES = "return [...document.querySelectorAll('.title')].map((one) => one.textContent)"


def top(page, selector):
    return page.run(f"return document.querySelector('{selector}').getBoundingClientRect().top")


def differs(page, text):
    wait_until(lambda: f"Differences: {text}." in page.text("#comparison"))


@pytest.mark.parametrize("width", [1400, 390])
def test_the_translations_and_what_differs_come_first(visit, server, width):
    page = visit(width=width)
    page.click("#compare")
    differs(page, "none yet; change the system or the settings of one column")
    assert page.run(TITLES) == ["full A", "full B"]
    assert page.run("return document.querySelectorAll('.settings[open]').length") == 0
    page.run(SLIDE.format(column=1, name="limit", value=0))
    differs(page, f"limit {server.get('/models').content['models'][0]['limit']} → 0")
    settled(page)
    assert top(page, "#comparison") < top(page, ".translation") < top(page, ".settings")
    shown = page.run("return document.querySelector('#comparison').innerText")
    texts = [server.explain(TEXT, **how)["derivations"][0]["text"] for how in ({}, {"limit": 0})]
    assert all(text in shown for text in texts) == (width == 390)  # there, the other is far below
    page.click(".close")
    assert not page.run("return document.querySelector('#comparison').checkVisibility()")
    is_open = page.run("return document.querySelector('.settings').open")
    assert is_open == (width == 1400)


def test_what_differs_in_systems_and_models(visit):
    both = [{"off": ["msd"]}, {"weights": {"linear": 0, "lm": 0.25, "pair.logp": 0.7}}]
    page = visit(columns=both)
    differs(page, "linear on → off, msd off → on, lm 0.5 → 0.25, pair.logp 0.3 → 0.7")
    page = visit(columns=[{"model": "linear"}, {}])
    differs(page, "system linear → full, msd off → on, pair off → on")
    assert page.run(TITLES) == ["linear", "full"]


def test_a_link_names_its_columns(visit):
    page = visit(columns=[{"name": "BASELINE"}, {"name": "msd and pair"}])
    settled(page)
    assert page.run(TITLES) == ["BASELINE", "msd and pair"]
    assert page.run("return document.querySelector('.column').ariaLabel") == "BASELINE"


def test_a_model_at_weight_0_is_off(visit, server):
    msd = [one["name"] for one in server.get("/models").content["models"][0]["features"]]
    weights = {name: 0 for name in msd if name.startswith("msd.")} | {"lm": 0.4}
    page = visit(weights=weights)
    state = "return document.querySelector('[role=switch][name={}]').checked"
    assert [page.run(state.format(name)) for name in ("linear", "msd", "pair")] == [
        True,
        False,
        True,
    ]
    page.click("[role=switch][name=msd]")
    assert page.run(state.format("msd"))
    page.until("location.hash.includes('0.4') && !location.hash.includes('msd')")
    page.run(SLIDE.format(column=0, name="linear", value=0))
    assert not page.run(state.format("linear"))


def test_two_columns_step_together(visit, server):
    page = visit(columns=[{}, {"limit": 0}])
    settled(page)
    titles = "return [...document.querySelectorAll('.step-title')].map((one) => one.textContent)"
    page.click(".controls button")
    assert all(title.startswith("Before the first") for title in page.run(titles))
    page.click(".column:nth-child(2) .forward")
    lengths = [
        len(server.explain(TEXT, **how)["derivations"][0]["steps"]) for how in ({}, {"limit": 0})
    ]
    for title, n in zip(page.run(titles), lengths, strict=True):
        assert title.startswith(f"Step 1 of {n}: ")
    page.click(".column:nth-child(2) .controls button:nth-child(4)")
    assert page.run(titles) == [f"All {n} steps" for n in lengths]
