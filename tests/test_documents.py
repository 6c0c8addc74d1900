"""What the documents show is true: files are written, commands run, outputs compared.

In a `console` block every line after `$ ` is run by a shell; the lines below it are what it must
print, `...` standing for any lines, or none. In the last digit of a decimal number they may differ
by one, because there the processor may decide. A command may go on in the next, indented line after
a backslash, here and in `sh` blocks. A block `text title="NAME"` is a file that the
commands of the document find, and a `python` block without a name is run where it stands.

An `sh` block is about files of the reader's own: its commands are run on small ones with the same
names, and must end well. Commands that take long are only read (tests/test_advice.py).
"""

import gzip
import io
import json
import os
import re
import runpy
import shlex
import subprocess
import sys
from contextlib import chdir, redirect_stdout
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from unittest.mock import patch

import pytest

from hyperbaton.samples import sample_files
from tests import command_line
from tests.tuning.comparison.tiny import in_this_process

ROOT = Path(__file__).parent.parent
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "data_samples/README.md",
    *sorted(ROOT.glob("docs/**/*.md")),
]
BLOCK = re.compile(r'^```(\w+)(?: title="(\S+)")?\n(.*?)^```$', re.MULTILINE | re.DOTALL)
DECIMAL = re.compile(r"\d+\.\d+")
COMPARISON = """
limits = [6]
[train]
source = "train.ja"
target = "train.en"
alignment = "train.align"
[dev]
source = "dev.ja"
references = ["dev.en"]
[[test]]
source = "test.ja"
references = ["test.en"]
[[system]]
name = "LINEAR"
distortion = ["linear"]
[tune]
method = "none"
"""
# nothing in it is for the shell but a sentence that is given
PLAIN = re.compile(r"(?:echo \"([^\"$`\\]*)\" \| )?hyperbaton ([^|<>;&$*`]*)")
SCRIPT = re.compile(r"python (\w+\.py)")
CONTINUED = re.compile(r" \\\n +")  # a command over several lines
GUIDES = ("see", "use", "understand", "extend")
WIDEST = 100  # columns of a command; a longer one goes on in the next line
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def commands(block):
    """Each command with the output that the document shows."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = CONTINUED.sub(" ", part).partition("\n")
        yield command, output


def agrees(shown, printed):
    """Whether printed lines are those that are shown."""
    if not shown:
        return not printed
    if shown[0] == "...":
        return any(agrees(shown[1:], printed[n:]) for n in range(len(printed) + 1))
    return bool(printed) and same_line(shown[0], printed[0]) and agrees(shown[1:], printed[1:])


def same_line(shown, printed):
    if DECIMAL.sub("0.0", shown) != DECIMAL.sub("0.0", printed):
        return False
    return all(
        abs(Decimal(one) - Decimal(other)) <= Decimal(10) ** -min(map(n_digits, (one, other)))
        for one, other in zip(DECIMAL.findall(shown), DECIMAL.findall(printed), strict=True)
    )


def n_digits(decimal):
    return len(decimal.partition(".")[2])


def run(command, folder):
    """Standard output of a command that must end well."""
    if plain := PLAIN.fullmatch(command):
        given, arguments = plain.groups()
        text = "" if given is None else f"{given}\n"
        return run_here(shlex.split(arguments, comments=True), folder, text)
    if script := SCRIPT.fullmatch(command):
        return run_script(folder / script[1])
    result = subprocess.run(
        command,
        shell=True,
        cwd=folder,
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, f"{command}\n{result.stderr}"
    return result.stdout


def run_here(arguments, folder=".", given=""):
    """The same inside this process."""
    return command_line.run(*arguments, cwd=folder, input=given).stdout


def run_script(path):
    """What a Python program prints; it finds its neighbours, and leaves none of them behind."""
    known = set(sys.modules)
    try:
        with (
            chdir(path.parent),
            patch("sys.path", [str(path.parent), *sys.path]),
            redirect_stdout(io.StringIO()) as printed,
        ):
            runpy.run_path(str(path), run_name="__main__")
    finally:
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None)
            if file and Path(file).parent == path.parent:
                del sys.modules[name]
    return printed.getvalue()


def can_be_run(command):
    """Whether that is possible here, and does not take minutes."""
    needs_eflomal = "hyperbaton align --source" in command
    needs_ginza = "hyperbaton trees" in command
    return not (
        command.startswith("pip ")
        or "--preset" in command
        or (needs_eflomal and find_spec("eflomal") is None)
        or (needs_ginza and find_spec("ja_ginza") is None)
    )


def hurry(patch):
    """For results that nobody looks at: eflomal samples as little as it can, and the pictures of
    tunings are not drawn (tests/hyperbaton/test_tune.py looks at those)."""
    patch.setattr("hyperbaton.views.tuning_text.plot_tuning", lambda *_: None)
    if find_spec("eflomal") is not None:
        import eflomal

        least = {"n_samplers": 1, "rel_iterations": 0.01}
        align = eflomal.align
        patch.setattr(eflomal, "align", lambda *given, **how: align(*given, **how | least))


def stand_in(command, folder):
    """Instead of an aligner that is not installed: the first words of all pairs are linked."""
    words = shlex.split(command)
    source, out = (folder / words[words.index(name) + 1] for name in ("--source", "--out"))
    out.write_text("0-0\n" * len(source.read_text(encoding="utf-8").splitlines()))


def own_files(folder):
    """Gives the reader a small corpus and a comparison, where the document has none."""
    sizes = {"train": 60, "dev": 5, "test": 10, "new": 5}
    taken_from = {"train": "train", "dev": "dev", "test": "test", "new": "dev"}
    texts = {}
    for split, n in sizes.items():
        files = sample_files("ja-en", taken_from[split])
        for ending, path in (
            ("ja", files.source), ("en", files.target), ("align", files.alignment),
            ("ja.tags", files.source_tags), ("ja.trees", files.source_tree),
        ):  # fmt: skip
            with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as stream:
                texts[f"{split}.{ending}"] = b"".join(stream.readlines()[:n])
    texts["my-comparison.toml"] = COMPARISON.encode()
    texts["one.nbest"] = texts["other.nbest"] = b"0 ||| a b ||| lm= -1 ||| -2\n"
    texts |= reranking_files(texts) | raw_files(texts)
    for name, text in texts.items():
        if not (folder / name).exists():
            (folder / name).write_bytes(text)


def reranking_files(texts):
    """Lists of every reference and its mirror image, scores for them, and weights."""
    found = {"rerank.toml": b"format = 1\n[weights]\nscore = 1\nlm = 0\nneural = 1\n"}
    for split in ("dev", "test"):
        found[f"{split}.scores"] = b"1\n0\n" * len(texts[f"{split}.en"].splitlines())
        found[f"{split}.nbest"] = b"".join(
            b"%d ||| %s ||| lm= -1 ||| -2\n" % (number, b" ".join(words[::step]))
            for number, line in enumerate(texts[f"{split}.en"].splitlines())
            for words in [line.split()]
            for step in (1, -1)
        )
    return found


def raw_files(texts):
    """The training text as it might come from elsewhere; Japanese has kana there."""
    kana = [f"これは{number}。" for number in range(60)]
    english = texts["train.en"].decode().splitlines()
    pairs = list(zip(kana, english, strict=True))
    files = {
        "raw.ja": kana,
        "raw.en": english,
        "raw.tsv": ["\t".join(pair) for pair in pairs],
        "raw.jsonl": [json.dumps({"translation": {"ja": ja, "en": en}}) for ja, en in pairs],
    }
    return {name: "".join(f"{line}\n" for line in own).encode() for name, own in files.items()}


@pytest.mark.usefixtures("shared_stages")
@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_command_prints_what_is_shown(document, tmp_path, monkeypatch):
    monkeypatch.setattr("hyperbaton.tuning.comparison.run.run_jobs", in_this_process)
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for kind, file_name, content in BLOCK.findall(document.read_text(encoding="utf-8")):
        if file_name:
            (tmp_path / file_name).write_text(content, encoding="utf-8")
        elif kind == "console":
            for command, shown in commands(content):
                if command.startswith(("make ", "git ")):
                    assert command.startswith("git ") or command.split()[1] in targets
                    continue
                if not can_be_run(command):
                    stand_in(command, tmp_path)
                    continue
                printed = run(command, tmp_path).rstrip("\n")
                assert not shown or agrees(shown.splitlines(), printed.splitlines()), printed
        elif kind == "python":
            (tmp_path / "block.py").write_text(content, encoding="utf-8")
            run_script(tmp_path / "block.py")
        elif kind == "sh":
            own_files(tmp_path)
            with monkeypatch.context() as patched:
                hurry(patched)
                for command in CONTINUED.sub(" ", content).splitlines():
                    if can_be_run(command):
                        run(command, tmp_path)


def command_lines(document):
    """The lines of all commands: of `sh` blocks, and after `$ ` in others."""
    for kind, _, content in BLOCK.findall(document):
        goes_on = False
        for line in content.splitlines():
            is_command = goes_on or kind == "sh" or line.startswith("$ ")
            goes_on = is_command and line.endswith(" \\")
            if is_command:
                yield line


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_fit_the_page(document):
    lines = command_lines(document.read_text(encoding="utf-8"))
    assert not [line for line in lines if len(line) > WIDEST]


def test_all_lines_of_commands_are_found():
    document = "```console\n$ a \\\n    b\nprinted\n$ c\n```\n```sh\nd \\\n    e\nf\n```\n"
    assert list(command_lines(document)) == ["$ a \\", "    b", "$ c", "d \\", "    e", "f"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_lead_somewhere(document):
    for target in LINK.findall(document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), target


@pytest.mark.parametrize(
    ("shown", "printed", "expected"),
    [
        ("a 1.250", "a 1.251", True),
        ("a 1.250", "a 1.25", True),
        ("a 1.250", "a 1.252", False),
        ("a 1.250", "b 1.250", False),
        ("a 12", "a 13", False),
        ("a\n...\nc", "a\nb\nb\nc", True),
        ("a\n...\nc", "a\nc", True),
        ("a\n...", "a", True),
        ("a", "a\nb", False),
        ("a\nb", "a", False),
    ],
)
def test_what_counts_as_the_same(shown, printed, expected):
    assert agrees(shown.splitlines(), printed.splitlines()) == expected


def test_a_command_may_have_several_lines():
    block = "$ a --b c \\\n    --d e \\\n    | f\nprinted\n\\\n$ g\n"
    assert list(commands(block)) == [("a --b c --d e | f", "printed\n\\\n"), ("g", "")]


def test_documents_have_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = [command for _, _, block in BLOCK.findall(text) for command, _ in commands(block)]
    assert {"make demo", "make test"} <= set(shown)


def test_the_site_is_built_without_a_warning(tmp_path):
    """Among them links and anchors that lead nowhere, and pages that the menu lacks."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", tmp_path]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not [page for page in tmp_path.rglob("*.html") if "```" in page.read_text()]


def test_guides_stay_short():
    """Words outside of examples, of the pages that people read rather than look up."""
    guides = [page for door in GUIDES for page in (ROOT / "docs" / door).glob("*.md")]
    texts = [BLOCK.sub("", page.read_text(encoding="utf-8")) for page in guides]
    assert sum(bool(re.search(r"\w", word)) for text in texts for word in text.split()) <= 20_000
