"""What the documents show is true: files are written, commands run, outputs compared.

In a `console` block every line after `$ ` is run by a shell; the lines below it are what it must
print, `...` standing for anything. A block `text file=NAME` is a file that the commands of the
document find.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", ROOT / "data_samples/README.md", *sorted(ROOT.glob("docs/*.md"))]
BLOCK = re.compile(r"^```(\w+)(?: file=(\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:)([^)#]+)")


def commands(block):
    """Each command with the output that the document shows."""
    for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


def as_pattern(output):
    lines = [".*" if line == "..." else re.escape(line) for line in output.splitlines()]
    return "\n".join(lines)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_prints_what_is_shown(document, tmp_path):
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for kind, file_name, content in BLOCK.findall(document.read_text(encoding="utf-8")):
        if file_name:
            (tmp_path / file_name).write_text(content, encoding="utf-8")
        elif kind == "console":
            for command, shown in commands(content):
                if command.startswith(("make ", "git ")):
                    assert command.startswith("git ") or command.split()[1] in targets
                    continue
                result = subprocess.run(
                    command,
                    shell=True,
                    cwd=tmp_path,
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert result.returncode == 0, f"{command}\n{result.stderr}"
                if shown:
                    printed = result.stdout.rstrip("\n")
                    assert re.fullmatch(as_pattern(shown), printed, re.DOTALL), printed


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(document):
    for target in LINK.findall(document.read_text(encoding="utf-8")):
        assert (document.parent / target).exists(), target


def test_documents_have_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = [command for _, _, block in BLOCK.findall(text) for command, _ in commands(block)]
    assert {"make demo", "make test"} <= set(shown)
