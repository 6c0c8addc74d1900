from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.sentences.glossary import Glossary, read_glossary
from hyperbaton.corpus.sentences.markup import Markup, Term
from hyperbaton.corpus.sentences.sentence import Sentence
from tests.refusals import refusals

few = st.lists(st.sampled_from("abc"), min_size=1, max_size=3).map(tuple)


@given(st.sets(few), st.lists(st.sampled_from("abcd"), max_size=10))
def test_the_longest_term_counts_from_left_to_right(terms, words):
    glossary = Glossary({term: {"x": 1.0} for term in terms})
    expected, at = [], 0
    while at < len(words):
        ends = [at + len(term) for term in terms if tuple(words[at : at + len(term)]) == term]
        if ends:
            expected.append((at, max(ends)))
        at = max(ends, default=at + 1)
    found = glossary.mark(Sentence(tuple(words))).markup.terms
    assert [(term.start, term.end) for term in found] == expected


def test_what_is_marked_stays():
    marked = Markup((Term(0, 2, {"y": 1.0}),), ((3, 5),), (6,))
    sentence = Sentence(tuple("abababab"), markup=marked)
    glossary = Glossary({("a", "b"): {"x": 1.0}, ("b", "a"): {"z": 1.0}}, "inclusive")
    found = glossary.mark(sentence).markup
    # 0:2 is a term; 2:4 crosses the zone 3:5, which 3:5 does not; 5:7 crosses the wall
    ends = [(term.start, term.end, dict(term.translations), term.mode) for term in found.terms]
    assert ends == [
        (0, 2, {"y": 1.0}, "exclusive"),
        (3, 5, {"z": 1.0}, "inclusive"),
        (6, 8, {"x": 1.0}, "inclusive"),
    ]
    assert (found.zones, found.walls) == (marked.zones, marked.walls)
    assert glossary.mark(Sentence(("A", "B"))).markup == Markup()  # case counts


def test_lines(write):
    text = "# names\n\n ie \thome\t0.7\nie\ta  mansion\nhon o\tbook\n #\tnumber\n"
    assert read_glossary(write("g.tsv", text), "constraint") == Glossary(
        {
            ("ie",): {"home": 0.7, "a mansion": 1.0},
            ("hon", "o"): {"book": 1.0},
            ("#",): {"number": 1.0},
        },
        "constraint",
    )


@refusals(
    ("ie home\n", "g.tsv:1: 1 columns … a term, its translation"),
    ("a\tb\t1\t1\n", "g.tsv:1: 4 columns"),
    ("a\tb\n\tb\n", "g.tsv:2: the term is empty"),
    ("a\t \n", "g.tsv:1: the translation is empty"),
    ("a\tb\tc\n", "g.tsv:1: 'c' is not a probability"),
    ("a\tb\t0\n", "g.tsv:1: 0.0 is not a valid probability"),
    ("a\tb\nc\td\na\tb\t0.5\n", "g.tsv:3: … line 1"),
    ("a\t<s>\n", "g.tsv:1: … <s> … reserved"),
    (b"a\t\xff\n", "g.tsv:1: … 0xff … column 3"),
)
def test_errors_name_the_line(write, text):
    read_glossary(write("g.tsv", text))


def test_terms_that_never_matched_are_counted():
    terms = [("Hon",), ("hon",), ("neko",), ("kuruma",), ("inu",), ("kare", "wa")]
    glossary = Glossary({term: {"x": 1.0} for term in terms})
    assert "5 of 5 terms never matched: hon, neko, kuruma, …" in glossary.unmatched
    glossary.mark(Sentence.parse("kare wa hon o mita"))
    assert "3 of 5 terms never matched: neko, kuruma, inu" in glossary.unmatched
    glossary.mark(Sentence.parse("neko kuruma inu"))
    assert glossary.unmatched == ""
