"""A server of two small systems, and a browser that opens its page."""

import pytest

from hyperbaton.decoder.translator import Translator
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.training import train_system
from hyperbaton.serving.answer_types import Example
from hyperbaton.serving.explaining import warm_up
from hyperbaton.serving.systems import ServedSystem
from tests.browser import started, why_not
from tests.hyperbaton.serving.page.looking import SHORT, TEXT, link, no_message
from tests.hyperbaton.serving.running import running
from tests.tiny_systems import write_corpus

# Six sentences in which the verb moves over its object
FILES = {
    "source": "kare wa hon o katta\nkanojo wa tegami o yonda\nkare wa shinbun o yonda\n"
    "sensei wa hon o mita\nkanojo wa ie o mita\nsensei wa ie o katta\n",
    "target": "he bought a book\nshe read a letter\nhe read a newspaper\n"
    "the teacher saw a book\nshe saw a house\nthe teacher bought a house\n",
    "alignment": "0-0 2-3 4-1\n" * 3 + "0-1 2-4 4-2\n0-0 2-3 4-1\n0-1 2-4 4-2\n",
    "source_tags": "N P N P V\n" * 6,
}
MODELS = "linear", "msd", "pair,prior=16.0,passes=3,min_count=1"


@pytest.fixture(scope="session", autouse=True)
def needs_a_browser():
    if why_not():
        pytest.skip(why_not())


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """One system with all that can be shown, and one with linear distortion alone."""
    folder = tmp_path_factory.mktemp("page")
    files = write_corpus(folder, times=1, **FILES)
    for name, models in (("full", MODELS), ("linear", ("linear",))):
        settings = TrainingSettings(phrases=PhraseSettings(max_length=2), distortion=models)
        train_system(files, folder / name, settings)
    return folder


@pytest.fixture(scope="session")
def server(folder):
    examples = [Example(text=SHORT, caption="the verb comes last")]
    systems = [
        ServedSystem(name, Translator.load(folder / name), examples) for name in ("full", "linear")
    ]
    for system in systems:
        warm_up(system)
    with running(*systems) as made:
        yield made


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    with started(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def visit(browser, server):
    """Opens the page and waits for the translation; afterwards the console must be empty."""

    def visit(text=TEXT, width=1200, **settings):
        browser.open("about:blank", width)  # the same address would not be loaded again
        browser.open(link(server, text, **settings), width)
        shown = "[...document.querySelectorAll('.translation, .problem')]"
        browser.until(f"{shown}.some((one) => one.textContent)")
        return browser

    browser.messages()
    yield visit
    no_message(browser)


@pytest.fixture
def emulate(browser):
    """Sets what a reader prefers: prefers_color_scheme="dark"."""

    def emulate(**features):
        wanted = [
            {"name": name.replace("_", "-"), "value": value} for name, value in features.items()
        ]
        browser.chrome("Emulation.setEmulatedMedia", {"features": wanted})

    yield emulate
    emulate()
