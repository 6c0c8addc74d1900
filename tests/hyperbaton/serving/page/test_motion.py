"""Steps that are taken move their phrases, unless the reader prefers rest."""

from xml.etree import ElementTree

import pytest

from tests.hyperbaton.serving.page.looking import TEXT

MOVING = (
    "return document.getAnimations().filter((one) => one.effect.getKeyframes()[0].transform)"
    ".map((one) => [one.effect.target.localName, one.effect.target.textContent.trim(),"
    " one.effect.getKeyframes().map(({ transform }) => transform).filter(Boolean)])"
)
OPACITY = (
    "return [...document.querySelectorAll('{}')].map((one) => getComputedStyle(one))"
    ".map(({{ opacity }}) => Number(opacity))"
)


def middles(svg, step):
    """Of the source and the target box of a step."""
    [phrase] = [
        one
        for one in ElementTree.fromstring(svg)
        if one.get("class") == "phrase" and one.get("data-step") == str(step)
    ]
    return [
        [
            float(box.get(at)) + float(box.get(size)) / 2
            for at, size in (("x", "width"), ("y", "height"))
        ]
        for box in phrase
    ]


def test_a_phrase_moves_from_its_source_to_its_target_place(visit, server):
    page = visit(step=1)
    derivation = server.explain(TEXT)["derivations"][0]
    (from_x, from_y), (to_x, to_y) = middles(derivation["svg"], 1)
    assert from_x != to_x
    page.click(".forward")
    moving = page.run(MOVING)
    for _, _, (start, end) in moving:
        if end == "none":
            x, y = (float(part.removesuffix("px")) for part in start[10:-1].split(", "))
            assert (x, y) == (pytest.approx(from_x - to_x), pytest.approx(from_y - to_y))
        else:
            assert start == "none"
    step = derivation["steps"][1]
    texts = [text for kind, text, _ in moving if kind == "text"]
    assert sorted(texts) == sorted(["2", *step["source_words"], *step["target_words"]])
    assert [kind for kind, _, _ in moving].count("rect") == 1
    page.until("document.querySelectorAll('.picture text:not([data-step])').length === 0")


def test_playing_moves(visit):
    page = visit()
    page.click(".play")
    page.until(MOVING.removeprefix("return ") + ".length > 0")
    page.click(".play")


def test_nothing_moves_for_those_who_prefer_rest(visit, emulate):
    emulate(prefers_reduced_motion="reduce")
    page = visit(step=1)
    page.click(".forward")
    assert page.text(".step-title").startswith("Step 2")
    assert page.run("return document.getAnimations().length") == 0


@pytest.mark.parametrize("width", [1400, 390])
def test_source_words_stay_readable(visit, emulate, width):
    emulate(prefers_reduced_motion="reduce")
    page = visit(step=1, width=width)
    assert set(page.run(OPACITY.format(".picture text[data-source]"))) == {1}
    said = page.run(OPACITY.format(".picture text[data-target]"))
    assert said == [1] + [0] * (len(said) - 1)
