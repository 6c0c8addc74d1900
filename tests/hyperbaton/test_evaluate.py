"""`hyperbaton evaluate`: its formats, files and messages."""

import csv
import io
import json
import math
import re
import subprocess
import sys
from dataclasses import asdict

import pytest

from hyperbaton import main as frame
from hyperbaton.commands.evaluate import evaluate
from hyperbaton.tuning.comparison.results import Output
from hyperbaton.tuning.evaluation.significance import TESTS
from hyperbaton.tuning.metrics.catalogue import METRICS
from hyperbaton.tuning.metrics.words import TOKENISERS
from hyperbaton.views.evaluation_text import FORMATS


@pytest.fixture
def run(monkeypatch, capsys):
    """Runs the command inside this process: exit code, standard output, standard error."""
    monkeypatch.setitem(frame.cli.commands, "evaluate", evaluate)

    def run_evaluate(*arguments):
        with pytest.raises(SystemExit) as stop:
            frame.main(["evaluate", *map(str, arguments)])
        captured = capsys.readouterr()
        return stop.value.code, captured.out, captured.err

    return run_evaluate


@pytest.fixture
def files(write):
    """Old and new translations; WER 2/14 and 0/14 against the reference."""
    old = write("old_1.en", "a b c d\nb c d e\nc d x f g\n")
    new = write("new.en", "a b c d e\nb c d e\nc d e f g\n")
    reference = write("ref.en", "a b c d e\nb c d e\nc d e f g\n")
    return [old, new, "--reference", reference]


def test_help_names_everything_and_imports_nothing_heavy():
    code = (
        "import sys\n"
        "from hyperbaton.commands.evaluate import evaluate\n"
        "evaluate.main(['--help'], standalone_mode=False)\n"
        "heavy = {'numpy', 'scipy', 'numba', 'rich', 'sacrebleu', 'matplotlib'}\n"
        "sys.exit(' '.join(heavy & set(sys.modules)) or 0)\n"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (result.returncode, result.stderr) == (0, "")
    for name in (*FORMATS, *TESTS, *TOKENISERS):
        assert re.search(rf"\b{name}\b", result.stdout), name


def test_raw_references_are_noticed(run, write):
    raw = write("raw.en", "He came.\nDid he?\n")
    message = "the references look like raw text: --tokenize 13a"
    assert message in run(raw, "--reference", raw)[2]
    assert message not in run(raw, "--reference", raw, "--tokenize", "13a")[2]
    tokens = write("tokens.en", "he came .\ndid he ?\n")
    assert run(tokens, "--reference", tokens)[2] == ""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (r'{"text": "half \ud800"}', "has half of a surrogate pair"),
        ('{"text": "a", "b": ' + "[" * 100_000 + "]" * 100_000 + "}", "too many brackets"),
    ],
)
def test_json_that_holds_no_text(run, write, line, message):
    path = write("new.jsonl", '{"text": "a"}\n' + line + "\n")
    code, _, said = run(path, "--reference", write("ref.en", "a\na\n"))
    assert code == 1
    assert f"new.jsonl:2: {message}" in said


def test_a_table(run, files):
    code, out, err = run(*files, "--metrics", "wer,bleu", "--baseline", files[0], "--resamples", 9)
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].split() == ["system", "WER", "±", "p", "BLEU", "±", "p"]
    assert lines[1].split()[:2] == [str(files[0]), f"{100 * 2 / 14:.2f}"]
    assert lines[1].split()[3::3] == ["-", "-"]
    assert lines[2].split()[:2] == [str(files[1]), "0.00"]
    assert lines[3:5] == ["", "WER: nrefs:1|case:mixed|tok:none|reference:closest"]
    assert lines[6:] == [
        # 12 of 13 words match, 8 of 10 bigrams, 4 of 7 trigrams, 2 of 4 4-grams; BP = exp(-1/13)
        f"BLEU of {files[0]}: 92.3/80.0/57.1/50.0 (BP = 0.926 ratio = 0.929 hyp_len = 13 "
        "ref_len = 14)",
        f"BLEU of {files[1]}: 100.0/100.0/100.0/100.0 (BP = 1.000 ratio = 1.000 hyp_len = 14 "
        "ref_len = 14)",
        "±: half of the 95% bootstrap interval, 9 resamples, seed 1",
        f"p: paired bootstrap, one-sided, against {files[0]}; below 0.05, * marks better and † "
        "worse systems",
    ]


def test_without_baseline_and_without_resamples(run, files):
    assert run(*files, "--metrics", "wer")[1].splitlines()[0].split() == ["system", "WER", "±"]
    lines = run(*files, "--metrics", "wer", "--resamples", 0)[1].splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["system", "WER"], [str(files[0]), "14.29"], [str(files[1]), "0.00"]
    ]  # fmt: skip
    assert len(lines) == 5


def test_significance_is_marked(run, write):
    reference = write("ref", "a b c d\n" * 50)
    old, new = write("old", "a b x d\n" * 50), write("new", "a b c d\n" * 50)
    arguments = [old, new, "--baseline", old, "--reference", reference, "--metrics", "wer"]
    for test, name in (
        ("bootstrap", "paired bootstrap, one-sided"),
        ("randomisation", "approximate randomisation, two-sided"),
    ):
        out = run(*arguments, "--test", test)[1]
        assert out.splitlines()[2].split()[-1] == "0.001*"
        assert f"p: {name}, against {old}" in out


def test_a_worse_system_has_another_mark(run, write):
    reference = write("ref", "a b c d e\n" * 50)
    good, bad = write("good", "a b c d e\n" * 50), write("bad", "a b x d e\n" * 50)
    names = ["--metrics", "wer,bleu-1"]  # less of the first is better, more of the second
    out = run(good, bad, "--baseline", good, "--reference", reference, *names)[1]
    assert out.splitlines()[2].split()[3::3] == ["0.001†", "0.001†"]
    out = run(good, bad, "--baseline", bad, "--reference", reference, *names)[1]
    assert out.splitlines()[2].split()[3::3] == ["0.001*", "0.001*"]


def test_json(run, files):
    code, out, _ = run(
        *files, "--metrics", "wer,nist", "--baseline", files[0], "--format", "json", "--seed", 0
    )
    record = json.loads(out)
    assert code == 0
    assert record["n_sentences"] == 3
    assert (record["baseline"], record["seed"], record["n_resamples"]) == (str(files[0]), 0, 1000)
    assert [metric["higher_is_better"] for metric in record["metrics"]] == [False, True]
    old, new = record["systems"]
    assert old["scores"]["WER"]["score"] == pytest.approx(100 * 2 / 14)
    assert old["scores"]["WER"]["p_value"] is None
    assert new["scores"]["WER"]["difference"] == pytest.approx(-100 * 2 / 14)
    assert 0 < new["scores"]["WER"]["p_value"] <= 1
    assert "details" not in new["scores"]["WER"]


def test_what_bleu_is_made_of_in_json(run, files):
    out = run(*files, "--metrics", "bleu", "--format", "json", "--resamples", 0)[1]
    details = json.loads(out)["systems"][0]["scores"]["BLEU"]["details"]
    assert details.pop("precisions") == pytest.approx([1200 / 13, 80, 400 / 7, 50])
    assert details.pop("BP") == pytest.approx(math.exp(1 - 14 / 13))
    assert details.pop("ratio") == pytest.approx(13 / 14)
    assert details == {"hyp_len": 13, "ref_len": 14}


def test_csv(run, files):
    out = run(*files, "--metrics", "wer,per", "--format", "csv")[1]
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["system"], row["metric"]) for row in rows] == [
        (str(path), metric) for path in files[:2] for metric in ("WER", "PER")
    ]
    assert float(rows[0]["score"]) == pytest.approx(100 * 2 / 14)
    assert rows[0]["p_value"] == ""
    assert rows[0]["signature"].startswith("nrefs:1|")


def test_markdown(run, files):
    lines = run(*files, "--metrics", "wer", "--format", "markdown")[1].splitlines()
    assert lines[:2] == ["| system | WER | ± |", "| --- | ---: | ---: |"]
    assert lines[2].startswith(f"| {files[0]} | 14.29 | ")
    assert lines[5] == "- `WER: nrefs:1|case:mixed|tok:none|reference:closest`"


def test_latex(run, files):
    lines = run(*files, "--metrics", "wer", "--format", "latex")[1].splitlines()
    assert lines[0] == "% WER: nrefs:1|case:mixed|tok:none|reference:closest"
    assert lines[2:5] == ["\\begin{tabular}{lrr}", "\\hline", "system & WER & $\\pm$ \\\\"]
    assert "old\\_1.en & 14.29 & " in lines[6]
    assert lines[-2:] == ["\\hline", "\\end{tabular}"]


def test_scores_of_sentences(run, files, tmp_path):
    path = tmp_path / "scores.tsv"
    run(*files, "--metrics", "wer,bleu", "--per-sentence", path)
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    assert lines[0] == ["sentence", "system", "WER", "BLEU"]
    assert [line[0] for line in lines[1:]] == ["1", "2", "3"] * 2
    assert [line[2] for line in lines[1:4]] == ["20.0000", "0.0000", "20.0000"]
    assert [line[3] for line in lines[4:]] == ["100.0000"] * 3


def test_plot(run, files, tmp_path):
    path = tmp_path / "scores.svg"
    code, _, err = run(*files, "--metrics", "bleu,wer", "--plot", path)
    assert (code, err) == (0, f"drawn: {path}\n")
    assert "<svg" in path.read_text()
    assert run(*files, "--resamples", 0, "--plot", tmp_path / "scores.png")[0] == 0
    code, _, err = run(*files, "--plot", tmp_path / "nowhere" / "scores.png")
    assert code == 1
    assert "nowhere: no such folder" in err


def test_a_plot_of_an_unknown_kind_is_refused_before_the_work(run):
    code, _, err = run("missing", "--reference", "missing", "--plot", "scores.pgn")
    assert (code, err) == (
        1, "hyperbaton: scores.pgn: .pgn is not a kind of picture\n  did you mean png?\n"
    )  # fmt: skip


def test_options_for_text(run, write):
    hypothesis, reference = write("h", "A b.\n"), write("r", "a b .\n")
    arguments = [hypothesis, "--reference", reference, "--metrics", "wer", "--format", "json"]

    def error_rate(*options):
        record = json.loads(run(*arguments, *options)[1])
        return record["systems"][0]["scores"]["WER"]["score"]

    assert error_rate() == pytest.approx(100)
    assert error_rate("--tokenize", "13a") == pytest.approx(100 / 3)
    assert error_rate("--tokenize", "13a", "--lowercase") == 0


def test_several_references_and_a_missing_one(run, write):
    hypothesis = write("h", "a b\nc d\n")
    references = ["--reference", write("1", "a x\nc d\n"), "--reference", write("2", "a b\n\n")]
    out = run(hypothesis, *references, "--metrics", "wer")[1]
    assert out.splitlines()[1].split()[1] == "0.00"
    assert "nrefs:var" in out


def test_empty_references_are_counted_and_empty_hypotheses_scored(run, write):
    hypothesis, reference = write("h", "\na\n"), write("r", "a b\n\n")
    code, out, err = run(hypothesis, "--reference", reference, "--metrics", "wer,ter,bleu,nist")
    assert (code, err) == (0, "1 of 2 references are empty\n")
    # two words missing, one too many: 3 errors for 2 reference words
    assert out.splitlines()[1].split()[1] == "150.00"


def test_all_metrics_that_the_files_allow(run, files, write):
    record = json.loads(run(*files, "--metrics", "all", "--format", "json")[1])
    names = {metric["metric"] for metric in record["metrics"]}
    assert {"BLEU", "RIBES", "METEOR-exact-stem"} <= names
    assert "PDscore" not in names
    links = write("links", "0-0 1-1\n0-1 1-0\n\n")
    alignments = ["--source-alignment", links, "--source-alignment", links]
    code, out, _ = run(
        *files, *alignments, "--reference-alignment", links, "--metrics", "all", "--format", "json"
    )
    assert code == 0
    assert len(json.loads(out)["metrics"]) == len(METRICS)


def test_word_order_of_json_lines(run, write):
    right = '{"translation": "a b", "alignment": [[0, 0], [1, 1]]}\n'
    wrong = '{"translation": "a b", "alignment": [[0, 1], [1, 0]]}\n'
    hypotheses = [write("right", right), write("wrong", wrong)]
    options = [
        "--reference", write("r", "a b\n"), "--reference-alignment", write("a", "0-0 1-1\n"),
        "--source", write("s", "x y z\n"), "--metrics", "kendall", "--resamples", 0,
    ]  # fmt: skip
    lines = run(*hypotheses, *options)[1].splitlines()
    # source words 0 1 2 against 1 2 0: an unaligned word follows its left neighbour
    assert [line.split()[1] for line in lines[1:3]] == ["100.00", "33.33"]
    stray = write("stray", '{"translation": "a", "alignment": [[3, 0]]}\n')
    code, _, err = run(stray, *options)
    assert code == 1
    assert f"{stray}:1: there is no source word 3" in err


def test_outputs_of_a_comparison(run, write):
    # as tuning/comparison/cells.py writes them
    output = Output("a b", [(0, 1), (1, 0)], [(0, 2, 0, 2)])
    path = write("outputs.jsonl", json.dumps(asdict(output)) + "\n")
    options = [
        "--reference", write("r", "a b\n"), "--reference-alignment", write("a", "0-0 1-1\n"),
        "--source", write("s", "x y\n"), "--metrics", "wer,kendall", "--resamples", 0,
    ]  # fmt: skip
    code, out, _ = run(path, *options)
    assert (code, out.splitlines()[1].split()[1:]) == (0, ["0.00", "0.00"])
    stray = write("stray", '{"text": "a", "links": [[0, 1]]}\n')
    code, _, err = run(stray, *options)
    assert code == 1
    assert f"{stray}:1: there is no target word 1" in err


def test_standard_input(run, files, monkeypatch):
    with files[0].open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        code, out, _ = run("-", *files[2:], "--metrics", "wer")
    assert (code, out.splitlines()[1].split()[:2]) == (0, ["-", "14.29"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--metrics", "blue"], "there is no metric 'blue'\n  did you mean bleu?"),
        (["--tokenize", "14a"], "there is no tokeniser '14a'\n  did you mean 13a?"),
        (["--test", "sign"], "'sign' is not one of"),
        (["--resamples", "-1"], "-1 is not in the range"),
        (["--seed", "-1"], "-1 is not in the range"),
        (["--format", "html"], "'html' is not one of"),
        (["--reference", "-", "--baseline", "-"], "several files cannot be standard input"),
        (
            ["--source-alignment", "x"],
            "1 alignments for 2 files of hypotheses: give --source-alignment once for each",
        ),
        (["--metrics", "pdscore"], "PDscore needs --reference-alignment"),
    ],
)
def test_wrong_usage(run, files, options, message):
    code, out, err = run(*files, *options)
    assert (code, out) == (2, "")
    assert message in err


def test_arguments_that_are_missing(run):
    assert run("--reference", "r")[0] == 2
    code, _, err = run("h")
    assert code == 2
    assert "Missing option '--reference'" in err


def test_metrics_of_order_need_alignments_of_all_systems(run, files, write, monkeypatch):
    links = write("links", "0-0\n\n\n")
    options = [*files[2:], "--metrics", "pdscore", "--reference-alignment", links]
    code, _, err = run(files[0], *options)
    assert code == 2
    assert f"PDscore needs a word alignment for {files[0]}: give --source-alignment, or" in err
    line = '{"translation": "a", "alignment": []}\n'
    with write("stdin", line * 3).open() as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        code, _, err = run("-", *options)
    assert code == 2
    assert "PDscore reads the hypotheses twice: give a file instead of -" in err


@pytest.mark.parametrize(
    "which", ["hypothesis", "reference alignment", "source alignment", "source"]
)
def test_files_of_different_length(run, files, write, which):
    short, links = write("short", "0-0\n"), write("links", "0-0\n\n\n")
    place = {name: short if name == which else None for name in
             ("hypothesis", "reference alignment", "source alignment", "source")}  # fmt: skip
    code, _, err = run(
        place["hypothesis"] or files[0],
        *files[2:],
        *("--metrics", "pdscore"),
        *("--reference-alignment", place["reference alignment"] or links),
        *("--source-alignment", place["source alignment"] or links),
        *(("--source", short) if which == "source" else ()),
    )
    assert code == 1
    assert f"{short}:2: the file ends here\n  {files[3]} has 3 lines; all files need as many" in err
