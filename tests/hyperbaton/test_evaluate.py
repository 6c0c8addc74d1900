"""`hyperbaton evaluate`: its formats, files and messages."""

import csv
import io
import json
import math
from dataclasses import asdict

import pytest

from hyperbaton.tuning.comparison.results import Output
from hyperbaton.tuning.metrics.catalogue import METRICS
from tests import command_line


def run(*arguments, **options):
    return command_line.outcome("evaluate", *arguments, **options)


def refuses(facts, code, *arguments, **options):
    command_line.refuses(facts, code, "evaluate", *arguments, **options)


@pytest.fixture
def files(write):
    """Old and new translations; WER 2/14 and 0/14 against the reference."""
    old = write("old_1.en", "a b c d\nb c d e\nc d x f g\n")
    new = write("new.en", "a b c d e\nb c d e\nc d e f g\n")
    reference = write("ref.en", "a b c d e\nb c d e\nc d e f g\n")
    return [old, new, "--reference", reference]


def test_raw_references_are_noticed(write):
    raw = write("raw.en", "He came.\nDid he?\n")
    message = "the references look like raw text: try --tokenize 13a"
    assert message in run(raw, "--reference", raw)[1]
    assert message not in run(raw, "--reference", raw, "--tokenize", "13a")[1]
    tokens = write("tokens.en", "he came .\ndid he ?\n")
    assert run(tokens, "--reference", tokens)[1] == ""


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (r'{"text": "half \ud800"}', "surrogate pair"),
        ('{"text": "a", "b": ' + "[" * 100_000 + "]" * 100_000 + "}", "nested too deeply"),
    ],
)
def test_json_that_holds_no_text(write, line, message):
    path = write("new.jsonl", '{"text": "a"}\n' + line + "\n")
    refuses(f"new.jsonl:2: … {message}", 1, path, "--reference", write("ref.en", "a\na\n"))


def test_a_table(files):
    out, err = run(*files, "--metrics", "wer,bleu", "--baseline", files[0], "--resamples", 9)
    assert err == ""
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


def test_without_baseline_and_without_resamples(files):
    assert run(*files, "--metrics", "wer")[0].splitlines()[0].split() == ["system", "WER", "±"]
    lines = run(*files, "--metrics", "wer", "--resamples", 0)[0].splitlines()
    assert [line.split() for line in lines[:3]] == [
        ["system", "WER"], [str(files[0]), "14.29"], [str(files[1]), "0.00"]
    ]  # fmt: skip
    assert len(lines) == 5


def test_significance_is_marked(write):
    reference = write("ref", "a b c d\n" * 50)
    old, new = write("old", "a b x d\n" * 50), write("new", "a b c d\n" * 50)
    arguments = [old, new, "--baseline", old, "--reference", reference, "--metrics", "wer"]
    for test, name in (
        ("bootstrap", "paired bootstrap, one-sided"),
        ("randomisation", "approximate randomisation, two-sided"),
    ):
        out = run(*arguments, "--significance-test", test)[0]
        assert out.splitlines()[2].split()[-1] == "0.001*"
        assert f"p: {name}, against {old}" in out


def test_a_worse_system_has_another_mark(write):
    reference = write("ref", "a b c d e\n" * 50)
    good, bad = write("good", "a b c d e\n" * 50), write("bad", "a b x d e\n" * 50)
    names = ["--metrics", "wer,bleu-1"]  # less of the first is better, more of the second
    out = run(good, bad, "--baseline", good, "--reference", reference, *names)[0]
    assert out.splitlines()[2].split()[3::3] == ["0.001†", "0.001†"]
    out = run(good, bad, "--baseline", bad, "--reference", reference, *names)[0]
    assert out.splitlines()[2].split()[3::3] == ["0.001*", "0.001*"]


def test_json(files):
    out, _ = run(
        *files, "--metrics", "wer,nist", "--baseline", files[0], "--format", "json", "--seed", 0
    )
    record = json.loads(out)
    assert record["n_sentences"] == 3
    assert (record["baseline"], record["seed"], record["n_resamples"]) == (str(files[0]), 0, 1000)
    assert [metric["higher_is_better"] for metric in record["metrics"]] == [False, True]
    old, new = record["systems"]
    assert old["scores"]["WER"]["score"] == pytest.approx(100 * 2 / 14)
    assert old["scores"]["WER"]["p_value"] is None
    assert new["scores"]["WER"]["difference"] == pytest.approx(-100 * 2 / 14)
    assert 0 < new["scores"]["WER"]["p_value"] <= 1
    assert "details" not in new["scores"]["WER"]


def test_what_bleu_is_made_of_in_json(files):
    out = run(*files, "--metrics", "bleu", "--format", "json", "--resamples", 0)[0]
    details = json.loads(out)["systems"][0]["scores"]["BLEU"]["details"]
    assert details.pop("precisions") == pytest.approx([1200 / 13, 80, 400 / 7, 50])
    assert details.pop("BP") == pytest.approx(math.exp(1 - 14 / 13))
    assert details.pop("ratio") == pytest.approx(13 / 14)
    assert details == {"hyp_len": 13, "ref_len": 14}


def test_csv(files):
    out = run(*files, "--metrics", "wer,per", "--format", "csv")[0]
    rows = list(csv.DictReader(io.StringIO(out)))
    assert [(row["system"], row["metric"]) for row in rows] == [
        (str(path), metric) for path in files[:2] for metric in ("WER", "PER")
    ]
    assert float(rows[0]["score"]) == pytest.approx(100 * 2 / 14)
    assert rows[0]["p_value"] == ""
    assert rows[0]["signature"].startswith("nrefs:1|")


def test_markdown(files):
    lines = run(*files, "--metrics", "wer", "--format", "markdown")[0].splitlines()
    assert lines[:2] == ["| system | WER | ± |", "| --- | ---: | ---: |"]
    assert lines[2].startswith(f"| {files[0]} | 14.29 | ")
    assert lines[5] == "- `WER: nrefs:1|case:mixed|tok:none|reference:closest`"


def test_latex(files):
    lines = run(*files, "--metrics", "wer", "--format", "latex")[0].splitlines()
    assert lines[0] == "% WER: nrefs:1|case:mixed|tok:none|reference:closest"
    begin = lines.index("\\begin{tabular}{lrr}")
    assert lines[begin + 1 : begin + 3] == ["\\toprule", "system & WER & $\\pm$ \\\\"]
    assert "old\\_1.en & 14.29 & " in lines[begin + 4]
    assert lines[-2:] == ["\\bottomrule", "\\end{tabular}"]


def test_scores_of_sentences(files, tmp_path):
    path = tmp_path / "scores.tsv"
    run(*files, "--metrics", "wer,bleu", "--per-sentence", path)
    lines = [line.split("\t") for line in path.read_text().splitlines()]
    assert lines[0] == ["sentence", "system", "WER", "BLEU"]
    assert [line[0] for line in lines[1:]] == ["1", "2", "3"] * 2
    assert [line[2] for line in lines[1:4]] == ["20.0000", "0.0000", "20.0000"]
    assert [line[3] for line in lines[4:]] == ["100.0000"] * 3


def test_plot(files, tmp_path):
    path = tmp_path / "scores.svg"
    _, err = run(*files, "--metrics", "bleu,wer", "--plot", path)
    assert err == f"drawn: {path}\n"
    assert "<svg" in path.read_text()
    run(*files, "--resamples", 0, "--plot", tmp_path / "scores.png")
    refuses("nowhere: no such folder", 1, *files, "--plot", tmp_path / "nowhere" / "scores.png")


def test_long_names_left_no_room_for_a_plot(write, tmp_path):
    reference = write("r", "a b c\n")
    for name in ("x" * 80, "y" * 200):
        run(write(name, "a b d\n"), "--reference", reference, "--plot", tmp_path / "long.svg")


def test_options_for_text(write):
    hypothesis, reference = write("h", "A b.\n"), write("r", "a b .\n")
    arguments = [hypothesis, "--reference", reference, "--metrics", "wer", "--format", "json"]

    def error_rate(*options):
        record = json.loads(run(*arguments, *options)[0])
        return record["systems"][0]["scores"]["WER"]["score"]

    assert error_rate() == pytest.approx(100)
    assert error_rate("--tokenize", "13a") == pytest.approx(100 / 3)
    assert error_rate("--tokenize", "13a", "--lowercase") == 0


def test_several_references_and_a_missing_one(write):
    hypothesis = write("h", "a b\nc d\n")
    references = ["--reference", write("1", "a x\nc d\n"), "--reference", write("2", "a b\n\n")]
    out = run(hypothesis, *references, "--metrics", "wer")[0]
    assert out.splitlines()[1].split()[1] == "0.00"
    assert "nrefs:var" in out


def test_empty_references_are_counted_and_empty_hypotheses_scored(write):
    hypothesis, reference = write("h", "\na\n"), write("r", "a b\n\n")
    out, err = run(hypothesis, "--reference", reference, "--metrics", "wer,ter,bleu,nist")
    assert err == "1 of 2 references are empty\n"
    # two words missing, one too many: 3 errors for 2 reference words
    assert out.splitlines()[1].split()[1] == "150.00"


def test_all_metrics_that_the_files_allow(files, write):
    record = json.loads(run(*files, "--metrics", "all", "--format", "json")[0])
    names = {metric["metric"] for metric in record["metrics"]}
    assert {"BLEU", "RIBES", "METEOR-exact-stem"} <= names
    assert "PDscore" not in names
    links = write("links", "0-0 1-1\n0-1 1-0\n\n")
    alignments = ["--source-alignment", links, "--source-alignment", links]
    out, _ = run(
        *files, *alignments, "--reference-alignment", links, "--metrics", "all", "--format", "json"
    )
    assert len(json.loads(out)["metrics"]) == len(METRICS)


def test_word_order_of_json_lines(write):
    right = '{"translation": "a b", "alignment": [[0, 0], [1, 1]]}\n'
    wrong = '{"translation": "a b", "alignment": [[0, 1], [1, 0]]}\n'
    hypotheses = [write("right", right), write("wrong", wrong)]
    options = [
        "--reference", write("r", "a b\n"), "--reference-alignment", write("a", "0-0 1-1\n"),
        "--source", write("s", "x y z\n"), "--metrics", "kendall", "--resamples", 0,
    ]  # fmt: skip
    lines = run(*hypotheses, *options)[0].splitlines()
    # source words 0 1 2 against 1 2 0: an unaligned word follows its left neighbour
    assert [line.split()[1] for line in lines[1:3]] == ["100.00", "33.33"]
    stray = write("stray", '{"translation": "a", "alignment": [[3, 0]]}\n')
    refuses(f"{stray}:1: … source word 3", 1, stray, *options)


def test_outputs_of_a_comparison(write):
    # as tuning/comparison/cells.py writes them
    output = Output("a b", [(0, 1), (1, 0)], [(0, 2, 0, 2)])
    path = write("outputs.jsonl", json.dumps(asdict(output)) + "\n")
    options = [
        "--reference", write("r", "a b\n"), "--reference-alignment", write("a", "0-0 1-1\n"),
        "--source", write("s", "x y\n"), "--metrics", "wer,kendall", "--resamples", 0,
    ]  # fmt: skip
    out, _ = run(path, *options)
    assert out.splitlines()[1].split()[1:] == ["0.00", "0.00"]
    stray = write("stray", '{"text": "a", "links": [[0, 1]]}\n')
    refuses(f"{stray}:1: … target word 1", 1, stray, *options)


def test_standard_input(files):
    out, _ = run("-", *files[2:], "--metrics", "wer", input=files[0].read_text())
    assert out.splitlines()[1].split()[:2] == ["-", "14.29"]


def test_metrics_of_order_need_alignments_of_all_systems(files, write):
    links = write("links", "0-0\n\n\n")
    options = [*files[2:], "--metrics", "pdscore", "--reference-alignment", links]
    missing = f"PDscore needs a word alignment for {files[0]} … --source-alignment"
    refuses(missing, 2, files[0], *options)
    lines = '{"translation": "a", "alignment": []}\n' * 3
    refuses("PDscore reads the hypotheses twice", 2, "-", *options, input=lines)


@pytest.mark.parametrize("short", ["hypothesis", "reference", "alignment", "source"])
def test_files_of_different_length(files, write, short):
    links, place = write("links", "0-0\n\n\n"), write("short", "0-0\n")
    refuses(
        f"{place}:2: the file ends here … {files[3]} has 3 lines",
        1,
        place if short == "hypothesis" else files[0],
        *files[2:],
        *("--metrics", "pdscore"),
        *("--reference-alignment", place if short == "reference" else links),
        *("--source-alignment", place if short == "alignment" else links),
        *(("--source", place) if short == "source" else ()),
    )
