from contextlib import suppress
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.sentences.marking import Marking
from hyperbaton.corpus.sentences.markup import MODES, Markup, Term
from hyperbaton.corpus.sentences.markup_text import BadMarkup, read_markup
from hyperbaton.foundation.errors import SettingError
from tests.decoder.markups import span_lists
from tests.refusals import refused
from tests.strategies import words as any_word
from tests.strategies import words_from

QUOTES = {'"': "&quot;", "'": "&apos;"}

words = st.lists(st.one_of(any_word, st.sampled_from(["<", "&", "&lt;", "<zone>", "'", '"', ">"])))


@st.composite
def marked(draw):
    """Words, and marks whose spans nest; no wall is at the end of a zone, where it would say
    nothing or stand on either side."""
    text = draw(words)
    n = len(text)
    if not n:
        return text, Markup()
    spans = draw(span_lists(n))
    phrase = st.lists(words_from(ord(" ")), min_size=1, max_size=2)
    terms, zones = [], []
    for start, end in spans:
        inside = [(a, b) for a, b in spans if start <= a and b <= end and (a, b) != (start, end)]
        if inside or draw(st.booleans()):
            zones.append((start, end))
        else:
            texts = draw(st.lists(phrase.map(" ".join), min_size=1, max_size=3, unique=True))
            share = st.floats(0, 1, exclude_min=True)
            terms.append(Term(start, end, {text: draw(share) for text in texts}, "inclusive"))
    edges = {place for span in zones for place in span}
    free = [
        place
        for place in range(1, n)
        if place not in edges and not any(term.start < place < term.end for term in terms)
    ]
    walls = draw(st.lists(st.sampled_from(free), unique=True)) if free else []
    return text, Markup(tuple(terms), tuple(zones), tuple(walls))


def render(text, markup, separator):
    """Marked-up text, built from the innermost marks outwards."""
    before = dict.fromkeys(range(len(text) + 1), "")
    after = dict(before)
    for wall in markup.walls:
        before[wall] += "<wall/>"
    opening = [(start, -end, "<zone>", "</zone>") for start, end in markup.zones]
    for term in markup.terms:
        translation = escape("||".join(term.translations), QUOTES)
        share = "||".join(map(repr, term.translations.values()))
        opening.append(
            (term.start, -term.end, f"<t translation=\"{translation}\" prob='{share}'>", "</t>")
        )
    for start, end, tag, closing in sorted(opening):
        before[start] += tag
        after[-end - 1] = closing + after[-end - 1]
    pieces = [f"{before[n]}{escape(word, QUOTES)}{after[n]}" for n, word in enumerate(text)]
    return separator.join([*pieces, before[len(text)]])


@given(marked(), st.sampled_from([" ", "  ", "\t"]))
def test_rendered_and_read_again_it_is_the_same(sentence, separator):
    text, markup = sentence
    line, found = read_markup(render(text, markup, separator), "inclusive")
    assert line == " ".join(text)
    by_start = sorted(found.terms, key=lambda term: term.start)
    assert by_start == sorted(markup.terms, key=lambda term: term.start)
    assert sorted(found.zones) == sorted(markup.zones)
    assert sorted(found.walls) == sorted(markup.walls)


@given(st.text(st.sampled_from("<>/&; zonewaltrip=\"'|1.")))
def test_any_text_is_read_or_refused(line):
    with suppress(BadMarkup):
        sentence = Marking("exclusive").parse(line)
        assert len(sentence) >= len(sentence.markup.terms)


def test_what_a_line_says():
    line = 'a<x translation="p  q||r" prob="0.5||.25">b c</x>&amp;<zone>d <wall/>e</zone> <wall/><2'
    text, markup = read_markup(line, "constraint")
    assert text == "a b c & d e <2"
    term = Term(1, 3, {"p q": 0.5, "r": 0.25}, "constraint")
    assert markup == Markup((term,), ((4, 6),), (5, 6))


@pytest.mark.parametrize("line", ["a < b", "a > b", "AT&T", "&#124; &copy;", "1<2", "<"])
def test_what_is_no_tag_is_text(line):
    assert read_markup(line) == (line, Markup())


def test_walls_at_the_ends_say_nothing():
    assert read_markup("<wall/> a <zone><wall/>b c<wall/></zone> <wall/>").markup == Markup(
        zones=((1, 3),)
    )
    # outside, before and behind the zone, they do
    assert read_markup("a <wall/><zone>b c</zone><wall/> d").markup.walls == (1, 3)


@pytest.mark.parametrize(
    ("line", "column", "message"),
    [
        ("a <zone>b</zone></zone>", 17, "</zone> without <zone>"),
        ("a <zone>b", 3, "<zone> without </zone>"),
        ("<zone><zone>a</zone>", 1, "<zone> without </zone>"),
        ("a <zone></zone> b", 3, "<zone> contains no words"),
        ('<t translation="x"/>', 1, "<t/> contains no words"),
        ('<zone>a <t translation="x">b</zone></t>', 28 + 1, "</zone> before </t>"),
        ('<t translation="x">a <zone>b</zone></t>', 22, "<zone> inside <t>"),
        ('<t translation="x">a <wall/> b</t>', 22, "<wall> inside <t>"),
        ("a <b>c</b>", 3, "<b> has no translation"),
        ('a <t translaton="x">c</t>', 3, "unknown attribute 'translaton'"),
        ('<zone prob="1">c</zone>', 1, "unknown attribute 'prob'"),
        ('<t translation="x" translation="y">c</t>', 1, "'translation' is given twice"),
        ('<t translation="x||x">c</t>', 1, "a translation is given twice"),
        ('<t translation="">c</t>', 1, "a translation of a term has no words"),
        ('<t translation="x||y" prob="1">c</t>', 1, "2 translations and 1 probabilities"),
        ('<t translation="x" prob="much">c</t>', 1, "'much' is not a probability"),
        ('<t translation="x" prob="2">c</t>', 1, "2.0 is not a valid probability"),
        ('<t translation="|||">c</t>', 1, "a translation of a term has no words"),
        ('<t translation="</s>">c</t>', 1, "the word </s> is reserved"),
        ("a <wall> b", 3, "a wall is a single tag without attributes"),
        ("a <wall/ b", 3, "'<wall/ b' is not a tag"),
        ("a <t translation=x>b</t>", 3, "'<t translation=x>b</' is not a tag"),
        ("a </zone/>", 3, "</zone/> is not a valid tag"),
    ],
)
def test_errors_name_the_column(line, column, message):
    error = refused(message, lambda: read_markup(line), BadMarkup)
    assert error.column == column
    assert str(error.at_line(3)).startswith(f"line 3, column {column}: ")


def test_kinds_of_markup():
    line = "a <zone>b</zone> &lt;"
    assert Marking("pass-through").parse(line).words == ("a", "<zone>b</zone>", "&lt;")
    ignored = Marking("ignore").parse(line)
    assert (ignored.words, ignored.markup) == (("a", "b", "<"), Markup())
    for each in MODES:
        assert Marking(each).parse(line).markup.zones == ((1, 2),)
    with pytest.raises(BadMarkup):
        Marking("ignore").parse("a </zone>")
    refused("did you mean exclusive", lambda: Marking("exklusive"), SettingError)
    tagged = Marking("exclusive").parse("a|X <zone>b|Y</zone>", factored=True)
    assert (tagged.words, tagged.tags) == (("a", "b"), ("X", "Y"))
