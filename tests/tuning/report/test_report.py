"""The page of a comparison: whole, by itself, well-formed, and without empty sections."""

import itertools
import json
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import parse_qs

import pytest

from hyperbaton.corpus.raw_text.settings import TextSettings
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.tuning.comparison.results import Output
from hyperbaton.tuning.evaluation.charts import Chart, Series
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.metrics.visits import visits_of_sequences
from hyperbaton.tuning.report.examples import live_link, marked
from hyperbaton.tuning.report.html import details, html_table, page
from hyperbaton.tuning.report.overview import introduction, title
from hyperbaton.tuning.report.word_order import word_order
from hyperbaton.tuning.reproduction.exhibit import Exhibit, Finding
from hyperbaton.tuning.reproduction.presets import find_preset
from tests.tuning.report.comparisons import make_comparison, report_of

VOID = {"meta", "br", "rect", "circle", "path"}
NAMES = {f"SYSTEM {number} <with a long & odd name>": 0.05 + 0.05 * number for number in range(8)}


EXHIBIT = Exhibit(
    "shown",
    "Curves & more",
    ["Done so.", "And so."],
    [Table(["a", "b"], [["x", "1"]], (), "our table")],
    [Chart("rising", ["1", "2"], [Series("C", [0.001, 0.01])], "x", "y", digits=3, is_log=True)],
    [Finding("C rises", "holds", ("tenfold",))],
    [
        Table(["a", "b"], [["x", "2"]], (), "their table"),
        Table(["a", "b"], [["x", "3"]] * 13, (), "their long table"),
    ],
)


class Page(HTMLParser):
    """Collects elements and text; complains of elements that are not closed."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.open, self.texts = [], [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))

    def handle_endtag(self, tag):
        assert tag in VOID or self.open.pop() == tag, tag

    def handle_data(self, text):
        if text.strip() and self.open:
            self.texts.append((self.open[-1], text))

    def all(self, tag, key):
        return [attributes.get(key) for name, attributes in self.elements if name == tag]

    def texts_of(self, tag):
        return [text for name, text in self.texts if name == tag]


@pytest.fixture(scope="module")
def text(tmp_path_factory):
    comparison = make_comparison(
        NAMES, (10, -1), n_sentences=12, tests=("news", "blogs"), replicas=2, iterations=3
    )
    found = [Finding("A beats B", "holds", ("news, limit 10: +1.00, p 0.001",))]
    path = tmp_path_factory.mktemp("report") / "report.html"
    figures = find_preset("goto").tables()
    return report_of(comparison, path, found, figures, [EXHIBIT]).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def parsed(text):
    return Page(text)


def test_every_section_is_there_and_linked(parsed):
    names = list(parsed.all("section", "id"))
    assert names == [
        "overview", "findings", "scores", "significance", "limits", "shown", "tuning", "order",
        "kinds", "sentences", "weights", "costs", "settings",
    ]  # fmt: skip
    links = [link for link in parsed.all("a", "href") if link.startswith("#")]
    assert links == [f"#{name}" for name in names]


def test_the_page_needs_nothing_but_itself(text, parsed):
    assert len(text.encode()) < 1_500_000
    addresses = set(re.findall(r"https?://[^\"' )<]+", text))
    # a name, never fetched, and links to the page that people may have started
    assert {address.partition("#")[0] for address in addresses} <= {
        "http://www.w3.org/2000/svg",
        "http://127.0.0.1:8321/",
    }
    assert not [tag for tag, _ in parsed.elements if tag in ("link", "img", "iframe", "object")]
    assert parsed.all("script", "src") == [None]
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)


def test_people_who_do_not_see_it_can_use_it(parsed):
    assert ("html", {"lang": "en"}) in parsed.elements
    assert parsed.texts_of("title")
    levels = [int(tag[1]) for tag, _ in parsed.elements if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in itertools.pairwise(levels))
    assert set(parsed.all("th", "scope")) == {"col", "row"}
    for tag, attributes in parsed.elements:
        if tag == "svg":
            assert attributes["role"] == "img"
            assert attributes["aria-label"]
        if attributes.get("role") == "region":
            assert attributes["aria-label"]
            assert attributes["tabindex"] == "0"


def test_the_title_has_languages_and_the_date_of_the_last_run(parsed):
    assert parsed.texts_of("h1") == ["Comparison of reordering models, ja–en, 2026-11-17"]
    assert parsed.texts_of("title")[0] == parsed.texts_of("h1")[0]


def configured(comparison, **changes):
    return replace(comparison, configuration=replace(comparison.configuration, **changes))


def test_a_title_without_languages_or_date():
    one = make_comparison({"A": 0.2}, n_sentences=2, metrics=("ter",))
    train = one.configuration.train
    odd = replace(train, source=Path("corpus.source"), target=Path("corpus.target"))
    assert title(configured(one, train=odd)) == "Comparison of reordering models, 2026-11-16"
    raw = configured(one, train=odd, text=TextSettings("zh", "de"), title="Mine")
    assert title(raw) == "Mine, zh–de, 2026-11-16"
    [cell] = one.cells
    undated = replace(cell.best, cost=replace(cell.best.cost, date=""))
    one = replace(one, cells=[replace(cell, replicas=[undated])])
    assert title(one) == "Comparison of reordering models, ja–en"


def test_the_introduction_names_the_data():
    one = make_comparison({"A": 0.2}, n_sentences=2, metrics=("ter",), note="generated")
    train = replace(one.configuration.train, lines="1-2000")
    text = Page(introduction(configured(one, train=train))).texts_of("p")[0]
    assert text == (
        "Trained on train.ja.gz and train.en.gz, lines 1-2000; tested on test (2 sentences); "
        "generated."
    )


def test_a_chart_comes_before_the_first_table(text):
    """With an interval for every system, limit and test set."""
    before = text[: text.index("<table")]
    assert before.count("<svg") == 2 * 2
    assert before.count("95% interval ") == 8 * 2 * 2
    assert "the line marks SYSTEM 0 &lt;with a long &amp; odd name&gt;.</p>" in before


def test_the_same_comparison_gives_the_same_bytes(tmp_path):
    two = make_comparison({"BAD": 0.6, "GOOD": 0.02}, n_sentences=12, metrics=("bleu",))
    made = [report_of(two, tmp_path / name).read_bytes() for name in ("one", "two")]
    assert made[0] == made[1]


def test_latex_to_be_copied(text):
    shown = re.findall(r'<pre class="copied" tabindex="0">(.*?)</pre>', text, re.DOTALL)
    assert len(shown) == 2  # test sets
    for each in shown:
        assert each.count(r"\toprule") == 2
        assert each.count(r"\textbf{") >= 4
        assert r"BLEU $\uparrow$ &amp; TER $\downarrow$" in each


def test_what_the_introduction_says(parsed):
    first, news, blogs = parsed.texts_of("p")[1:4]
    assert first.startswith("8 systems, distortion limits 10, ∞, 2 tuning runs each, 2 test sets.")
    assert re.match(r"Best BLEU on news: SYSTEM \d <with .*>, limit (10|∞), \d+\.\d\d", news)
    assert blogs.startswith("Best BLEU on blogs: ")


def test_findings_and_the_papers_figures(parsed):
    assert "A beats B: " in parsed.texts_of("li")
    assert "holds" in parsed.texts_of("strong")
    assert "32.02" in parsed.texts_of("td")


def test_an_exhibit_has_its_chart_numbers_and_findings(text, parsed):
    section = text[text.index('<section id="shown"') :]
    section = section[: section.index("</section>")]
    assert "<h2>Curves &amp; more</h2><p>Done so. And so.</p>" in section
    places = [
        section.index(words)
        for words in ("C rises: ", "<figcaption>rising", "<title>C, 2: 0.01", "numbers", "0.010",
                      "our table", "their table")
    ]  # fmt: skip
    assert places == sorted(places)
    assert "C rises: " in parsed.texts_of("li")
    assert "their long table" in parsed.texts_of("summary")
    assert "their table" in parsed.texts_of("h3")


def test_confusions_are_small_pictures_side_by_side(text):
    for part in text.split('<div class="multiples">')[1:]:
        drawn = part[: part.index("</div>")]
        assert drawn.count("<figure>") == drawn.count("<svg") == 8
        sizes = [int(width) for width in re.findall(r'width="(\d+)" height', drawn)]
        assert all(width < 280 for width in sizes)
    assert text.count('<div class="multiples">') == 2


def test_moves_are_differences_from_the_reference():
    """Worked out by hand: of the moves of [0, 1, 2], all have distance 0."""
    two = make_comparison({"SAME": 0.0, "OTHER": 0.0}, n_sentences=1, metrics=("ter",))
    [test] = two.tests
    test = replace(test, visits=visits_of_sequences([[0, 1, 2]], [len(test.sources[0])]))
    links = {"SAME": [(0, 0), (1, 1), (2, 2)], "OTHER": [(0, 0), (2, 1), (1, 2)]}
    cells = [
        replace(cell, replicas=[replace(cell.best, outputs={"test": [Output("a b c", made, [])]})])
        for cell, made in zip(two.cells, links.values(), strict=True)
    ]
    drawn = word_order(replace(two, tests=[test], cells=cells))
    tips = re.findall(r"<title>(.*?)</title>", drawn)
    # OTHER moves by 0, then over one word, then back by two: 0, 1, −2
    assert {"SAME, 0, 100%: 0.00", "OTHER, 0, 100%: -66.67"} <= set(tips)
    assert {"OTHER, 1, 0%: 33.33", "OTHER, −2, 0%: 33.33", "reference, 1, 0%: 0.00"} <= set(tips)
    assert "SAME, 1, 0%: 0.00" in tips
    unknown = word_order(replace(two, tests=[replace(test, visits=None)], cells=cells))
    assert "OTHER, 1: 33.33" in unknown
    assert "multiples" not in unknown


def test_sections_without_content_are_left_out(tmp_path):
    one = make_comparison({"ONLY": 0.2}, n_sentences=4, metrics=("ter",), aligned=False)
    parsed = Page(report_of(one, tmp_path / "r.html").read_text(encoding="utf-8"))
    assert parsed.all("section", "id") == [
        "overview",
        "scores",
        "order",
        "kinds",
        "weights",
        "costs",
        "settings",
    ]
    first, best = parsed.texts_of("p")[1:3]
    assert first == "1 system, distortion limit 6, 1 tuning run each, 1 test set. Baseline: ONLY."
    assert re.fullmatch(r"Best TER on test: ONLY, limit 6, \d+\.\d\d\.", best)


def test_a_link_has_the_settings_of_both_systems():
    two = make_comparison({"BAD": 0.6, "GOOD": 0.02}, limits=(6, -1), n_sentences=2)
    bad, good = two.cell("BAD", 6), two.cell("GOOD", -1)
    bad = replace(bad, replicas=[replace(bad.best, weights={"lm": 0.5, "linear": 1 / 3})])
    good = replace(good, replicas=[replace(good.best, weights={"lm": 0.25, "pair.logp": 1.0})])
    two = replace(two, cells=[bad, good])
    address, _, fields = live_link(two, Sentence(("a&b", "c")), (bad, good)).partition("#")
    assert address == "http://127.0.0.1:8321/"
    fields = {name: value for name, [value] in parse_qs(fields).items()}
    assert fields.pop("text") == "a&b c"
    assert {name: json.loads(text) for name, text in fields.items()} == {
        "a": {
            "name": "BAD",
            "limit": 6,
            "weights": {"lm": 0.5, "linear": 0.333333, "pair.logp": 0},
        },
        "b": {
            "name": "GOOD",
            "limit": "inf",
            "weights": {"lm": 0.25, "linear": 0, "pair.logp": 1},
        },
    }


def test_links_say_that_they_need_a_server_and_name_their_systems(text, parsed):
    links = [link for link in parsed.all("a", "href") if link.startswith("http")]
    assert text.count("Needs a server: <a href=") == len(links) >= 4
    assert text.index("run “hyperbaton serve system”") < text.index("Needs a server: ")
    named = [name for name in parsed.texts_of("a") if name.startswith("sentence ")]
    assert len(named) == len(links)
    assert all(re.match(r"sentence \d+ with SYSTEM 0 .* and SYSTEM \d ", name) for name in named)


@pytest.mark.parametrize(
    ("text", "other", "expected"),
    [
        ("a b c .", "a b c .", "a b c ."),
        ("the <b> dog .", "the cat .", "the <mark>&lt;b&gt; dog</mark> ."),
        ("a c", "a b & c", 'a <mark class="gap" title="missing: b &amp;"></mark>c'),
        ("a", "a b", 'a<mark class="gap" title="missing: b"></mark>'),
        ("a b", "a", "a <mark>b</mark>"),
        ("", "a", '<mark class="gap" title="missing: a"></mark>'),
        ("a", "", "<mark>a</mark>"),
        ("我买了书。", "我买书。", "我买<mark>了</mark>书。"),
        ("カタカナ語", "カタナ語", "カタ<mark>カ</mark>ナ語"),
    ],
)
def test_marks_of_differences(text, other, expected):
    assert marked(text, other) == expected


def test_examples_mark_both_systems_and_fold_the_rest(text):
    section = text[text.index('<section id="sentences"') :]
    first = section[section.index("<article") : section.index("</article>")]
    shown, folded = first.split("<details>")
    assert shown.count("<dt>") == 2 + len(re.findall("<dt>reference", shown)) + 1
    assert "<mark" in shown
    assert folded.count("<dt>") == 6
    opened = section[: section.index("<summary>more, where ")]
    assert opened.count("<article") == 2


def test_examples_are_on_the_right_side(tmp_path):
    """By an error rate, less is better."""
    two = make_comparison({"BAD": 0.6, "GOOD": 0.02}, n_sentences=12, metrics=("ter",))
    parsed = Page(report_of(two, tmp_path / "r.html").read_text(encoding="utf-8"))
    titles = [text for text in parsed.texts_of("h3") if text.startswith("Sentence ")]
    assert titles
    assert all(": -" in title for title in titles)
    assert any(
        text.startswith("Sentences of test on which GOOD is most clearly better than BAD in TER")
        for text in parsed.texts_of("p")
    )


def test_pieces():
    table = html_table(Table(["a", "b"], [["<x>", "1"]], ["n"], "t"), [["", "best"]])
    assert '<th scope="row">&lt;x&gt;</th><td class="best">1</td>' in table
    assert "<h3>t</h3>" in table
    assert details("more", "") == ""
    made = page("T & U", "", [("a", "A", "<p>x</p>"), ("b", "B", "")])
    assert "<title>T &amp; U</title>" in made
    assert 'id="a"' in made
    assert 'id="b"' not in made


@pytest.mark.parametrize(("alpha", "arrows"), [(0.05, 2), (1e-9, 0)])
def test_colours_begin_where_the_comparison_says(tmp_path, alpha, arrows):
    comparison = make_comparison({"GOOD": 0.02, "BAD": 0.4}, alpha=alpha)
    assert comparison.p_values["test"][6][0, 1] < 0.05
    text = report_of(comparison, tmp_path / "report.html").read_text()
    assert f"Values below {alpha} are coloured:" in text
    assert sum(text.count(f" {arrow}</td>") for arrow in "↑↓") == arrows
