import sys

from hyperbaton import console


def test_no_progress_without_a_terminal(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: False)
    with console.progress_line() as progress:
        assert progress is None


def test_progress_on_a_terminal_waits_and_then_shows_count_and_rate(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    with console.progress_line() as progress:
        progress("reading pairs", 1)
    assert "reading" not in capsys.readouterr().err
    monkeypatch.setattr(console, "PATIENCE", -1.0)
    with console.progress_line() as progress:
        progress("reading pairs", 1234)
    captured = capsys.readouterr()
    assert "reading pairs: 1,234 (" in captured.err
    assert captured.out == ""
