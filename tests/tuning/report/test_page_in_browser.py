"""The report in a real browser: it renders, has no script error, sorts, and fits a phone."""

import pytest

from hyperbaton.tuning.reproduction.exhibit import Finding
from hyperbaton.tuning.reproduction.presets import find_preset
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
    assert page.run("return document.title") == "Comparison of reordering models"
    assert page.run("return document.querySelectorAll('section').length") == 11
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
            "return ['body', '.quiet', 'a', '.better', '.worse', 'summary', '.chart text'].map("
            " (one) => { const style = getComputedStyle(document.querySelector(one));"
            "  return [one, one === '.chart text' ? style.fill : style.color]; })"
        )
        for name, color in colors:
            high, low = sorted([luminance(color), luminance(back)], reverse=True)
            assert (high + 0.05) / (low + 0.05) >= 4.5, (name, color)
    finally:
        page.chrome("Emulation.setEmulatedMedia", {"features": []})


def test_everything_is_open_on_paper(page):
    count = "return document.querySelectorAll('details:not([open])').length"
    closed = page.run(count)
    assert closed > 2
    page.run("window.dispatchEvent(new Event('beforeprint'))")
    assert page.run(count) == 0
    page.run("window.dispatchEvent(new Event('afterprint'))")
    assert page.run(count) == closed
