"""The report in a real browser: it renders, has no script error, sorts, and fits a phone."""

import base64
import re
from dataclasses import replace

import pytest

from hyperbaton.tuning.comparison.configuration import METRICS
from hyperbaton.tuning.reproduction.exhibit import Finding
from hyperbaton.tuning.reproduction.presets import find_preset, findings
from tests.browser import luminance, started, why_not
from tests.child_processes import wait_until
from tests.tuning.report.comparisons import make_comparison, report_of

pytestmark = pytest.mark.skipif(bool(why_not()), reason=why_not() or "all is there")

NAMES = {
    "LINEAR": 0.4,
    "9-CLASS": 0.2,
    "PAIR": 0.15,
    "SEQUENCE with a name that is much too long for a phone": 0.05,
}


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    comparison = make_comparison(
        NAMES, (10, -1), n_sentences=12, tests=("news", "blogs"), replicas=2, iterations=3
    )
    found = [Finding("A beats B", "holds", ("news, limit 10: +1.00, p 0.001",))]
    path = tmp_path_factory.mktemp("report") / "report.html"
    return report_of(comparison, path, found, find_preset("goto").tables())


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with started(tmp_path_factory.mktemp("profile")) as browser:
        yield browser


@pytest.fixture
def page(browser, report):
    browser.messages()
    browser.open(report.as_uri(), 1200)
    return browser


def test_it_renders_without_a_word_on_the_console(page):
    title = "Comparison of reordering models, ja–en, 2026-11-17"
    assert page.run("return document.title") == title
    assert page.run("return document.querySelectorAll('section').length") == 12
    assert page.run("return document.body.scrollHeight") > 3000
    assert page.messages() == []


def test_an_error_of_a_script_would_be_seen(page):
    page.run("setTimeout(() => { throw new Error('seen'); }, 0)")
    wait_until(lambda: any("seen" in message for message in page.messages()))


def test_nothing_is_fetched(page):
    assert page.run("return performance.getEntriesByType('resource').length") == 0


COLUMN = """
const table = document.querySelector("#scores table");
return [...table.tBodies[0].rows].map((row) => row.cells[%d].textContent);
"""
CLICK = """
const heads = document.querySelector("#scores table").tHead.rows[0].cells;
heads[%d].querySelector("button").click();
"""


def column(page, number):
    return page.run(COLUMN % number)


def test_a_click_on_a_head_sorts(page):
    before = column(page, 2)
    page.run(CLICK % 2)
    numbers = [float(text.rstrip("*†")) for text in column(page, 2)]
    assert numbers == sorted(numbers, reverse=True)
    assert sorted(column(page, 2)) == sorted(before)
    sort = 'return document.querySelector("#scores table th").parentNode.cells[2].ariaSort'
    assert page.run(sort) == "descending"
    page.run(CLICK % 2)
    assert column(page, 2) != before
    numbers = [float(text.rstrip("*†")) for text in column(page, 2)]
    assert numbers == sorted(numbers)


def test_names_and_limits_sort_as_people_expect(page):
    page.run(CLICK % 0)
    names = column(page, 0)
    assert names[0] == "9-CLASS"  # a name that begins with a number is a name
    assert names == sorted(names)
    page.run(CLICK % 1)
    assert column(page, 1) == ["∞"] * 4 + ["10"] * 4


def test_pictures_have_a_size_and_a_name(page):
    sizes = page.run(
        "document.querySelectorAll('details').forEach((one) => { one.open = true; });"
        "return [...document.querySelectorAll('figure svg')].map((svg) => {"
        " const box = svg.getBoundingClientRect();"
        " return [box.width, box.height, svg.getAttribute('aria-label')]; })"
    )
    assert len(sizes) > 20
    assert all(width > 30 and height > 30 and name for width, height, name in sizes)


@pytest.mark.parametrize("width", [400, 1200])
def test_the_page_is_never_wider_than_the_window(page, report, width):
    page.open(report.as_uri(), width)
    page.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert page.run("return window.innerWidth") == width
    assert page.run("return document.documentElement.scrollWidth") <= width
    box = page.run(
        "const box = document.querySelector('#scores .wide');"
        "return [box.clientWidth, box.scrollWidth]"
    )
    if width == 400:  # it scrolls in its own box, and the names of systems stay
        assert box[1] > box[0]
        moved = page.run(
            "const box = document.querySelector('#scores .wide'); box.scrollLeft = 200;"
            "const cell = box.querySelector('tbody th').getBoundingClientRect();"
            "return [box.scrollLeft, cell.left - box.getBoundingClientRect().left]"
        )
        assert moved[0] > 50
        assert abs(moved[1]) < 1


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out(page, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.chrome("Emulation.setEmulatedMedia", {"features": features})
    try:
        back = page.run("return getComputedStyle(document.body).backgroundColor")
        assert (luminance(back) < 0.5) == (scheme == "dark")
        colors = page.run(
            "return ['body', '.quiet', 'a', '.better', '.worse', 'summary', '.chart text',"
            " 'button.copy'].map("
            " (one) => { const style = getComputedStyle(document.querySelector(one));"
            "  return [one, one === '.chart text' ? style.fill : style.color]; })"
        )
        for name, color in colors:
            high, low = sorted([luminance(color), luminance(back)], reverse=True)
            assert (high + 0.05) / (low + 0.05) >= 4.5, (name, color)
    finally:
        page.chrome("Emulation.setEmulatedMedia", {"features": []})


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_marked_words_stand_out(page, scheme):
    features = [{"name": "prefers-color-scheme", "value": scheme}]
    page.chrome("Emulation.setEmulatedMedia", {"features": features})
    try:
        color, back = page.run(
            "const style = getComputedStyle(document.querySelector('#sentences mark'));"
            "return [style.color, style.backgroundColor]"
        )
        high, low = sorted([luminance(color), luminance(back)], reverse=True)
        assert (high + 0.05) / (low + 0.05) >= 4.5
    finally:
        page.chrome("Emulation.setEmulatedMedia", {"features": []})


def test_a_button_copies_the_table(page):
    page.chrome("Browser.grantPermissions", {"permissions": ["clipboardReadWrite"]})
    page.run("document.querySelector('.copied').parentNode.open = true")
    page.click("button.copy")
    page.until("document.querySelector('button.copy').textContent === 'Copied'")
    copied = page.run("return navigator.clipboard.readText()")
    assert copied.startswith("% news: 12 sentences\n")
    assert copied.endswith("\\end{tabular}")


def test_where_nothing_may_be_copied_the_table_is_selected(page):
    page.run(
        "Object.defineProperty(navigator, 'clipboard', { value: undefined });"
        "document.querySelector('.copied').parentNode.open = true"
    )
    page.click("button.copy")
    page.until("document.querySelector('button.copy').textContent.startsWith('Selected')")
    assert "\\begin{tabular}" in page.run("return getSelection().toString()")


def test_small_pictures_stand_side_by_side(page, report):
    tops = (
        "return new Set([...document.querySelector('.multiples').children].map("
        " (one) => one.getBoundingClientRect().top)).size"
    )
    assert page.run(tops) == 1  # four in a row
    page.open(report.as_uri(), 390)
    assert page.run(tops) == 4


def n_pages(browser):
    """Of an A4 print."""
    paper = {"paperWidth": 8.27, "paperHeight": 11.69, "preferCSSPageSize": True}
    printed = base64.b64decode(browser.chrome("Page.printToPDF", paper)["data"])
    return len(re.findall(rb"/Type\s*/Page\b", printed))


def test_a_report_of_the_demos_size_prints_on_few_pages(browser, tmp_path):
    preset = find_preset("all")
    errors = {system.name: 0.4 - 0.05 * n for n, system in enumerate(preset.system)}
    made = make_comparison(
        errors, preset.limits, n_sentences=60, metrics=METRICS, iterations=4, title=preset.title
    )
    weights = {f"translation.feature_{number}": 0.1 for number in range(24)}  # as many as there
    cells = [replace(cell, replicas=[replace(cell.best, weights=weights)]) for cell in made.cells]
    path = report_of(replace(made, cells=cells), tmp_path / "r.html", findings(made, preset.claim))
    browser.open(path.as_uri(), 1200)
    assert 3 < n_pages(browser) <= 8
    # what is open is printed
    browser.run("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert n_pages(browser) > 8


def test_sizes_on_paper(page):
    """Notes and tables are smaller than text, and nothing is wider than the paper."""
    size = {"width": 703, "height": 1000, "deviceScaleFactor": 1, "mobile": False}
    page.chrome("Emulation.setDeviceMetricsOverride", size)
    page.chrome("Emulation.setEmulatedMedia", {"media": "print"})
    try:
        text, quiet, table = page.run(
            "return ['main p:not(.quiet)', '.quiet', 'table'].map((one) =>"
            " parseFloat(getComputedStyle(document.querySelector(one)).fontSize))"
        )
        assert 11 < text <= 13  # pixels; 9 points are 12
        assert 9 < table < quiet < text
        widest = page.run(
            "return Math.max(...[...document.querySelectorAll('figure svg, #sentences *')].map("
            " (one) => one.getBoundingClientRect().right))"
        )
        assert widest <= 703
    finally:
        page.chrome("Emulation.setEmulatedMedia", {"media": ""})


def test_closed_parts_stay_closed_on_paper(page):
    count = "return document.querySelectorAll('details:not([open])').length"
    closed = page.run(count)
    assert closed > 2
    page.run("window.dispatchEvent(new Event('beforeprint'))")
    assert page.run(count) == closed
