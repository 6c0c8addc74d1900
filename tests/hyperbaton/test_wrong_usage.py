"""What commands refuse before they begin: with an exit code, a message that helps, and no trace."""

import os
import shlex

import pytest

from tests.command_line import refuses

MIXED = "cannot be written: another option names the same file"
NO_TEXT = "give --source and --target, or --forward and --backward"
GIVEN = "needs --source and --target, not --forward"
# The beginnings of commands, and how they go on
REFUSED = {
    "": [
        ("corpsu", 2, "'corpsu' … did you mean corpus?"),
        ("corpus --sauce x", 2, "No such option '--sauce'"),
        ("consensus lists", 2, "'consensus' is now called: hyperbaton rerank --mbr"),
        ("next-word m", 2, "hyperbaton study next-word"),
    ],
    "align": [
        ("", 2, NO_TEXT),
        ("--source x", 2, NO_TEXT),
        ("--backward x", 2, NO_TEXT),
        ("--source x --target y --backward z", 2, "not both"),
        ("--forward - --backward -", 2, "both … standard input … - for at most one of them"),
        ("--forward one --backward two", 1, "one:2: the file ends here … lines as in two"),
        ("--forward two --backward one", 1, "one:2: the file ends here … lines as in two"),
    ],
    "align --source x --target y": [
        ("--samplers 0", 2, "0 is not in the range"),
        ("--length 0", 2, "0.0 is not in the range"),
        ("--length nan", 2, "nan is not a finite number"),
        ("--length inf", 2, "inf is not a finite number"),
        ("--out a --forward-out a", 2, f"a {MIXED}"),
        ("--save-priors -", 2, f"- {MIXED}"),
    ],
    "align --forward x --backward y": [
        ("--symmetrise grow-dig", 2, "'grow-dig' is not one of"),
        ("--leave-out the", 2, f"--leave-out {GIVEN}"),
        ("--save-priors z", 2, f"--save-priors {GIVEN}"),
        ("--samplers 3", 2, f"--samplers {GIVEN}"),
        ("--source-language ja", 2, f"--source-language {GIVEN}"),
        ("--out ./x", 2, f"x {MIXED}"),
        ("--out link", 2, MIXED),
        ("--out nowhere/a", 1, "nowhere: no such folder"),
        ("--out .", 1, ".: is a folder, not a file"),
    ],
    "study learners": [
        ("", 2, "give --source, --target and --alignment, or --sample"),
        ("--sample ja-em", 2, "no sample 'ja-em'"),
        ("--source a --target b --alignment c", 1, "no such file"),
    ],
    "study learners --sample ja-en": [
        ("--source x", 2, "give either --sample or corpus files"),
        ("--learners ,", 2, "--learners is empty"),
        ("--learners mma", 2, "no learner 'mma'"),
        ("--classes 4", 2, "4 orientation classes of distance are not possible"),
        ("--sizes many", 2, "'many' is not a list of whole numbers"),
        ("--sizes 99999", 2, "99999 training sentences are not available"),
        ("--feature-set nj", 2, "unknown feature set 'nj'"),
        ("--out new.csv --out ./new.csv", 2, MIXED),
        ("--out new.txt", 2, ".csv or .json"),
    ],
    "compare": [
        ("", 2, "give either CONFIG or --sample"),
        ("c.toml --sample ja-en", 2, "give either CONFIG or --sample"),
        ("--sample ja-en --preset nobody", 2, "'nobody' is not one of"),
        ("--sample ja-en --replicas 0", 2, "0 is not in the range"),
    ],
    "corpus": [
        ("", 2, "give --source and --target, or --sample"),
        ("--source x", 2, "give --source and --target, or --sample"),
        ("--sample ja-em", 2, "'ja-em' … did you mean ja-en?"),
        ("--source x --target y --split train", 2, "--split needs --sample"),
        ("--source x --target y --plot x", 2, MIXED),
        ("--source nothing --target nothing --plot d.pgn", 1, "d.pgn: .pgn"),
        ("--source . --target x", 1, ".: is a folder, not a file"),
        ("--source tow --target x", 1, "tow: no such file … did you mean two?"),
    ],
    "corpus --sample ja-en": [
        ("--source x", 2, "give either --sample or corpus files"),
        ("--alignment x", 2, "give either --sample or corpus files"),
        ("--show 0 --format json", 2, "remove --format json"),
        ("--show 0 --plot x.png", 2, "--show prints pairs as text"),
        ("--split tset", 2, "'tset' … did you mean test?"),
        ("--set corpus.skip=1", 2, "did you mean corpus.skip_bad?"),
    ],
    "evaluate": [
        ("h", 2, "Missing option '--reference'"),
        ("--reference r", 2, ""),
        ("x --reference y --per-sentence hard", 2, MIXED),
        ("missing --reference missing --plot s.pgn", 1, "s.pgn: … did you mean png?"),
    ],
    "evaluate one two --reference two": [
        ("--metrics blue", 2, "'blue' … did you mean bleu?"),
        ("--tokenize 14a", 2, "'14a' … did you mean 13a?"),
        ("--significance-test sign", 2, "'sign' is not one of"),
        ("--resamples -1", 2, "-1 is not in the range"),
        ("--seed -1", 2, "-1 is not in the range"),
        ("--format html", 2, "'html' is not one of"),
        ("--reference - --baseline -", 2, "several files cannot be standard input"),
        ("--source-alignment x", 2, "1 alignments for 2 … one --source-alignment per file"),
        ("--metrics pdscore", 2, "PDscore needs --reference-alignment"),
    ],
    "explain m": [
        ("''", 2, "the sentence is empty … hyperbaton explain"),
        ("", 2, "give a sentence, or --input FILE"),
        ("hon --input x", 2, "give a sentence, or --input FILE"),
        ("hon --source-tags x", 2, "--source-tree need --input"),
        ("hon --plot x.gif", 1, "x.gif: .gif is not a picture format"),
        ("hon --distortion-limit far", 2, "'far' is not a number of words or inf"),
        ("hon --distortion lineal", 2, "did you mean linear?"),
        ("hon --plot a.svg --heat-map a.svg", 2, MIXED),
    ],
    "export": [("nothing --out new", 1, "nothing: is not a folder with a trained system")],
    "diagnose m --source x --reference x": [
        ("--reference x", 2, "need --oracle-bleu"),
        ("-o new", 2, "need --oracle-bleu"),
    ],
    "info": [
        ("--learned all", 2, "--learned needs a SYSTEM"),
        ("m --tag VV", 1, "the system has no distortion model parse"),
        ("m --format csv", 2, "--format csv needs --learned"),
    ],
    "rerank": [
        ("one two --weights x", 2, "need --mbr"),
        ("one --mbr-scale 3 --weights x", 2, "need --mbr"),
        ("--mbr one --weights x", 2, "--mbr takes only lists"),
    ],
    "sample": [
        ("ja-em --out new", 2, "'ja-em' is not one of"),
        ("ja-en", 2, "Missing option '-o'"),
        ("ja-en --lines 0 --out new", 2, "0 is not in the range"),
    ],
    "import": [("nothing.ini --out new", 1, "nothing.ini: no such file")],
    "study next-word m": [
        ("", 2, "give --source, --target and --alignment, or --sample"),
        ("--sample ja-en --source x", 2, "give either --sample or corpus files"),
        ("--sample ja-en --top-weights 3 --format csv", 2, "--top-weights prints text"),
        ("--sample ja-en --plot x.gif", 1, "x.gif: .gif is not a picture format"),
        ("--sample ja-en", 1, "no model of the next source word … linear … --distortion sequence"),
        ("--source x --target y --plot ./x", 2, MIXED),
    ],
    "trees": [("two", 2, "--language")],
    "prune": [("none --top 3", 1, "is not a folder with a trained system")],
    "train": [
        ("", 2, "Missing option '-o' / '--out'"),
        ("--out ''", 2, "the file name is empty"),
        ("--out new", 2, "give --source, --target and --alignment"),
        ("--out new --threads 0", 2, "0 is not in the range x>=1"),
    ],
    "train --out new --source two --target two --alignment two": [
        ("--source-language ja", 2, "text.target_language is missing")
    ],
    "translate m": [
        ("--n-best 3", 2, "--n-best needs --n-best-file or --format json"),
        ("--format json --n-best-file -", 2, "json also writes to stdout: give -o"),
        ("--distortion-limit far", 2, "'far' is not a number of words or inf"),
        ("--distortion-limit -7", 2, "'-7' is not a number of words or inf"),
        ("nothing.txt", 1, "nothing.txt: no such file"),
        ("--only source-tokens", 1, "takes tokenised text and has no tokeniser"),
        ("--set search.options=99", 2, "search.options is 99"),
        ("--time-limit -1", 2, "-1.0 is not in the range x>=0"),
        ("--force two --order two", 2, "--force and --order exclude each other"),
        ("-o new --n-best-file ./new", 2, MIXED),
        ("x -o link", 2, MIXED),
        ("-o - --lattice -", 2, MIXED),
        ("--n-best-file - --lattice -", 2, MIXED),
    ],
    "tune": [
        ("none --source two --reference two", 1, "is not a folder with a trained system"),
        ("m --source x --reference y --plot x", 2, MIXED),
    ],
}


@pytest.fixture
def folder(model):
    """The system `m`, and files; of some there are several names."""
    place = model.parent
    if not (place / "x").exists():
        for name, text in {"x": "hon\n", "one": "0-0\n", "two": "0-0\n1-1\n"}.items():
            (place / name).write_text(text)
        (place / "link").symlink_to("x")
        os.link(place / "x", place / "hard")
        (place / "new-link").symlink_to("new")
    return place


def content(folder):
    """All that is there, but for locks."""
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix != ".lock"]
    return {path: path.read_bytes() if path.is_file() else b"" for path in paths}


@pytest.mark.usefixtures("shared_samples")
@pytest.mark.parametrize(
    ("command", "code", "facts"),
    [(f"{start} {rest}", *how) for start, rows in REFUSED.items() for rest, *how in rows],
)
def test_refused(folder, command, code, facts):
    before = content(folder)
    refuses(facts, code, *shlex.split(command), cwd=folder)
    assert content(folder) == before
