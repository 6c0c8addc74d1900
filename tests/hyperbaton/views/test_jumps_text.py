from hyperbaton.decoder.drawing.derivation_layout import Derivation
from hyperbaton.views.jumps_text import jump_lines


def lines_of(source, target, spans):
    return jump_lines(Derivation(source.split(), target.split(), spans, ()))


def test_steps_are_drawn_under_their_words_with_their_jumps():
    spans = [(0, 1, 0, 1), (2, 4, 1, 3), (1, 2, 3, 4), (4, 5, 4, 5)]
    assert lines_of("aa b ccc d .", "A C D B .", spans) == [
        "aa b ccc d .",
        "━━             A",
        "   ╌▶━━━━━     C D",
        "   ━◀╌╌╌╌╌╌    B",
        "     ╌╌╌╌╌▶━   .",
    ]


def test_a_monotone_derivation_has_no_arrow():
    drawn = "\n".join(lines_of("a b", "A B", [(0, 1, 0, 1), (1, 2, 1, 2)]))
    assert drawn == "a b\n━     A\n  ━   B"


def test_wide_letters_take_two_columns():
    assert lines_of("彼 は", "he", [(0, 2, 0, 1)]) == ["彼 は", "━━━━━   he"]


def test_words_that_are_dropped_leave_nothing_behind():
    assert lines_of("x", "", [(0, 1, 0, 0)])[1] == "━"


def test_an_empty_sentence_is_an_empty_line():
    assert lines_of("", "", []) == [""]
