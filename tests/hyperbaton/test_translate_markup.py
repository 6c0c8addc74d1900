"""`hyperbaton translate` and `explain` with marked-up input and glossaries."""

import json

import pytest

from hyperbaton.commands.parameters import TERM_MODES
from hyperbaton.corpus.sentences.markup import MODES
from tests import command_line

TERM = '<term translation="novel">hon</term>'
LINES = f"""kare wa {TERM} o katta
kare wa <zone>hon</zone></zone> o katta

<zone>kare wa {TERM}</zone> &lt; <wall/> katta
kare wa hon o katta
"""


def translate(model, *arguments, lines=LINES, **options):
    return command_line.run("translate", model, *arguments, input=lines, **options)


def test_a_bad_line_fails_alone(model, write):
    path = write("marked.txt", LINES)
    lists, lattice = path.with_name("lists"), path.with_name("lattice")
    done = translate(
        model, path, "--markup", "exclusive", "--format=json", "--n-best", 3, "--n-best-file",
        lists, "--lattice", lattice, "--threads", 2, env=None, code=1,
    )  # fmt: skip
    message = "hyperbaton: sentence 2: line 2, column 25: </zone> without <zone>\n"
    assert done.stderr.startswith(message)
    assert "Traceback" not in done.stderr
    lines = done.stdout.splitlines()
    assert lines[1] == ""
    first, empty, fourth, last = (json.loads(line) for line in lines if line)
    assert (first["source"], first["id"]) == ("kare wa hon o katta", 0)
    assert "novel" in first["translation"].split()
    assert "book" not in first["translation"].split()
    assert empty["translation"] == ""
    assert fourth["source"] == "kare wa hon < katta"
    words = fourth["translation"].split()
    assert words.index("bought") > words.index("<")
    assert abs(words.index("he") - words.index("novel")) == 1
    assert "book" in last["translation"].split()
    numbers = {line.split(" ||| ")[0] for line in lists.read_text().splitlines()}
    assert numbers == {"0", "2", "3", "4"}
    assert "out=novel" in lattice.read_text()
    plain = translate(model, path, "--markup", "exclusive", "--threads", 1, code=1)
    assert plain.stdout.splitlines()[0] == first["translation"]


def test_kinds_of_markup(model):
    line = "kare wa hon <wall/>\n"
    passed = translate(model, lines=line)
    assert "<wall/>" in passed.stdout.split()
    assert translate(model, "--markup", "pass-through", lines=line).stdout == passed.stdout
    ignored = translate(model, "--markup", "ignore", lines=f"kare wa {TERM}\n")
    assert ignored.stdout == translate(model, lines="kare wa hon\n").stdout
    improbable = 'kare wa <t translation="novel" prob="1e-9">hon</t>\n'
    inclusive = translate(model, "--markup", "inclusive", lines=improbable)
    assert inclusive.stdout == ignored.stdout
    said = '<t translation="a" prob="1e-9">hon o</t> yonda\n'
    constrained = translate(model, "--markup", "constraint", "--format=json", lines=said)
    phrases = json.loads(constrained.stdout)["segmentation"]
    [(start, end)] = [span[2:] for span in phrases if span[0] <= 0 and span[1] >= 2]
    assert "a" in json.loads(constrained.stdout)["translation"].split()[start:end]
    assert end - start > 1
    translate(model, "--markup", "xml", code=2)
    assert TERM_MODES == MODES


def test_a_glossary(model, write):
    path = write("terms.tsv", "# names\nhon\tvolume\nkare wa\tthey\t0.5\n")
    done = translate(model, "--glossary", path, lines="kare wa hon o katta\nHon\n")
    assert "never matched" not in done.stderr
    first, second = done.stdout.splitlines()
    assert {"they", "volume"} <= set(first.split())
    assert second == "Hon"
    both = translate(model, "--glossary", path, "--markup", "exclusive", lines=f"kare wa {TERM}\n")
    assert set(both.stdout.split()) == {"they", "novel"}
    assert "glossary: 1 of 2 terms never matched: hon" in both.stderr  # the markup has it
    rare = write("rare.tsv", "hon\tvolume\t1e-9\n")
    weak = translate(model, "--glossary", rare, "--glossary-mode", "inclusive", lines="hon\n")
    assert "volume" not in weak.stdout.split()


def test_a_bad_glossary_is_told_before_anything_is_translated(model, write):
    out = write("out", "as it was\n")
    done = translate(model, "--glossary", write("terms.tsv", "hon volume\n"), "-o", out, code=1)
    assert "terms.tsv:1: 1 columns\n  expected a term, its translation" in done.stderr
    assert out.read_text() == "as it was\n"
    done = translate(model, "--glossary", "nowhere.tsv", code=1)
    assert "nowhere.tsv: no such file" in done.stderr


def test_requests_and_markup(model, write):
    lines = f"kare wa {TERM} o katta\n"
    best = translate(model, "--markup", "exclusive", "--format=json", lines=lines)
    best = json.loads(best.stdout)
    wanted = write("wanted", best["translation"] + "\n")
    forced = translate(
        model, "--markup", "exclusive", "--force", wanted, "--format=json", lines=lines
    )
    assert json.loads(forced.stdout)["score"] == pytest.approx(best["score"])
    begun = translate(
        model, "--markup", "exclusive", "--prefix", write("p", "novel\n"), lines=lines
    )
    assert begun.stdout.startswith("novel ")
    first = translate(model, "--markup", "exclusive", "--order", write("o", "2 0-1\n"), lines=lines)
    assert first.stdout.split().index("novel") < first.stdout.split().index("he")


def test_tags_belong_to_the_words_without_markup(model, write):
    tags = write("tags", "N P N P V\n")
    done = translate(
        model, "--markup", "exclusive", "--source-tags", tags, lines=f"kare wa {TERM} o katta\n"
    )
    tagged = 'kare|N <t translation="I">wa|P</t>\n'
    done = translate(model, "--markup", "exclusive", "--factored", lines=tagged)
    assert done.stdout == "he I\n"


def test_explanations_of_marked_sentences(model, write):
    path = write("marked.txt", LINES)
    picture = path.with_name("picture.svg")
    marked = "--markup", "exclusive", f"kare wa {TERM}"
    done = command_line.run("explain", model, *marked, "--plot", picture, "--format=json")
    [explained] = json.loads(done.stdout)["derivations"]
    assert ["novel"] in [step["target_words"] for step in explained["steps"]]
    assert picture.read_text().startswith("<svg ")
    done = command_line.run(
        "explain", model, "--markup", "exclusive", "--input", path, "--line", 2, code=1
    )
    assert "line 2, column 25: </zone> without <zone>" in done.stderr
