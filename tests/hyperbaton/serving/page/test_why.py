"""Why a translation and a step were chosen: bars beside the drawing, and the alternatives."""

import pytest

from tests.hyperbaton.serving.page.looking import (
    ALL,
    CELLS,
    TEXT,
    TRANSLATION,
    as_number,
    becomes,
    close_to,
    settled,
)

BARS = CELLS.format(selector=".bars-of-step")


def boxes(page, *selectors):
    return [
        page.run(f"return document.querySelector('{one}').getBoundingClientRect().toJSON()")
        for one in selectors
    ]


def shown_bars(page):
    return {name: as_number(value) for name, value, _ in page.run(BARS)}


def part_sums(answer, entry):
    """Weighted features of an entry of the n-best list, summed by part."""
    return {
        part: sum(entry["features"][name] * answer["weights"][name] for name in names)
        for part, names in answer["parts"].items()
    }


def visits(entry):
    return [place for start, end, _, _ in entry["segmentation"] for place in range(start, end)]


def test_the_bars_stand_to_the_right_of_the_drawing_where_there_is_room(visit):
    drawing, bars = boxes(visit(width=1400), ".picture", ".why table")
    assert bars["left"] >= drawing["right"]
    assert bars["top"] < drawing["bottom"]
    assert bars["bottom"] < 900  # without scrolling
    drawing, bars = boxes(visit(width=390), ".picture", ".why table")
    assert bars["top"] >= drawing["bottom"]


def test_bars_are_differences_from_the_runner_up(visit, server):
    page = visit()
    answer = server.explain(TEXT, distinct=True)
    best, second = (part_sums(answer, entry) for entry in answer["n_best"][:2])
    differences = {part: best[part] - second[part] for part in best}
    shown = shown_bars(page)
    assert shown == {part: close_to(differences[part]) for part in shown}
    assert sum(shown.values()) == pytest.approx(
        answer["n_best"][0]["score"] - answer["n_best"][1]["score"], abs=0.05
    )
    assert answer["n_best"][1]["text"] in page.text(".why caption")


def test_bars_may_show_another_order_or_everything(visit, server):
    page = visit()
    answer = server.explain(TEXT, distinct=True, n_best=100)
    own = answer["n_best"][0]
    other = next(one for one in answer["n_best"] if visits(one) != visits(own))
    choose = (
        "const choice = document.querySelector('[name=against]'); choice.value = '{}';"
        "choice.dispatchEvent(new Event('change'))"
    )
    page.run(choose.format("order"))
    settled(page)
    assert other["text"] in page.text(".why caption")
    assert sum(shown_bars(page).values()) == pytest.approx(own["score"] - other["score"], abs=0.05)
    page.run(choose.format("none"))
    sums = part_sums(answer, own)
    shown = shown_bars(page)
    assert shown == {part: close_to(sums[part]) for part in shown}
    page.until("location.hash.includes('against')")


def test_one_of_the_list_is_compared_with_the_best(visit, server):
    page = visit(rank=1)
    best = server.explain(TEXT, distinct=True)["n_best"][0]["text"]
    assert page.text(".why caption q") == best


def test_a_step_is_compared_with_the_best_alternative(visit, server):
    page = visit(step=1)
    alternatives = server.explain(TEXT)["derivations"][0]["steps"][0]["alternatives"]
    [chosen] = [one for one in alternatives if one["chosen"]]
    rival = next(one for one in alternatives if not one["chosen"])
    shown = shown_bars(page)
    for part, value in shown.items():
        if part == "estimate of the rest":
            assert value == close_to(chosen["future"] - rival["future"])
        else:
            assert value == close_to(chosen["part_scores"][part] - rival["part_scores"][part])
    assert sum(shown.values()) == pytest.approx(chosen["total"] - rival["total"], abs=0.05)


def test_alternatives_show_reordering_first_and_fold_the_rest(visit, server):
    page = visit(step=1)
    answer = server.explain(TEXT)
    expected = answer["derivations"][0]["steps"][0]["alternatives"]
    [chosen] = [one for one in expected if one["chosen"]]
    heads = page.run(
        "return [...document.querySelectorAll('.alternatives th[scope=col]')]"
        ".map((one) => one.textContent)"
    )
    assert heads == ["phrase", "jump", "total", "linear", "msd", "pair", "others"]
    for row, one in zip(page.run(CELLS.format(selector=".alternatives")), expected, strict=True):
        total, *models, others = map(as_number, row[2:])
        assert total == close_to(one["total"] - chosen["total"])
        for name, value in zip(("linear", "msd", "pair"), models, strict=True):
            assert value == close_to(one["part_scores"][name] - chosen["part_scores"][name])
        assert sum(models) + others == pytest.approx(total, abs=0.05)
    assert not page.run("return document.querySelector('.other-parts').checkVisibility()")
    for row in page.run(CELLS.format(selector=".other-parts")):
        assert len(row) > 3


def test_only_drawings_that_are_shown_are_sent(visit, server):
    assert not any("svg" in entry for entry in server.explain(TEXT)["n_best"])
    page = visit(open=ALL)
    page.click("[aria-label='show translation 2']")
    second = server.explain(TEXT, distinct=True)["n_best"][1]["text"]
    becomes(page, TRANSLATION, second)
    assert page.run(
        "return [...document.querySelectorAll('.picture text[data-target]')]"
        ".map((one) => one.textContent).join(' ')"
    ).startswith(second)
