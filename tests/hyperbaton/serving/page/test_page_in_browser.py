"""The page in a real browser: what it shows is what the API says."""

import json
from functools import partial
from urllib.parse import quote
from xml.etree import ElementTree

import pytest

from hyperbaton.decoder.translator import Translator
from hyperbaton.serving.systems import ServedSystem
from tests.browser import luminance
from tests.child_processes import wait_until
from tests.hyperbaton.serving.page.looking import (
    ALL,
    CELLS,
    SHORT,
    SLIDE,
    TEXT,
    TRANSLATION,
    as_number,
    becomes,
    close_to,
    link,
    no_message,
    settled,
    shown_score,
)
from tests.hyperbaton.serving.running import running


def test_what_is_typed_is_translated_and_drawn(visit, server):
    page = visit()
    assert page.text(TRANSLATION) == "he read a book"
    page.focus("#text")
    page.type(SHORT)
    becomes(page, TRANSLATION, "bought a book")
    words = page.run("return [...document.querySelectorAll('.picture [data-source]')].length")
    assert words >= 3
    svg = server.explain(SHORT)["derivations"][0]["svg"]
    assert page.run("return document.querySelectorAll('.picture rect').length") == svg.count(
        "<rect"
    )


def test_nothing_comes_from_elsewhere(visit, server):
    page = visit()
    names = page.run("return performance.getEntriesByType('resource').map(({ name }) => name)")
    assert len(names) > 10
    assert all(name.startswith(f"http://127.0.0.1:{server.port}/") for name in names)


def test_a_violation_of_the_policy_would_be_seen(visit):
    page = visit()
    page.run("document.body.setAttribute('style', 'color: red')")
    wait_until(lambda: any("Content Security Policy" in text for text in page.messages()))


def test_an_example_is_there_to_click(visit):
    page = visit()
    page.click("#examples button")
    becomes(page, TRANSLATION, "bought a book")
    assert page.run("return document.getElementById('text').value") == SHORT


def test_a_phrase_with_the_focus_lights_up_with_its_partner(visit):
    page = visit()
    page.focus(".phrase[data-step='1']")
    lit = "return [...document.querySelectorAll('.picture .on')].map(({ dataset }) => dataset.step)"
    assert set(page.run(lit)) == {"1"}
    page.press("Enter")
    assert page.text(".step-title").startswith("Step 2 of")


def test_the_derivation_is_gone_through_step_by_step(visit, server):
    page = visit(against="none")
    steps = server.explain(TEXT)["derivations"][0]["steps"]
    page.click(".controls button")  # to the beginning
    assert page.text(".step-title") == f"Before the first of {len(steps)} steps"
    page.focus(".forward")
    for number, step in enumerate(steps, 1):
        page.press("ArrowRight")
        assert page.text(".step-title").startswith(f"Step {number} of {len(steps)}: ")
        kinds = page.run(
            "return [...document.querySelectorAll('.coverage li')].map((w) => w.className)"
        )
        assert [kind != "open" for kind in kinds] == [bool(one) for one in step["covered"]]
        assert kinds[slice(*step["source"])] == ["now"] * len(step["source_words"])
        pale = page.run("return document.querySelectorAll('.ribbon.later').length")
        assert pale == len(steps) - number
        rows = {
            name: as_number(value)
            for name, value, _ in page.run(CELLS.format(selector=".bars-of-step"))
        }
        added = sum(step["contributions"].values())
        if number < len(steps):
            assert sum(rows.values()) == pytest.approx(added, abs=0.05)
    page.press("ArrowRight")
    assert page.text(".step-title") == f"All {len(steps)} steps"


def test_a_step_is_taken_apart_by_features(visit, server):
    page = visit(step=1)
    contributions = server.explain(TEXT)["derivations"][0]["steps"][0]["contributions"]
    rows = page.run(CELLS.format(selector=".features-of-step"))
    assert {row[0]: as_number(row[1]) for row in rows} == {
        name: close_to(value) for name, value in contributions.items() if value
    }
    for _, adds, value, weight in rows:
        assert as_number(value) * as_number(weight) == pytest.approx(as_number(adds), abs=0.02)


def test_the_alternatives_of_a_step_are_those_of_the_api(visit, server):
    page = visit(step=1)
    expected = server.explain(TEXT)["derivations"][0]["steps"][0]["alternatives"]
    rows = page.run(CELLS.format(selector=".alternatives"))
    assert [row[0].removesuffix(" ✓") for row in rows] == [
        f"{' '.join(one['source_words'])} → {' '.join(one['target_words'])}" for one in expected
    ]
    assert [row[0].endswith("✓") for row in rows] == [one["chosen"] for one in expected]


def test_it_plays(visit):
    page = visit()
    page.click(".play")
    assert page.text(".step-title").startswith("Before the first")
    page.until("document.querySelector('.step-title').textContent.startsWith('Step 1')")
    page.click(".play")
    assert "Play" in page.text(".play")


def test_a_weight_is_changed_and_reset(visit, server):
    page = visit()
    page.run(SLIDE.format(column=0, name="lm", value=0))
    own = server.explain(TEXT, weights={"lm": 0})["derivations"][0]
    becomes(page, TRANSLATION, own["text"])
    assert shown_score(page) == close_to(own["score"])
    page.click("[aria-label='reset lm']")
    becomes(page, TRANSLATION, "he read a book")
    assert shown_score(page) == close_to(server.explain(TEXT)["derivations"][0]["score"])


def test_a_model_is_switched_off(visit, server):
    page = visit()
    page.click("[role=switch][name=msd]")
    own = server.explain(TEXT, distortion=["linear", "pair"])["derivations"][0]
    assert shown_score(page) == close_to(own["score"])
    assert own["score"] != close_to(server.explain(TEXT)["derivations"][0]["score"])


def test_the_limit_and_the_stack_can_be_changed(visit, server):
    page = visit()
    page.run(SLIDE.format(column=0, name="limit", value=0))
    own = server.explain(TEXT, limit=0)["derivations"][0]
    becomes(page, TRANSLATION, own["text"])
    page.run(SLIDE.format(column=0, name="stack", value=0))
    tight = {"stack_size": 1, "pop_limit": 1}
    own = server.explain(TEXT, limit=0, search=tight)["derivations"][0]
    assert shown_score(page) == close_to(own["score"])


def test_the_answer_to_an_old_question_is_dropped(visit):
    page = visit()
    # the first answer arrives after the second, and cannot be stopped
    page.run(
        "const real = fetch; let asked = 0; window.done = 0;"
        "window.fetch = async (path, { signal, ...options }) => {"
        "  const late = asked++ === 0; const answer = await real(path, options);"
        "  if (late) await new Promise((resolve) => setTimeout(resolve, 600));"
        "  window.done++; return answer; };"
    )
    page.focus("#text")
    page.type("hon")
    page.until("document.querySelector('[aria-busy]')")
    page.run("return new Promise((resolve) => setTimeout(resolve, 250))")
    page.type(SHORT)
    page.until("window.done === 2")
    becomes(page, TRANSLATION, "bought a book")
    page.run("return new Promise((resolve) => setTimeout(resolve, 50))")
    assert page.text(TRANSLATION) == "bought a book"


def test_another_order_by_keyboard_and_by_mouse(visit, server):
    page = visit(SHORT, open=["why"])
    chips = "return [...document.querySelectorAll('.order .grip')].map((chip) => chip.textContent)"
    assert page.run(chips) == ["o katta", "hon"]
    page.focus(".chip:nth-child(2) .grip")
    page.press("ArrowLeft")
    assert page.run(chips) == ["hon", "o katta"]
    assert page.run("return document.activeElement.textContent") == "hon"
    requested = server.explain(SHORT, order="0 1-2")["requested"]
    becomes(page, ".requested", requested["derivation"]["text"])
    rows = page.run(CELLS.format(selector=".comparison"))
    shown = {name: as_number(difference) for name, difference, *_ in rows}
    differences = requested["differences"]["parts"]
    assert shown == {name: close_to(differences[name]) for name in shown}
    assert {name for name, value in differences.items() if value} <= set(shown)
    page.drag(".chip:nth-child(1) .grip", onto=".chip:nth-child(2)")
    assert page.run(chips) == ["o katta", "hon"]
    page.until("document.querySelector('.verdict').textContent.startsWith('It scores the same as')")


def test_a_wanted_translation(visit, server):
    page = visit(SHORT, open=["why"])
    page.focus("[name=wanted]")
    page.type("a book bought")
    becomes(page, ".requested", "a book bought")
    score = server.explain(SHORT, force="a book bought")["requested"]["differences"]["score"]
    assert page.text(".verdict").startswith(f"It scores {-score:.2f} less than")
    page.type("a zeppelin bought")
    page.until("document.querySelector('.lacks')")
    assert "zeppelin" in page.text(".lacks")


def test_an_order_that_is_out_of_reach(visit, server):
    page = visit(SHORT, open=["why"], limit=0, order="2 1 0")
    error = server.explain(SHORT, limit=0, order="2 1 0")["requested"]["error"]
    assert error["message"] in page.text("details .problem")


def test_text_is_never_taken_for_html(visit):
    nasty = "<img/src=x/onerror=alert(1)> </script>"
    page = visit(nasty, open=ALL, order=nasty, force=nasty)
    assert page.run("return document.querySelectorAll('main img, main script').length") == 0
    assert all("a status of 4" in message for message in page.messages())  # this is no order
    page = visit(nasty, open=ALL, force=nasty)
    settled(page)
    assert "onerror" in page.text(TRANSLATION)
    assert page.run("return document.querySelectorAll('main img, main script').length") == 0


def test_two_columns_are_compared_and_their_words_marked(visit, server):
    page = visit()
    page.click("#compare")
    page.run(SLIDE.format(column=1, name="limit", value=0))
    other = server.explain(TEXT, limit=0)["derivations"][0]["text"]
    both = (
        "return [...document.querySelectorAll('output.translation')].map((one) => one.textContent)"
    )
    wait_until(lambda: page.run(both) == ["he read a book", other])
    marks = page.run("return [...document.querySelectorAll('mark')].map((one) => one.textContent)")
    assert other != "he read a book"
    assert marks
    page.click(".close")
    page.until("document.querySelectorAll('.column').length === 1")
    assert page.run("return document.querySelectorAll('mark').length") == 0


@pytest.mark.parametrize(
    ("text", "other", "marks"),
    [
        ("a b c", "a b c", []),
        ("a b c", "a x c", [("b", None)]),
        ("a b c", "a c", [("b", None)]),
        ("a c", "a b c", [("", "missing: b")]),
        ("a b", "a b c d", [("", "missing: c d")]),
        ("a x d", "a b c d", [("x", None)]),
        ("", "a", [("", "missing: a")]),
        ("彼は本を読んだ", "彼は新聞を読んだ", [("本", None)]),
    ],
)
def test_differing_words_and_gaps_are_marked(browser, server, text, other, marks):
    if "127.0.0.1" not in browser.run("return location.host"):
        browser.open(link(server), 1200)
    nodes = browser.run(
        "return import('/page/differences.js').then(({ marked }) =>"
        f" marked({json.dumps(text)}, {json.dumps(other)}).map((node) =>"
        " typeof node === 'string' ? node : [node.textContent, node.getAttribute('title')]))"
    )
    assert [tuple(node) for node in nodes if isinstance(node, list)] == marks
    assert "".join(node if isinstance(node, str) else node[0] for node in nodes) == text


def test_another_system_can_be_chosen(visit, server):
    page = visit()
    page.run(
        "const choice = document.querySelector('[name=model]'); choice.value = 'linear';"
        "choice.dispatchEvent(new Event('change'))"
    )
    score = server.explain(TEXT, model="linear")["derivations"][0]["score"]
    assert shown_score(page) == close_to(score)
    assert page.run("return document.querySelectorAll('[role=switch]').length") == 1


def test_heat_maps_options_and_lists_say_what_the_api_says(visit, server):
    page = visit(SHORT, open=ALL, span=[0, 1])
    answer = server.explain(SHORT, distinct=True, options=8, limits=[0], beams=[1])
    [heat_map] = answer["heat_maps"]
    rows = page.run(CELLS.format(selector=".heat"))
    assert [row[0] for row in rows] == list(heat_map["rows"])
    for row, values in zip(rows, heat_map["values"], strict=True):
        assert [float(text or "nan") for text in row[1:]] == [
            pytest.approx(float("nan") if value is None else value, abs=0.006, nan_ok=True)
            for value in values
        ]
    [options] = [one for one in answer["options"] if one["source"] == [0, 1]]
    shown = [" ".join(one["target_words"]) for one in options["options"]]
    assert [row[0] for row in page.run(CELLS.format(selector=".options"))] == shown
    shown = [one["text"] for one in answer["n_best"]]
    assert [row[1] for row in page.run(CELLS.format(selector=".n-best"))] == shown
    stacks = [
        [str(one[k]) for k in ("covered", "hypotheses", "kept")]
        for one in answer["search"]["stacks"]
    ]
    shown = page.run(CELLS.format(selector=".stacks"))
    assert [[covered, made, kept] for covered, made, _, kept, _ in shown] == stacks
    effects = page.run(CELLS.format(selector=".effects"))
    texts = {row[0]: row[1] for row in effects[:8]}
    assert texts["0"] == answer["limits"][0]["text"]
    assert len(effects) == 8 + 6


def test_other_words_are_selected(visit):
    page = visit(SHORT, open=["options"])
    page.focus(".words button:nth-child(2)")
    page.click(".words button:nth-child(2)")
    assert "“hon o”" in page.text(".options caption")
    # the buttons were drawn again, and the new one has the focus
    assert page.run("return document.activeElement.textContent") == "o"


def test_one_of_the_list_is_looked_at(visit, server):
    page = visit(open=["list"])
    second = server.explain(TEXT, distinct=True)["n_best"][1]
    page.click("[aria-label='show translation 2']")
    becomes(page, TRANSLATION, second["text"])
    assert shown_score(page) == close_to(second["score"])


def test_the_link_restores_everything(visit):
    page = visit(open=["why", "list", "options"])
    page.click("#compare")
    settled(page)
    page.run(SLIDE.format(column=1, name="lm", value=0.2))
    page.click(".column:nth-child(2) [role=switch][name=linear]")
    page.click(".column:nth-child(2) .chip:nth-child(1) button:last-child")
    page.click(".column:nth-child(1) .back")
    page.click(".column:nth-child(1) .words button:nth-child(2)")
    settled(page)
    page.until("location.hash.includes('span')")
    content = "return [location.href, document.querySelector('main').innerText]"
    before = page.run(content)
    page.open("about:blank", 1200)
    page.open(before[0], 1200)
    page.until("document.querySelector('.column:nth-child(2) .translation')?.textContent")
    settled(page)
    wait_until(lambda: page.run(content) == before)
    assert not page.run("return document.querySelectorAll('[role=switch][name=linear]')[1].checked")


def test_a_broken_link_does_no_harm(visit, browser, server):
    visit()
    wrong = '{"weights": "x", "order": 5, "open": {}, "__proto__": 1}'
    for column in ("nonsense", wrong, '{"model": "none", "weights": {"no.such": 1}}'):
        browser.open(f"http://127.0.0.1:{server.port}/#text={quote(SHORT)}&a={quote(column)}", 1200)
        becomes(browser, TRANSLATION, "bought a book")
        browser.open("about:blank", 1200)


def test_errors_are_shown_and_go_away(visit):
    page = visit()
    page.focus("#text")
    page.type("hon " * 201)
    page.until("document.querySelector('.problem').textContent")
    assert "a sentence has 201 words" in page.text(".problem")
    assert "at most 200" in page.text(".problem")
    page.type(SHORT)
    becomes(page, TRANSLATION, "bought a book")
    assert page.text(".problem") == ""
    errors = page.messages()  # the browser itself notes the status
    assert all("413" in message for message in errors)


def test_a_server_that_has_gone_is_noticed(visit):
    page = visit()
    page.run("window.fetch = async () => { throw new TypeError('gone'); }")
    page.focus("#text")
    page.type("hon")
    page.until(
        "document.querySelector('.problem').textContent.startsWith('the server does not answer')"
    )


def test_pictures_are_saved_as_svg(visit):
    page = visit()
    page.run("URL.createObjectURL = (blob) => { window.saved = blob; return '#'; }")
    page.run("HTMLAnchorElement.prototype.click = () => {}")
    page.click(".picture button")
    root = ElementTree.fromstring(page.run("return window.saved.text()"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert root.get("color")


@pytest.mark.parametrize("columns", [1, 2])
def test_a_phone_needs_no_scrolling_sideways(visit, columns):
    page = visit(width=360, columns=[{"open": ALL, "step": 1}] * columns)
    settled(page)
    assert page.run("return document.documentElement.scrollWidth") == 360


def test_colours_are_switched_and_kept(visit):
    page = visit()
    back = partial(page.run, "return getComputedStyle(document.body).backgroundColor")
    quiet = partial(page.run, "return getComputedStyle(document.querySelector('.quiet')).color")
    assert luminance(back()) > 0.5
    page.run(
        "const theme = document.getElementById('theme'); theme.value = 'dark';"
        "theme.dispatchEvent(new Event('change'))"
    )
    assert luminance(back()) < 0.1
    assert (luminance(quiet()) + 0.05) / (luminance(back()) + 0.05) >= 4.5
    visit()
    assert luminance(back()) < 0.1
    page.run("localStorage.clear()")


def test_the_limits_of_the_server_are_kept(browser, folder):
    system = ServedSystem("full", Translator.load(folder / "full"))
    with running(system, n_best=2, pops=400) as narrow:
        browser.open(link(narrow, open=ALL), 1200)
        becomes(browser, TRANSLATION, "he read a book")
        settled(browser)
        assert browser.text(".problem") == ""
        assert len(browser.run(CELLS.format(selector=".n-best"))) == 2
        browser.run(SLIDE.format(column=0, name="stack", value=99))  # the last one
        settled(browser)
        assert browser.text(".problem") == ""
    browser.open("about:blank", 1200)
    no_message(browser)


def test_everything_has_a_name(visit):
    page = visit(open=ALL)
    nameless = page.run(
        "return [...document.querySelectorAll('button, input, select, textarea')].filter((one) =>"
        " !(one.textContent.trim() || one.ariaLabel || one.labels?.length))"
        ".map((one) => one.outerHTML)"
    )
    assert nameless == []
