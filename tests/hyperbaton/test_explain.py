"""`hyperbaton explain`: text, JSON, sentences from anywhere, and every message."""

import io
import json
import re
import shlex
import textwrap
from functools import partial

import pytest

from hyperbaton.commands.explain import Explain
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.errors import DataError
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.training import train_system
from hyperbaton.tuning.evaluation.tables import Table, as_text
from hyperbaton.views.explanation_text import blocks, explain_derivations
from hyperbaton.views.text_tables import INDENT, print_blocks
from tests import command_line
from tests.refusals import refused
from tests.tiny_systems import TWO_PAIRS, write_corpus

SENTENCE = "kare wa hon o nageta"
RARE = "\U00020000"  # a character that no usual font has


def command(*arguments, **options):
    return command_line.outcome("explain", *arguments, **options)


def test_json_adds_up(model, capsys):
    Explain(model=model, words=(SENTENCE,), n_best=3, form="json").run()
    content = json.loads(capsys.readouterr().out)
    assert content["source"] == SENTENCE.split()
    assert content["distortion_models"] == ["linear", "msd"]
    names = [name for part in content["parts"].values() for name in part]
    assert names == list(content["weights"])
    expected = Translator.load(model).results(Translator.load(model).decode(SENTENCE, 3))
    assert len(content["derivations"]) == len(expected) == 3
    for derivation, result in zip(content["derivations"], expected, strict=True):
        assert derivation["translation"] == result.text
        assert derivation["alignment"] == [list(link) for link in result.alignment]
        rows = [*derivation["steps"], derivation["end"]]
        assert sum(sum(row["contributions"].values()) for row in rows) == pytest.approx(
            result.score, abs=1e-9
        )
        for name, weight in content["weights"].items():
            values = [row["values"][name] for row in rows]
            assert sum(values) == pytest.approx(result.features[name], abs=1e-9)
            added = [row["contributions"][name] for row in rows]
            assert added == pytest.approx([weight * value for value in values])
        assert sum(derivation["part_scores"].values()) == pytest.approx(result.score, abs=1e-9)
        spans = [[*step["source"], *step["target"]] for step in derivation["steps"]]
        assert spans == [list(span) for span in result.segmentation]
        assert derivation["steps"][-1]["covered"] == [1] * 5


def test_operations_add_up_to_their_feature(tmp_path, capsys):
    files = write_corpus(tmp_path, **TWO_PAIRS)
    models = ["osm", "osm,units=classes"]
    train_system(files, tmp_path / "m", TrainingSettings(distortion=models))
    Explain(model=tmp_path / "m", words=("kare wa hon o katta",), form="json").run()
    [derivation] = json.loads(capsys.readouterr().out)["derivations"]
    for step in derivation["steps"]:
        assert step["events"].keys() == {"osm", "osm.classes"}
        for name, events in step["events"].items():
            assert sum(score for _, score in events) == pytest.approx(
                step["values"][f"{name}.logp"]
            )
    Explain(model=tmp_path / "m", words=("kare wa hon o katta",)).run()
    printed = capsys.readouterr().out
    for name in ("osm", "osm.classes"):
        listed = [event for step in derivation["steps"] for event in step["events"][name]]
        [table] = re.findall(rf"^{re.escape(name)}\n((?:  .*\n)+)", printed, re.MULTILINE)
        rows = [line.split("  ") for line in table.splitlines()[1:]]
        assert [text for text, _ in listed] == [[c for c in row if c][1].strip() for row in rows]


def tables_of(explained, **options):
    return {
        block.title: block for block in blocks(explained, **options) if isinstance(block, Table)
    }


def test_text_shows_steps_sums_and_differences(model):
    translator = Translator.load(model)
    decoded = translator.decode(SENTENCE, 2)
    explained = explain_derivations(translator, decoded, "he threw a book", 2)
    heading = next(blocks(explained))
    assert heading.splitlines()[0] == "source     0 kare  1 wa  2 hon  3 o  4 nageta"
    assert heading.splitlines()[2:4] == ["unknown    4 nageta", "reference  he threw a book"]
    assert ", BLEU " in heading
    assert ", chrF " in heading
    tables = tables_of(explained)
    steps = tables[""]
    best = explained.derivations[0]
    assert [row[0] for row in steps.rows] == [*(str(n + 1) for n in range(len(best.steps))), ""]
    assert float(steps.rows[-1][-1]) == pytest.approx(best.score, abs=1e-4)
    assert any(row[3] == "nageta (unknown)" for row in steps.rows)
    covered = [row[5] for row in steps.rows][:-1]
    assert [text.count("■") for text in covered] == [sum(step.covered) for step in best.steps]
    assert covered[-1] == "■■■■■"
    sums = tables["sums over the derivation"]
    assert float(sums.rows[-1][4]) == pytest.approx(best.score, abs=1e-4)
    shares = {row[0]: row[5] for row in sums.rows if row[5]}
    assert shares.pop("unknown") == "-"
    assert sum(float(share.rstrip("%")) for share in shares.values()) == pytest.approx(100, abs=0.5)
    words = tables["language model, word by word"]
    assert [row[1] for row in words.rows] == [*best.target_words, "</s>"]
    total = float(translator.lm.score([w if w != "nageta" else "<unk>" for w in best.target_words]))
    assert sum(float(row[2]) for row in words.rows) == pytest.approx(total, abs=1e-3)
    listed = tables["the best derivations"]
    assert listed.header == ["", "score", "to 1", "BLEU", "chrF", "translation"]
    other = explained.derivations[1]
    assert float(listed.rows[1][2]) == pytest.approx(other.score - best.score, abs=1e-4)
    differences = tables["where the others gain (+) and lose (-) against the best"]
    assert float(differences.rows[-1][-1]) == pytest.approx(other.score - best.score, abs=1e-4)
    gains = [float(row[2]) for row in differences.rows[:-1] if row[2]]
    assert sum(gains) == pytest.approx(other.score - best.score, abs=1e-3)


def test_alternatives_in_text(model):
    translator = Translator.load(model)
    explained = explain_derivations(translator, translator.decode(SENTENCE), "", 2)
    shown = [
        block
        for block in blocks(explained, steps=True)
        if isinstance(block, Table) and block.title.startswith("alternatives")
    ]
    steps = [step for step in explained.derivations[0].steps if len(step.alternatives) > 1]
    assert len(shown) == len(steps) > 0
    for table, step in zip(shown, steps, strict=True):
        assert table.header[5:7] == ["linear", "msd"]
        [row] = [row for row in table.rows if row[0] == "*"]
        assert row[1] == f"{step.source[0]}:{step.source[1]}"
        for cells, alternative in zip(table.rows, step.alternatives, strict=True):
            assert (cells[3] == "nageta ?") == (alternative.source == (4, 5))
            linear = -0.3 * abs(alternative.jump)
            assert float(cells[5]) == pytest.approx(linear)
            assert float(cells[-1]) == pytest.approx(alternative.total, abs=0.005)
        assert max(map(len, as_text(table, "  ").splitlines())) <= 80
    assert list(tables_of(explained)) == [
        "",
        "sums over the derivation",
        "language model, word by word",
    ]


def test_a_dropped_word_is_shown_as_nothing(model):
    out, _ = command(model, "hon", "nageta", "--drop-unknown")
    assert "(nothing) (unknown)" in out


def test_sentences_from_anywhere(model, write):
    expected = command(model, "hon o katta")
    assert expected[0].startswith("source     0 hon  1 o  2 katta\ntarget     bought a book\n")
    assert command(model, "hon", "o", "katta") == expected
    assert command(model, "-", input="\nhon o katta\n") == expected
    path = write("in.txt", "hon\nhon o katta\n")
    assert command(model, "--input", path, "--line", 2) == expected
    assert command(model, "hon|N", "o|P", "katta|V", "--factored") == expected


def test_references_from_a_file(model, write):
    def shown(*arguments, **options):
        out, err = command(model, *arguments, **options)
        return [line for line in out.splitlines() if line.startswith("reference")], err

    def refuses(facts, *arguments, **options):
        command_line.refuses(facts, 1, "explain", model, *arguments, **options)

    sentences, references = write("in", "hon\nhon o katta\n"), write("ref", "book\nsold a book\n")
    second = (["reference  sold a book"], "")
    assert shown("--input", sentences, "--line", 2, "--reference", references) == second
    given = sentences.read_text()
    assert shown("--input", "-", "--line", 2, "--reference", references, input=given) == second
    one = write("one", "sold a book\n")
    assert shown("hon o katta", "--reference", one) == second
    # what is not the name of a file is the text itself, however long
    assert shown("hon o katta", "--reference", "sold a book") == second
    long = " ".join(["book"] * 1000)
    assert shown("hon", "--reference", long) == ([f"reference  {long}"], "")
    advice = "--input FILE --line N"
    refuses(f"{references}: has 2 lines … {advice}", "hon", "--reference", references)
    short = f"{one}:2: the file ends here … {sentences} has 2 lines"
    refuses(short, "--input", sentences, "--reference", one)
    line_2 = "--input", "-", "--line", 2
    refuses(f"{one}: has no line 2", *line_2, "--reference", one, input=given)


def test_search_options_are_those_of_translate(model):
    out, _ = command(model, SENTENCE, "--distortion-limit", 0, "--format=json", "--n-best", 5)
    jumps = [s["jump"] for d in json.loads(out)["derivations"] for s in d["steps"]]
    assert set(jumps) == {0}
    out, _ = command(
        model, SENTENCE, "--distortion", "gaps", "--set", "search.beam=5", "--pop-limit", 9,
        "--stack-size", 5, "--format=json",
    )  # fmt: skip
    assert json.loads(out)["distortion_models"] == ["gaps"]


def test_the_sentence_that_is_missing_is_given_as_advised(model, tmp_path):
    place = tmp_path / "my model"
    place.symlink_to(model)
    _, error = command(place, "", code=2)
    advised = shlex.split(error.splitlines()[-1].partition("expected words: ")[2])
    assert advised == ["hyperbaton", "explain", str(place), "words of it"]
    out, _ = command(*advised[2:])
    assert "words" in out


@pytest.mark.parametrize(
    ("arguments", "given", "code", "facts"),
    [
        (["--input", "in.txt", "--line", 2], "", 1, "in.txt: has no line 2"),
        ([" "], "", 2, "the sentence is empty"),
        (["-"], "hon\nhon\n", 1, "standard input: has 2 sentences … expected one"),
        (["-"], "hon \udcff\n", 1, "standard input:1: byte 0xff"),
        (["-"], "", 2, "the sentence is empty"),
    ],
)
def test_faults_of_the_input(model, write, arguments, given, code, facts):
    place = write("in.txt", "hon\n").parent
    command_line.refuses(facts, code, "explain", model, *arguments, input=given, cwd=place)


def test_a_sentence_that_fails(model, monkeypatch):
    def fail(*_arguments, **_options):
        raise DataError("no translation was found within the limits of the search")

    monkeypatch.setattr("hyperbaton.decoder.decode.Decoder.decode", fail)
    refused("no translation was found", lambda: Explain(model=model, words=("hon",)).run())


def test_pictures_and_heat_maps_from_the_command_line(model, tmp_path, write):
    run = partial(command, cwd=tmp_path)
    _, error = run(model, "hon", "--heat-map", "x.png", code=1)
    assert "x.png: there is nothing to draw" in error
    write(
        "heated.py",
        textwrap.dedent(
            """
            import numpy as np
            from hyperbaton.models.distortion.interface import HeatMap
            from hyperbaton.models.distortion.linear import Linear

            class Heated(Linear):
                name = "heated"
                feature_names = ("heated",)

                def prepare(self, sentence, options):
                    scorer = super().prepare(sentence, options)
                    words = sentence.words
                    values = np.eye(len(words))
                    scorer.heat_maps = lambda: [HeatMap("jumps", words, words, values)]
                    return scorer
            """
        ),
    )
    _, error = run(
        model, SENTENCE, "--plot", "d.svg", "--heat-map", "h.svg", "--n-best", 2,
        "--distortion", "heated:Heated",
    )  # fmt: skip
    assert error == ""
    drawn = (tmp_path / "d.svg").read_text()
    assert ">nageta</text>" in drawn
    assert re.search(r">\d\?</text>", drawn)  # the number of the unknown word's step
    assert "2: score -" in drawn
    assert ">jumps</text>" in (tmp_path / "h.svg").read_text()
    _, error = run(model, RARE, "--plot", "d.png")
    assert (tmp_path / "d.png").read_bytes().startswith(b"\x89PNG")
    assert error.startswith(
        f"hyperbaton: d.png: no installed font has {RARE!r}: the picture shows boxes"
    )
    _, error = run(model, RARE, "--heat-map", "h.png", "--distortion", "heated:Heated")
    assert error.startswith("hyperbaton: h.png: no installed font has")


def test_tables_as_plain_text():
    words = frozenset({"word"})
    table = Table(["word", "n"], [["本", "1"], ["book", "12"]], title="words")
    assert as_text(table, INDENT) == "words\n  word   n\n  本     1\n  book  12"
    marked = Table(["", "word", "n"], [["", "a", "1"], ["*", "b", "2"]], left=words)
    assert as_text(marked, INDENT) == "     word  n\n     a     1\n  *  b     2"


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_tables_on_a_terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm-mono")
    monkeypatch.setattr("rich.console.Console.is_dumb_terminal", False)
    table = Table(["word", "n"], [["[b]k[/b] " * 9, "1.5"]], title="[title]")
    narrow, plain_stream = Terminal(), io.StringIO()
    print_blocks(["first [i]", table], narrow)
    assert "first [i]" in narrow.getvalue()
    assert "[title]" in narrow.getvalue()  # nothing is taken for markup
    assert "────" in narrow.getvalue()
    lines = re.sub("\x1b[^m]*m", "", narrow.getvalue()).splitlines()
    assert max(map(len, lines)) == 40
    print_blocks(["first", table], plain_stream)
    assert plain_stream.getvalue() == f"first\n\n{as_text(table, INDENT)}\n"
    wide = Table([f"number{n}" for n in range(9)], [["123456789"] * 9])
    stream = Terminal()
    print_blocks([wide], stream)
    assert stream.getvalue().count("123456789") == 9
