"""`hyperbaton translate --lattice` and `--stats`: what the search did, for the user."""

import json
import shutil
from types import SimpleNamespace

import pytest

from hyperbaton.commands.translate import Translate
from hyperbaton.decoder.translator import Translator
from hyperbaton.models.system.folder import read_system, write_weights
from tests import command_line
from tests.refusals import states


def run(model, *arguments):
    return command_line.run("translate", model, *arguments, input="hon o katta\n\nkare wa\n")


def test_lattices_are_written_sentence_by_sentence(model, tmp_path):
    path = tmp_path / "lattice.txt"
    result = run(model, "--lattice", path, "--format=json", "--threads", 2)
    scores = [json.loads(line)["score"] for line in result.stdout.splitlines()]
    lines = path.read_text().splitlines()
    roots = [line for line in lines if " hyp=0 " in line]
    assert [int(line.split()[0]) for line in roots] == [0, 2]  # nothing of an empty line
    best = [float(line.rpartition("fscore=")[2]) for line in roots]
    assert best == pytest.approx([scores[0], scores[2]], rel=1e-5)
    numbers = [int(line.split()[0]) for line in lines]
    assert numbers == sorted(numbers)


def test_statistics_are_the_sum_of_what_json_says(model):
    result = run(model, "--stats", "--format=json")
    counts = [json.loads(line)["search"] for line in result.stdout.splitlines()]
    assert result.stderr.startswith("3 sentences in ")
    table = {line[:14].strip(): line[14:].split() for line in result.stderr.splitlines()[1:]}
    for name in ("words", "pops", "hypotheses", "lm_words"):
        total = sum(count[name] for count in counts)
        assert table[name.replace("_", " ")][0] == f"{total:,}"
    assert table["words"][0] == "5"
    assert table["largest stack"] == [str(max(count["largest_stack"] for count in counts))]


def translate(model, *arguments, lines="kare wa hon o katta\nhon o katta\n", **options):
    return command_line.run("translate", model, *arguments, input=lines, **options)


def test_a_time_limit_is_reported(model):
    done = translate(model, "--time-limit", 1e-9, "--format=json", "--stats")
    assert "sentence 2: time limit reached: the beam was narrowed for 3 of 3 words" in done.stderr
    assert [json.loads(line)["search"]["narrowed"] for line in done.stdout.splitlines()] == [5, 3]
    table = {line[:14].strip(): line[14:].split() for line in done.stderr.splitlines()}
    assert table["narrowed"][0] == "8"
    done = command_line.run("explain", model, "hon o katta", "--time-limit", 1e-9)
    assert done.stderr == "time limit reached: the beam was narrowed for 3 of 3 words\n"
    assert translate(model, "--time-limit", 1000).stderr == ""


def test_requests_are_read_line_by_line(model, write):
    done = translate(model, "--distortion-limit", "inf", "--format=json")
    scores = [json.loads(line)["score"] for line in done.stdout.splitlines()]
    best = [json.loads(line)["translation"] for line in done.stdout.splitlines()]
    own = write("own", "\n".join(best) + "\n")
    done = translate(model, "--force", own, "--distortion-limit", "inf", "--format=json")
    forced = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["translation"] for one in forced] == best
    assert [one["score"] for one in forced] == pytest.approx(scores)
    done = translate(model, "--prefix", write("prefix", "a book\nbought\n"))
    assert [line.split()[:1] for line in done.stdout.splitlines()] == [["a"], ["bought"]]
    done = translate(model, "--order", write("order", "2-3 0-1 4\n0-1 2\n"), "--format=json")
    visited = [json.loads(line)["segmentation"] for line in done.stdout.splitlines()]
    start, end = visited[0][0][:2]
    assert {2, 3} & set(range(start, end))
    assert visited[1][-1][1] == 3


def test_the_order_of_a_reference(model, write):
    links = write("links", "0-0 2-3 4-1\n2-0 0-1\n")  # the verb comes before its object
    done = translate(model, "--oracle", links, "--distortion-limit", "inf", "--format=json")
    for line, (verb, noun) in zip(done.stdout.splitlines(), [(4, 2), (2, 0)], strict=True):
        result = json.loads(line)
        phrases = [range(*span[:2]) for span in result["segmentation"]]
        places = [next(k for k, own in enumerate(phrases) if word in own) for word in (verb, noun)]
        assert places == sorted(places)
        assert result["features"]["oracle"] == 0.0
    done = translate(model, "--oracle", write("wrong", "0-0\n7-0\n"), code=1)
    assert "wrong:2: the link 7-0 is outside a sentence of 3 words" in done.stderr


def test_what_cannot_be_said_is_named(model, write):
    done = translate(model, "--force", write("wanted", "he bought a book now\nbought a book\n"))
    assert done.stdout == "he bought a book\nbought a book\n"
    assert (
        'sentence 1: the system cannot produce this; the closest translation omits "now"\n'
        in done.stderr
    )


@pytest.mark.parametrize(
    ("option", "text", "facts"),
    [
        ("--force", "a\n", "wanted: the file ends after 1 lines"),
        ("--force", "a\nb\nc\n", "more requests than sentences"),
        ("--order", "0\n1-\n", "wanted:2: '1-' is not a span of words"),
        ("--order", "0-9\n0\n", "sentence 1: the span 0-9 is outside the sentence of 5 words"),
        ("--prefix", "no\nbought\n", "sentence 1: no translation was found"),
    ],
)
def test_wrong_requests(model, write, option, text, facts):
    done = translate(model, option, write("wanted", text), code=1)
    assert states(done.stderr, facts)
    assert "Traceback" not in done.stderr


def test_minimum_bayes_risk(model, tmp_path):
    lists = tmp_path / "lists"
    translate(model, "--n-best", 30, "--n-best-file", lists, "--distortion-limit", "inf")
    mbr = translate(model, "--mbr", "--n-best", 30, "--distortion-limit", "inf")
    weights = [0.2] * 4 + [0.2, 1.2, 0.5, 0.3] + [0.3] * 6  # the starting weights
    scale = 20 / sum(weights)
    same = command_line.run("rerank", "--mbr", lists, "--mbr-scale", scale)
    assert mbr.stdout == same.stdout
    lattice = translate(model, "--mbr-lattice", "--distortion-limit", "inf", "--mbr-scale", 1e4)
    surest = command_line.run("rerank", "--mbr", lists, lists, "--mbr-scale", 1e4)
    best = {}
    for line in lists.read_text().splitlines():
        best.setdefault(line.split(" ||| ")[0], line.split(" ||| ")[1])
    assert surest.stdout.splitlines() == list(best.values())
    # where one translation is as good as certain, it gains most
    assert lattice.stdout.splitlines() == list(best.values())


def test_the_scale_of_the_system_or_the_one_that_is_given(model, tmp_path):
    folder = shutil.copytree(model, tmp_path / "m")
    weights = read_system(folder)["weights"]
    size = sum(abs(weight) for name, weight in weights.items() if name != "unknown")
    translator = Translator.load(folder)
    assert Translate(model=folder).relative_scale(translator) == pytest.approx(20 / size)
    write_weights(folder, {}, 6, {}, 5.0)
    assert Translate(model=folder).relative_scale(translator) == pytest.approx(5 / size)
    given = Translate(model=folder, mbr_scale=7.0)
    assert given.relative_scale(translator) == pytest.approx(7 / size)
    one, other = translate(folder, "--mbr"), translate(model, "--mbr", "--mbr-scale", 5)
    assert one.stdout == other.stdout


@pytest.mark.parametrize(
    ("settings", "n_best"),
    [({}, 1), ({"mbr": True}, 100), ({"mbr": True, "n_best": 5}, 5), ({"n_best": 5}, 5)],
)
def test_how_many_translations_of_a_sentence_are_searched_for(model, settings, n_best):
    files = SimpleNamespace(streams=[None] * 3)
    search = Translate(model=model, **settings).search(Translator.load(model), files)
    assert search.n_best == n_best
