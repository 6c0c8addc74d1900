"""The recipe "Add a command" of docs/extend/development.md works as it is written."""

import re
import shlex
from pathlib import Path

import pytest

from hyperbaton import commands
from hyperbaton import main as frame

DOCUMENT = Path(__file__).parent.parent.parent / "docs/extend/development.md"
TEXTS = {"train.en": "the dog saw the cat\nThe dog sat .\n", "empty.en": "\n"}


def test_the_command_prints_what_the_recipe_shows(tmp_path, monkeypatch, capsys):
    document = DOCUMENT.read_text(encoding="utf-8")
    [code] = re.findall(r'^```python title="count.py"\n(.*?)^```$', document, re.M | re.S)
    [(name, place)] = re.findall(r'^    "(\S+)": "(\S+)",$', document, re.M)
    [shown] = re.findall(r"^```text\n(\$ .*?)^```$", document, re.M | re.S)
    (tmp_path / "count.py").write_text(code, encoding="utf-8")
    monkeypatch.setattr(commands, "__path__", [*commands.__path__, str(tmp_path)])
    monkeypatch.setitem(frame.COMMANDS, name, place)
    monkeypatch.chdir(tmp_path)
    for text, content in TEXTS.items():
        Path(text).write_text(content)
    tried = re.findall(r"^\$ hyperbaton (.*)\n((?:(?!\$ ).*\n)*)", shown, re.M)
    codes = []
    for arguments, printed in tried:
        with pytest.raises(SystemExit) as stop:
            frame.main(shlex.split(arguments))
        codes.append(stop.value.code)
        captured = capsys.readouterr()
        assert captured.out + captured.err == printed
    assert codes == [0, 1]
    monkeypatch.delitem(frame.cli.commands, name)
