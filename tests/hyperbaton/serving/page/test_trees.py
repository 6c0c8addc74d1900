"""Derivations of hierarchical rules on the page: their trees."""

import pytest

from hyperbaton.decoder.translator import Translator
from hyperbaton.models.system.settings import HIERARCHICAL, TrainingSettings
from hyperbaton.models.system.training import train_system
from hyperbaton.serving.explaining import warm_up
from hyperbaton.serving.systems import ServedSystem
from tests.hyperbaton.serving.page.conftest import FILES
from tests.hyperbaton.serving.page.looking import CELLS, SHORT, link, settled
from tests.hyperbaton.serving.running import running
from tests.tiny_systems import write_corpus


@pytest.fixture(scope="module")
def server(folder, tmp_path_factory):
    own = tmp_path_factory.mktemp("rules")
    files = write_corpus(own, times=1, **FILES)
    train_system(files, own / "rules", TrainingSettings(grammar=HIERARCHICAL))
    named = (("rules", own / "rules"), ("linear", folder / "linear"))
    systems = [ServedSystem(name, Translator.load(path)) for name, path in named]
    for system in systems:
        warm_up(system)
    with running(*systems) as made:
        yield made


SHOWN = "return [...document.querySelectorAll('{}')].map((one) => one.checkVisibility())"


def test_the_tree_is_shown_instead_of_steps(browser, server):
    browser.open(link(server, SHORT, open=["settings", "why", "list", "effects"]), 1200)
    browser.until("document.querySelector('.rules')")
    found = server.explain(SHORT, distinct=True)
    tree = found["trees"][0]
    assert browser.run("return document.querySelector('.translation').textContent") == tree["text"]
    rows = browser.run(CELLS.format(selector=".rules"))
    assert len(rows) == len(tree["rules"]) > 1
    assert f"{tree['rules'][-1]['left']} | " in rows[-1][0]
    words = browser.run(
        "return [...document.querySelectorAll('.picture text')].map((one) => one.textContent)"
    )
    assert words == [*found["source"], *tree["tokens"]]
    assert browser.run(SHOWN.format(".steps, .why, .alternatives-box")) == [False] * 3
    assert browser.run("return document.querySelectorAll('[name=limit]').length") == 0
    listed = browser.run(CELLS.format(selector=".n-best"))
    assert [row[1] for row in listed] == [one["text"] for one in found["n_best"]]
    browser.run("document.querySelectorAll('.n-best tbody button')[1].click()")
    settled(browser)
    second = server.explain(SHORT, distinct=True, derivations=2)["trees"][1]["text"]
    browser.until(f"document.querySelector('.translation').textContent === {second!r}")


def test_a_system_with_phrases_has_its_steps_again(browser, server):
    browser.open(link(server, SHORT), 1200)
    browser.until("document.querySelector('.rules')")
    browser.run(
        "const choose = document.querySelector('[name=model]');"
        "choose.value = 'linear'; choose.dispatchEvent(new Event('change'))"
    )
    browser.until("!document.querySelector('.rules') && document.querySelector('.phrase')")
    assert browser.run(SHOWN.format(".steps, .why")) == [True] * 2
