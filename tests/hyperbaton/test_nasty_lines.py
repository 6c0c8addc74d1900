"""A hundred lines that are hard to read: each gives one line, translated or named in a message."""

import random

import pytest

from hyperbaton.corpus.raw_text.both_sides import TextPipelines
from hyperbaton.corpus.raw_text.settings import TextSettings
from hyperbaton.foundation.errors import DataError
from hyperbaton.models.system.folder import load_text
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.training import train_system
from tests import command_line
from tests.corpus.raw_text.nasty import PIECES
from tests.tiny_systems import write_corpus

KNOWN = "kare wa hon o katta"
LONG = 500  # characters; a token for each would take long
LINES = [
    "", " ", "\t", "\x0c", "\u2028", "\x85", "\x00", "\ufeff", "\u200b", "\u3000", "\r", "a\rb",
    "\u0301", "\u202ehon\u202c o katta", "\u2067hon\u2069", "hon\u200do",
    "hon\u2028o\u0085katta\x0b.", "１９９５ 年", "hon\x00o", "\x00" * 50, "\ufeffhon",
    "hon \ufeff", ". , ; : ! ?", "...", "。。。", "「」『』", "-" * 500, "(" * 200,
    "||| hon ||| o", "hon|N o|P", "<s> hon </s>", "<unk>", "<UNK> hon", "[X][X] hon [X]",
    "&amp;amp; &#0; &#xD800;", "a" + "\u0301" * 300, "e\u0301\u0323 o\u0323\u0301", "x" * 20_000,
    "京" * 3_000, "😀" * 300, "👩\u200d" * 100, "\u200d" * 100, "\U0010ffff hon", "\ue000\uf8ff",
    "\ufffe\uffff", "ﷺ hon", "ﬁ Å Ω", "İstanbul ı ß ẞ ŉ", "hon " * 300, "(((hon) o) katta",
    "' '' \" \"\" hon", "hon\u00a0o\u202fkatta", "%s %d {} {0} \\n \\", "$(ls) `ls` ; rm",
    "NULL None nan", "0", "-1e999", "1" * 400, "::quit", ":help", "--help", "- hon", "#hon",
    "\x1b[31mhon\x1b[0m", "\x07\x08\x7f",
]  # fmt: skip


def lines():
    """Those, and others that are put together of such pieces, each time the same."""
    choose = random.Random(1)
    more = [
        "".join(choose.choices([*PIECES, " ", " hon ", " o "], k=choose.randrange(1, 40)))
        for _ in range(120 - len(LINES))
    ]
    return [*LINES, *(line.replace("\n", " ") for line in more), " ".join([KNOWN] * 2_000), KNOWN]


@pytest.fixture(scope="module", params=["tokens", "none", "char", "real"])
def system(request, tmp_path_factory):
    """Systems for tokens, and for raw text that is cut in several ways."""
    settings = {
        "tokens": TextSettings(),
        "none": TextSettings("en", "en", "none", "none", "lower", "true", numbers="copy"),
        "char": TextSettings("ja", "ja", "char", "char"),
        "real": TextSettings("ja", "en"),
    }[request.param]
    try:
        if pipelines := TextPipelines.of(settings):
            pipelines.load()
    except DataError as error:
        pytest.skip(str(error).splitlines()[0])
    folder = tmp_path_factory.mktemp("nasty")
    is_cut = request.param in ("char", "real")
    texts = {
        "source": "hon\n" if is_cut else f"{KNOWN}\nhon o yonda\n",
        "target": "hon\n" if is_cut else "he bought a book\nread a book\n",
        "alignment": "0-0\n" if is_cut else "0-0 2-3 4-1\n0-2 2-0\n",
    }
    files = write_corpus(folder, times=1, **texts)
    train_system(files, folder / "m", TrainingSettings(text=settings))
    return folder / "m"


def test_every_line_gives_a_line(system, write, tmp_path):
    has_long_words = load_text(system) is None or load_text(system).source.tokeniser.name == "none"
    given = [line.encode() for line in lines() if has_long_words or len(line) < LONG]
    given[7:7] = [b"\xff\xfe", b"hon \xed\xa0\x80", b"\xc3", b"hon\x80"]  # no UTF-8
    n_bad = 4
    path = write("in", b"".join(line + b"\n" for line in given))
    done = command_line.run(
        "translate", system, path, "--pop-limit", 1, "-o", tmp_path / "out", code=1
    )
    said = done.stderr.splitlines()
    failed = [line for line in said if line.startswith("hyperbaton: sentence")]
    assert [line.split()[2] for line in failed] == [f"{n}:" for n in range(8, 8 + n_bad)]
    assert "unexpected" not in done.stderr
    out = (tmp_path / "out").read_bytes().split(b"\n")
    assert len(out) == len(given) + 1
    assert out[-1] == b""
    assert out[7:11] == [b""] * n_bad


@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_a_last_line_without_an_end_is_a_line(system, write, ending):
    path = write("in", f"\n{KNOWN}{ending}")
    done = command_line.run("translate", system, path)
    first, second, rest = done.stdout.split("\n")
    assert (first, rest) == ("", "")
    assert second
