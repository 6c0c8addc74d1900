"""What the page says for those who do not know its words: legend, terms, glosses, orders."""

import pytest

from tests.hyperbaton.serving.page.looking import ALL, CELLS, SHORT, SLIDE, TEXT, becomes, settled

LEGEND = "return [...document.querySelectorAll('.legend li')].map((one) => one.textContent.trim())"


@pytest.mark.parametrize("width", [1400, 390])
def test_the_legend_explains_the_signs_of_the_drawing(visit, server, width):
    page = visit(width=width)
    spans = server.explain(TEXT)["derivations"][0]["segmentation"]
    ends = [0, *(end for _, end, _, _ in spans)]
    jumps = [start - end for (start, *_), end in zip(spans, ends, strict=False)]
    forward = next(n for n, jump in enumerate(jumps) if jump > 0)
    back = next(n for n, jump in enumerate(jumps) if jump < 0)
    shown = page.run(LEGEND)
    step, words = forward + 1, jumps[forward]
    plural = "" if words == 1 else "s"
    assert f"{step}: +{words} step {step} jumps over {words} word{plural}" in shown
    step, words = back + 1, -jumps[back]
    assert f"{step}: −{words} step {step} goes back {words} words" in shown
    assert not any("an unknown word" in text for text in shown)
    assert any("an unknown word" in text for text in visit("hon xyz").run(LEGEND))


@pytest.mark.parametrize("width", [1400, 390])
def test_a_term_has_a_sentence(visit, width):
    page = visit(width=width, open=["settings"])
    page.click("[aria-label='what is msd?']")
    shown = (
        "return [...document.querySelectorAll('.about:popover-open')].map((one) => one.textContent)"
    )
    assert page.run(shown) == [
        "Lexicalised reordering: how likely this phrase is to follow in order (monotone), to swap"
        " with the previous one, or to go elsewhere (discontinuous)."
    ]
    box = page.run("return document.querySelector('.about').getBoundingClientRect().toJSON()")
    assert box["left"] >= 0
    assert box["right"] <= width
    escape = {"type": "rawKeyDown", "key": "Escape", "windowsVirtualKeyCode": 27}
    page.chrome("Input.dispatchKeyEvent", escape)
    page.until("!document.querySelector('.about:popover-open')")


def test_every_part_and_column_has_a_sentence(visit):
    page = visit(open=ALL, step=1)
    terms = (
        "return [...document.querySelectorAll('.bars-of-step tbody th, .alternatives thead th,"
        " .n-best thead th')].filter((one) => !one.querySelector('.term')).map((one) =>"
        " one.textContent)"
    )
    assert set(page.run(terms)) == {"phrase", "rank", "translation"}


def test_a_source_word_has_its_likeliest_translation_under_it(visit, server):
    page = visit(f"{SHORT} xyz")
    single = {
        span["source"][0]: span["options"][0]
        for span in server.explain(f"{SHORT} xyz", options=1)["options"]
        if span["source"][1] == span["source"][0] + 1
    }
    expected = [
        "–"
        if n not in single
        else "?"
        if single[n]["unknown"]
        else " ".join(single[n]["target_words"])
        for n in range(4)
    ]
    assert expected[-1] == "?"
    glosses = "return [...document.querySelectorAll('.gloss')].map((one) => one.textContent)"
    assert page.run(glosses) == expected


def test_weights_slide_from_nothing_to_three_times(visit):
    page = visit(open=["settings"])
    slider = "document.querySelector('[type=range][name=lm]')"
    assert page.run(f"return ['min', 'max', 'value'].map((name) => {slider}[name])") == [
        "0",
        "3",
        "1",
    ]
    page.run(SLIDE.format(column=0, name="lm", value=3))
    page.until("location.hash.includes('1.5')")  # its own weight is 0.5
    assert page.text(".weight:has([name=lm]) .times") == " ×3"


def test_orders_stand_beside_the_list(visit, server):
    page = visit(open=["list"])
    listed = server.explain(TEXT, distinct=True, n_best=100)["n_best"]
    ranks = {}
    for rank, entry in enumerate(listed, 1):
        order = [n for start, end, _, _ in entry["segmentation"] for n in range(start, end)]
        ranks.setdefault(" ".join(TEXT.split()[n] for n in order), []).append(rank)
    rows = page.run(CELLS.format(selector=".orders"))
    assert [row[:3] for row in rows] == [
        [str(own[0]), order, str(len(own))] for order, own in ranks.items()
    ]
    assert len(page.run(CELLS.format(selector=".n-best"))) == 10
    bests = [own[0] for own in ranks.values()]
    shown = "return document.querySelectorAll('.orders tbody button').length"
    assert page.run(shown) == sum(rank <= 10 for rank in bests) < len(bests)
    page.click(f"[aria-label='show order {bests[1]}']")
    becomes(page, ".translation", listed[bests[1] - 1]["text"])


def test_what_no_phrase_gives_and_what_was_dropped(visit):
    page = visit(SHORT, force="bought bought a zeppelin book", open=["why"])
    settled(page)
    assert page.text(".lacks") == "No phrase contains “zeppelin”."
    assert page.text(".dropped").startswith("“bought” was dropped")
