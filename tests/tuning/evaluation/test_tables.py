"""One table in all its forms, written out by hand."""

from hyperbaton.tuning.evaluation.tables import Table, as_csv, as_latex, as_markdown, as_text

TABLE = Table(["name", "n"], [["本", "1"], ["a|b & c", "−10"]], ["a note"], "Title")


def test_text_is_aligned_by_the_columns_of_a_terminal():
    assert as_text(TABLE) == "Title\nname       n\n本         1\na|b & c  −10\n\na note"
    bare = Table(["name", "n"], [["x", "1"]])
    assert as_text(bare) == "name  n\nx     1"
    assert as_text(bare, "> ") == "> name  n\n> x     1"
    assert as_text(Table(["none", "yet"], [])) == "none  yet"


def test_columns_of_words_are_chosen_by_name():
    rows = [["1", "long word"], ["22", "x"]]
    assert as_text(Table(["n", "word"], rows, left=frozenset({"word"}))) == (
        " n  word\n 1  long word\n22  x"
    )
    numbers = Table(["n", "m"], [["1", "333"]], left=frozenset())
    assert as_text(numbers) == "n    m\n1  333"
    assert as_markdown(numbers).splitlines()[1] == "| ---: | ---: |"
    assert as_latex(numbers).splitlines()[1] == r"\begin{tabular}{rr}"


def test_markdown():
    assert as_markdown(TABLE) == (
        "**Title**\n\n| name | n |\n| --- | ---: |\n| 本 | 1 |\n| a\\|b & c | −10 |\n\n- `a note`"
    )


def test_latex():
    assert as_latex(TABLE).splitlines() == [
        "% Title", "% a note", r"% needs \usepackage{booktabs}", r"\begin{tabular}{lr}",
        r"\toprule", r"name & n \\", r"\midrule", r"本 & 1 \\", r"a|b \& c & $-$10 \\",
        r"\bottomrule", r"\end{tabular}",
    ]  # fmt: skip


def test_marks_in_latex():
    table = Table(["n ↑", "m ↓"], [["31.42†", "_1°"], ["2", "3"]], bold=frozenset({(0, 1), (1, 0)}))
    assert as_latex(table).splitlines()[3:7] == [
        r"n $\uparrow$ & m $\downarrow$ \\", r"\midrule",
        r"31.42$\dagger$ & \textbf{\_1$^\circ$} \\", r"\textbf{2} & 3 \\",
    ]  # fmt: skip


def test_csv_keeps_numbers_as_they_are():
    assert as_csv(["a", "b"], [["x,y", 0.1 + 0.2]]) == 'a,b\n"x,y",0.30000000000000004'
