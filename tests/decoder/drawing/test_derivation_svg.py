"""Pictures of derivations as SVG: where everything is, and that pages and notebooks can show it."""

import re
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.decoder.drawing.derivation_layout import Derivation, lay_out
from hyperbaton.decoder.drawing.derivation_svg import derivation_svg, derivations_svg, text_width
from hyperbaton.decoder.translator import Translation
from tests.decoder.drawing.derivations import explanations, make_explanation
from tests.strategies import examples

SVG = "{http://www.w3.org/2000/svg}"


def rectangle(box):
    return (*box.corner, box.corner[0] + box.size[0], box.corner[1] + box.size[1])


@examples(2)
@given(explanations(), st.booleans())
def test_boxes_hold_their_words_and_do_not_overlap(explanation, vertical):
    layout = lay_out(explanation.derivation, text_width, vertical)
    boxes = [rectangle(box) for box in layout.boxes]
    for a, b in combinations(boxes, 2):
        assert a[2] <= b[0] or b[2] <= a[0] or a[3] <= b[1] or b[3] <= a[1]
    steps = explanation.steps
    assert len(boxes) == len(steps) + sum(bool(step.target_words) for step in steps)
    assert len(layout.words) == len(explanation.source_words) + len(explanation.target_words)
    step_of = {place: n for n, step in enumerate(steps) for place in range(*step.source)}
    for number, word in enumerate(layout.words[: len(explanation.source_words)]):
        [box] = [b for b in layout.boxes[: len(steps)] if b.step == step_of[number]]
        left, top, right, bottom = rectangle(box)
        half = text_width(word.text) / 2
        assert left <= word.at[0] - half
        assert word.at[0] + half <= right
        assert top <= word.at[1] <= bottom
    everything = [point for bracket in layout.brackets for point in bracket.corners]
    everything += [b[:2] for b in boxes] + [b[2:] for b in boxes]
    assert all(0 <= x <= layout.size[0] and 0 <= y <= layout.size[1] for x, y in everything)


@examples(2)
@given(explanations(), st.booleans())
def test_brackets_are_the_jumps_and_do_not_lie_on_one_another(explanation, vertical):
    layout = lay_out(explanation.derivation, text_width, vertical)
    jumps = [(n, step.jump) for n, step in enumerate(explanation.steps, 1) if step.jump]
    labels = [f"{n}: {jump:+d}".replace("-", "−") for n, jump in jumps]
    assert [bracket.label for bracket in layout.brackets] == labels
    assert [bracket.is_forward for bracket in layout.brackets] == [jump > 0 for _, jump in jumps]
    along, across = (1, 0) if vertical else (0, 1)
    for bracket in layout.brackets:
        begin, first, second, end = bracket.corners
        assert begin[along] == first[along]
        assert second[along] == end[along]
        assert (end[along] > begin[along]) == bracket.is_forward
    for a, b in combinations(layout.brackets, 2):
        if a.corners[1][across] == b.corners[1][across]:
            (a0, a1), (b0, b1) = (
                sorted(corner[along] for corner in bracket.corners[1:3]) for bracket in (a, b)
            )
            assert a1 < b0 or b1 < a0


def test_a_derivation_of_nothing():
    layout = lay_out(make_explanation([], [], []).derivation, text_width)
    assert (layout.words, layout.boxes, layout.brackets) == ((), (), ())
    ElementTree.fromstring(derivation_svg(make_explanation([], [], []).derivation))


def test_long_sentences_are_upright():
    short = make_explanation([7, 7], [1, 0], [1, 1])
    long = make_explanation([7, 8], [1, 0], [1, 1])
    assert not lay_out(short.derivation, text_width).vertical
    assert lay_out(long.derivation, text_width).vertical


@given(explanations(), st.booleans())
def test_inline_svg_is_well_formed_and_says_everything(explanation, vertical):
    root = ElementTree.fromstring(derivation_svg(explanation.derivation, vertical))
    texts = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    words = [*explanation.source_words, *explanation.target_words]
    assert texts[: len(words)] == words
    assert root.get("fill") == "currentColor"
    assert not [element for element in root.iter() if element.get("id")]
    size = [float(root.get(name)) for name in ("width", "height")]
    for element in root.iter():
        if element.get("d"):  # pairs of coordinates between letters
            numbers = [float(number) for number in re.findall(r"-?[\d.]+", element.get("d"))]
            assert 0 <= min(numbers[::2]) <= max(numbers[::2]) <= size[0]
            assert 0 <= min(numbers[1::2]) <= max(numbers[1::2]) <= size[1]


def test_inline_svg_is_small_and_escapes():
    explanation = make_explanation([2, 1, 2], [0, 2, 1], [1, 2, 1], letter="<&\"'")
    text = derivation_svg(explanation.derivation)
    assert len(text) < 4200
    assert "&lt;&amp;" in text
    ElementTree.fromstring(text)


def test_characters_that_xml_forbids_are_replaced():
    drawn = Derivation(["a\x01", "\uffff"], ["b\x0b\x85"], [(0, 2, 0, 1)], [])
    words = ElementTree.fromstring(derivation_svg(drawn)).iter(f"{SVG}text")
    assert [word.text for word in words][:3] == ["a\ufffd", "\ufffd", "b\ufffd\x85"]


def test_notebooks_show_a_translation_as_words_and_picture():
    # "kare wa" first, then over "hon o" to the verb, and back: jumps +2 and −3
    translation = Translation(
        "he bought <b> &amp;",
        -1.25,
        [(0, 0), (2, 2), (4, 1)],
        [(0, 2, 0, 1), (4, 5, 1, 2), (2, 4, 2, 4)],
        {"lm": -2.5},
        ("kare", "wa", "<script>alert(1)</script>", "o", "katta"),
    )
    page = translation._repr_html_()
    assert "<b>" not in page
    assert "<script" not in page
    root = ElementTree.fromstring(f"<div>{page}</div>")
    assert root.find("p").text == "he bought <b> &amp; "
    assert root.find("p/small").text == "score -1.2500"
    texts = [element.text for element in root.iter(f"{SVG}text")]
    words = [*translation.source_words, "he", "bought", "<b>", "&amp;"]
    assert texts[: len(words)] == words
    assert [text for text in texts if ":" in text] == ["2: +2", "3: −3"]
    [links] = [e for e in root.iter(f"{SVG}g") if e.get("class") == "links"]
    assert [(e.get("data-source"), e.get("data-target")) for e in links] == [
        ("0", "0"), ("2", "2"), ("4", "1"),
    ]  # fmt: skip


def test_pages_find_steps_words_and_jumps():
    # words 0 and 1 first, then word 3, then back to word 2
    derivation = make_explanation([2, 1, 1], [0, 2, 1], [1, 2, 0]).derivation
    root = ElementTree.fromstring(derivation_svg(derivation, shrinks=False))
    assert root.get("style") is None

    def found(name, kind, tag="*"):
        elements = root.iter() if tag == "*" else root.iter(f"{SVG}{tag}")
        return [e.get(name) for e in elements if e.get("class") == kind]

    assert found("data-step", "ribbon") == ["0", "1"]  # word 2 is not translated
    assert found("data-step", "phrase") == ["0", "1", "2"]
    assert found("data-step", "jump") == ["1", "2"]
    words = {
        (side, e.get(f"data-{side}")): e.text
        for e in root.iter(f"{SVG}text")
        for side in ("source", "target")
        if e.get(f"data-{side}")
    }
    assert words == {
        ("source", "0"): "w0", ("source", "1"): "w1", ("source", "2"): "w2", ("source", "3"): "w3",
        ("target", "0"): "t0", ("target", "1"): "t1", ("target", "2"): "t2",
    }  # fmt: skip
    labels = {e.text: e.get("data-step") for e in root.iter(f"{SVG}text") if ":" in e.text}
    assert labels == {"2: +1": "1", "3: −2": "2"}


def test_unknown_words_are_marked():
    derivation = replace(make_explanation([1, 1, 1], [0, 2, 1], [1, 1, 0]).derivation, unknown=[1])
    root = ElementTree.fromstring(derivation_svg(derivation))
    numbers = [e.text for e in root.iter(f"{SVG}text") if re.fullmatch(r"\d\??", e.text)]
    assert sorted(numbers) == ["1", "1", "2?", "2?", "3"]  # both sides, but one is not translated
    dashed = [e for e in root.iter(f"{SVG}rect") if e.get("stroke-dasharray")]
    assert len(dashed) == 2


def test_notebooks_mark_unknown_words():
    spans = [(0, 1, 0, 1), (1, 2, 1, 2)]
    translation = Translation("he xyz", 0.0, [], spans, {}, ("kare", "xyz"), (1,))
    assert translation._repr_html_().count(">2?</text>") == 2


def test_notebooks_show_an_empty_translation():
    html = Translation("", 0.0, [], [], {})._repr_html_()
    root = ElementTree.fromstring(f"<div>{html}</div>")
    assert [element.tag for element in root] == ["p", f"{SVG}svg"]


def test_one_wide_above_the_other_and_upright_side_by_side():
    def size(derivation, n, titles=()):
        root = ElementTree.fromstring(derivations_svg([derivation] * n, titles))
        assert root[0].tag == f"{SVG}rect"  # a white ground
        return [float(root.get(key)) for key in ("width", "height")]

    wide = make_explanation([2, 2], [1, 0], [1, 1]).derivation
    upright = make_explanation([8, 8], [1, 0], [1, 1]).derivation
    (width, height), two = size(wide, 1), size(wide, 2)
    assert two == pytest.approx([width, 2 * height], abs=1)  # they are rounded
    assert size(wide, 2, ["a", "b"]) == [two[0], two[1] + 2 * 18]
    (width, height), two = size(upright, 1), size(upright, 2)
    assert two == pytest.approx([2 * width, height], abs=1)
    assert size(upright, 2, ["a", "b"]) == [two[0], two[1] + 18]


def test_titles_are_text():
    derivation = make_explanation([1, 1], [0, 1], [1, 1], letter="$x$_").derivation
    text = derivations_svg([derivation], ["<1>"])
    root = ElementTree.fromstring(text)
    shown = [element.text for element in root.iter(f"{SVG}text")]
    assert shown[0] == "<1>"
    assert "$x$_0" in shown
    assert text == derivations_svg([derivation], ["<1>"])
