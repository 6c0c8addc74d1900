"""`hyperbaton rerank`: both steps, and what it refuses."""

import pytest

from hyperbaton.tuning.weights.reranking import read_weights
from tests.command_line import refuses, run

MODULE = """
def overlap(source, hypotheses):
    return [len(set(text.split()) & set(source.lower().split())) for text in hypotheses]


def broken(source, hypotheses):
    raise KeyError(source)
"""


@pytest.fixture
def folder(tmp_path):
    """Eight sentences; the lists prefer what is wrong, the scores and the source know better."""
    references = [f"a{n} b{n} c d e f" for n in range(8)]
    lines, scores = [], []
    for n, reference in enumerate(references):
        lines += [
            f"{n} ||| x y z w v u ||| lm= -1 ||| -1",
            f"{n} ||| {reference} ||| lm= -2 ||| -2",
        ]
        scores += ["-5", "-1"]
    files = {
        "dev.nbest": lines, "dev.scores": scores, "dev.en": references,
        "dev.ja": [reference.upper() for reference in references],
        "own.py": MODULE.splitlines(),
        "test.nbest": ["0 ||| bad ||| lm= -1 ||| -1", "0 ||| good ||| lm= -2 ||| -2 ||| 0-0",
                       "2 ||| only ||| lm= -3 ||| -3"],
        "test.scores": ["-9", "-1", "-1"],
    }  # fmt: skip
    for name, content in files.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in content))
    return tmp_path


def learn(folder, feature, *more, **options):
    return run("rerank", "dev.nbest", "--feature", feature, "--reference", "dev.en",
               "--weights-out", "w.toml", *more, cwd=folder, **options)  # fmt: skip


def test_weights_are_learned_and_used(folder):
    done = learn(folder, "neural=dev.scores", "-o", "dev.out")
    assert "original order       0.00\n" in done.stdout
    assert "reranked           100.00\n" in done.stdout
    assert "best in the lists  100.00\n" in done.stdout
    assert list(read_weights(folder / "w.toml")) == ["score", "lm", "neural"]
    assert (folder / "dev.out").read_text() == (folder / "dev.en").read_text()
    use = ["rerank", "test.nbest", "--feature", "neural=test.scores", "--weights", "w.toml"]
    assert run(*use, cwd=folder).stdout == "good\n\nonly\n"
    listed = run(*use, "--n-best-file", "-", cwd=folder).stdout.splitlines()
    assert [line.rpartition(" ||| ")[0] for line in listed[1:]] == [
        "0 ||| bad ||| lm= -1 neural= -9",
        "2 ||| only ||| lm= -3 neural= -1",
    ]
    assert listed[0].startswith("0 ||| good ||| lm= -2 neural= -1 ||| ")
    assert listed[0].endswith(" ||| 0-0")
    (folder / "test.ja").write_text("a\nb\nc\nd\n")
    assert run(*use, "--source", "test.ja", cwd=folder).stdout == "good\n\nonly\n\n"


def test_results_were_lost_when_the_reader_went_away(folder, monkeypatch):
    def gone(_blocks):
        raise BrokenPipeError

    monkeypatch.setattr("hyperbaton.views.text_tables.print_blocks", gone)
    learn(folder, "neural=dev.scores", "-o", "dev.out")
    assert read_weights(folder / "w.toml")
    assert (folder / "dev.out").read_text() == (folder / "dev.en").read_text()


def test_a_function_of_the_users_own(folder):
    done = learn(folder, "overlap=own:overlap", "--source", "dev.ja")
    assert "reranked           100.00\n" in done.stdout
    done = learn(folder, "overlap=own:broken", "--source", "dev.ja", code=1)
    assert "the plug-in own failed: KeyError" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "facts"),
    [
        ("", 2, "give either --reference, to learn weights, or --weights"),
        ("--reference dev.en --weights w", 2, "give either --reference"),
        ("--reference dev.en -o -", 2, "go to stdout: name files for the lists"),
        ("--weights w --weights-out v", 2, "--weights-out needs --reference"),
        ("--reference test.scores", 1, "has a list of sentence 7 … test.scores has 3 lines"),
        ("--reference dev.en --feature x=test.scores", 1, "has 3 lines"),
        ("--reference dev.en --method mirra", 2, "did you mean mira?"),
        ("--weights dev.en", 2, "dev.en: is not TOML"),
    ],
)
def test_what_is_refused(folder, arguments, code, facts):
    refuses(facts, code, "rerank", "dev.nbest", *arguments.split(), cwd=folder)
