"""Keyboard, links, languages, unknown text, long text, and a server that comes back."""

from urllib.parse import quote

import pytest

from hyperbaton.decoder.translator import Translator
from hyperbaton.serving.answer_types import Example
from hyperbaton.serving.systems import ServedSystem
from tests.hyperbaton.serving.page.looking import (
    SHORT,
    TEXT,
    TRANSLATION,
    becomes,
    link,
    settled,
)
from tests.hyperbaton.serving.running import running

CHOOSE = (
    "const choice = document.querySelector('[name=model]'); choice.value = '{}';"
    "choice.dispatchEvent(new Event('change'))"
)
VALUE = "return document.getElementById('text').value"


@pytest.fixture(scope="module")
def languages(folder):
    """Systems that are named after their languages."""
    translator = Translator.load(folder / "full")
    texts = {"ja-en": SHORT, "zh-en": "kanojo wa tegami o yonda", "ja-de": "hon"}
    systems = [
        ServedSystem(name, translator, [Example(text=text, caption="")])
        for name, text in texts.items()
    ]
    with running(*systems) as made:
        yield made


def open_page(browser, server, text):
    browser.open("about:blank", 1200)
    browser.open(link(server, text), 1200)
    browser.until("document.querySelector('.translation')?.textContent")
    return browser


def test_unknown_text_is_not_echoed_silently(browser, languages):
    page = open_page(browser, languages, "the dog saw hon")
    assert page.text(".unknown").strip() == (
        "3 of 4 words are unknown and copied: the dog saw. "
        f"This system reads romanised Japanese, for example {SHORT}."
    )
    page.click(".unknown button")
    becomes(page, TRANSLATION, "bought a book")
    settled(page)
    assert page.text(".unknown") == ""
    page = open_page(browser, languages, f"{SHORT} xyz")
    assert page.text(".unknown").strip() == "1 of 4 words is unknown and copied: xyz."


def test_another_language_loads_its_example(browser, languages):
    page = open_page(browser, languages, TEXT)
    page.run(CHOOSE.format("ja-de"))  # reads the same
    assert page.run(VALUE) == TEXT
    page.run(CHOOSE.format("zh-en"))
    assert page.run(VALUE) == "kanojo wa tegami o yonda"
    becomes(page, TRANSLATION, "she read a letter")


def test_texts_have_their_languages(browser, languages):
    page = open_page(browser, languages, TEXT)
    lang = "return document.querySelector('{}').getAttribute('lang')"
    for selector in ("#text", "#examples span", ".coverage span", ".picture text[data-source]"):
        assert page.run(lang.format(selector)) == "ja-Latn"
    for selector in (TRANSLATION, ".gloss", ".picture text[data-target]"):
        assert page.run(lang.format(selector)) == "en"


def test_captions_of_examples_are_shown(browser, folder):
    examples = [{"text": SHORT, "caption": "the verb comes last"}]
    with running(ServedSystem("full", Translator.load(folder / "full"), examples)) as server:
        page = open_page(browser, server, TEXT)
        assert page.text("#examples small") == "the verb comes last"
        page.click("#examples button")
        becomes(page, TRANSLATION, "bought a book")


def test_enter_translates_and_shift_enter_breaks_the_line(visit):
    page = visit()
    page.focus("#text")
    page.type(SHORT)
    for modifiers, text in ((8, f"{SHORT}\n"), (0, f"{SHORT}\n")):
        for kind in ("keyDown", "keyUp"):
            event = {"type": kind, "key": "Enter", "code": "Enter", "text": "\r"}
            event |= {"windowsVirtualKeyCode": 13, "modifiers": modifiers}
            page.chrome("Input.dispatchKeyEvent", event)
        assert page.run(VALUE) == text
    becomes(page, TRANSLATION, "bought a book")


def test_enter_does_not_wait_for_a_pause(visit):
    page = visit()
    page.run(
        "window.asked = 0; const real = fetch;"
        "window.fetch = (...how) => { window.asked++; return real(...how); };"
    )
    enter = (
        "document.getElementById('text')"
        ".dispatchEvent(new KeyboardEvent('keydown', {key: 'Enter'%s}))"
    )
    assert page.run(f"{enter % ''}; return window.asked") == 1
    settled(page)
    assert page.run(f"{enter % ', isComposing: true'}; return window.asked") == 1


def test_the_skip_link_leads_to_the_translation(visit):
    page = visit()
    before = page.run("return location.href")
    page.focus("#skip")
    assert page.run("return document.querySelector('#skip').getBoundingClientRect().top") >= 0
    page.click("#skip")
    assert page.run("return document.activeElement.className") == "translation"
    assert page.run("return location.href") == before


def test_arrows_step_wherever_the_focus_is(visit, server):
    page = visit()
    n = len(server.explain(TEXT)["derivations"][0]["steps"])
    page.focus("#compare")
    page.press("ArrowLeft")
    assert page.text(".step-title").startswith(f"Step {n} of {n}")
    page.press("ArrowRight")
    assert page.text(".step-title") == f"All {n} steps"
    for selector in ("#text", "[name=limit]", ".grip"):
        page.focus(selector)
        page.press("ArrowLeft")
        assert page.text(".step-title") == f"All {n} steps"


@pytest.mark.parametrize("width", [1400, 390])
def test_long_text_leaves_room_for_its_translation(visit, width):
    page = visit("shinbun " * 200, width=width)
    height = page.run("return document.getElementById('text').offsetHeight")
    assert height <= 0.3 * 900
    assert page.run("return document.getElementById('text').scrollHeight") > height


def test_the_link_is_copied(visit):
    page = visit()
    page.run(
        "Object.defineProperty(navigator, 'clipboard',"
        " { value: { writeText: async (text) => { window.copied = text; } } })"
    )
    page.focus("#text")
    page.type(SHORT)
    page.click("#copy")
    page.until("document.getElementById('notice').textContent === 'Link copied.'")
    assert page.run("return window.copied").endswith(f"#text={SHORT.replace(' ', '+')}")


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ("nonsense", "“a” cannot be read"),
        ('{"open": {}, "colour": 1}', "“open” of “a”; “colour” of “a”"),
        ('{"model": "none"}', "this server has no system “none”"),
        ('{"weights": {"no.such": 1}}', "full has no feature no.such"),
    ],
)
def test_a_bad_link_says_so(browser, server, column, said):
    browser.open("about:blank", 1200)
    browser.open(f"http://127.0.0.1:{server.port}/#text={quote(SHORT)}&a={quote(column)}", 1200)
    becomes(browser, TRANSLATION, "bought a book")
    assert browser.text("#notice") == f"Parts of this link were ignored: {said}."


def test_a_link_that_the_server_refuses_is_opened_without_its_settings(visit):
    page = visit(SHORT, order="nonsense", limit=0)
    becomes(page, TRANSLATION, "bought a book")
    assert "'nonsense' is not a span of words" in page.text("#notice")
    settled(page)
    assert page.text(".problem") == ""
    page.messages()  # the browser notes the status


def test_characters_that_xml_forbids_are_drawn(visit):
    page = visit("hon \x01\x02 katta")
    settled(page)
    assert page.run("return document.querySelectorAll('.picture text[data-source]').length") == 3
    assert "\ufffd\ufffd" in page.text(".picture svg")


def test_the_page_goes_on_when_the_server_is_back(visit):
    page = visit()
    page.run("window.real = fetch; window.fetch = async () => { throw new TypeError('gone'); }")
    page.focus("#text")
    page.type(SHORT)
    page.until("document.querySelector('.problem').textContent.includes('does not answer')")
    page.run("window.fetch = window.real")
    becomes(page, TRANSLATION, "bought a book")
    settled(page)
    assert page.text(".problem") == ""
