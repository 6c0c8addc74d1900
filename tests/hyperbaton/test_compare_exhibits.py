"""The papers' other experiments at the end of `hyperbaton compare`: printed, kept, shown."""

import json
import re
from dataclasses import replace

import pytest

from hyperbaton.commands.compare import run_comparison
from hyperbaton.tuning.comparison import run
from hyperbaton.tuning.comparison.configuration import ComparedSystem
from hyperbaton.tuning.report.results_folder import complete
from tests.tuning.comparison.tiny import LEX, LINEAR, in_this_process, tiny_configuration

QUICK = "prior=8,passes=3"
SYSTEMS = (
    ComparedSystem("PAIR", (f"pair,{QUICK}",)),
    ComparedSystem("SEQUENCE", (f"sequence,{QUICK}",)),
)


@pytest.fixture(autouse=True)
def serial(monkeypatch):
    monkeypatch.setattr(run, "run_jobs", in_this_process)


def test_far_moves_are_printed_kept_and_shown(tmp_path, capsys):
    configuration = tiny_configuration(tmp_path, SYSTEMS)
    out = tmp_path / "out"
    run_comparison(complete(configuration, "goto"), out, 1)
    first = capsys.readouterr()
    lines = first.out.splitlines()
    begin = lines.index("The next source word (Goto et al. 2013, Figure 5)")
    # the claims about translations come before
    assert any("SEQUENCE beats PAIR in BLEU" in line for line in lines[:begin])
    head = lines.index("test: average probability by distance, as in Figure 5")
    assert lines[head + 1].split("  ")[-1].strip() == "corpus, all moves"
    assert lines[head + 1].split()[:4] == ["distance", "pair", "sequence", "corpus"]
    assert [line.split()[0] for line in lines[head + 2 : head + 43]] == [
        str(distance) for distance in range(-20, 21)
    ]
    quality = next(n for n, line in enumerate(lines) if re.match(r"test: \d+ sentences, ", line))
    assert [line.split()[0] for line in lines[quality + 2 : quality + 6]] == [
        "uniform", "distance", "pair", "sequence"
    ]  # fmt: skip
    assert lines[-2].startswith("Goto et al. 2013, Figure 5: sequence follows the corpus")
    assert lines[-1].startswith("Verdicts at p < 0.05")
    assert f"{out}/exhibits.json" in first.err.replace("\n", "")
    [record] = json.loads((out / "exhibits.json").read_text(encoding="utf-8"))
    assert record["name"] == "next_word"
    assert '<section id="next_word">' in (out / "report.html").read_text(encoding="utf-8")

    kept = {name: (out / name).read_bytes() for name in ("exhibits.json", "results.json")}
    run_comparison(complete(configuration, "goto"), out, 2)
    second = capsys.readouterr()
    assert second.out == first.out
    assert "exhibit_next_word: nothing has changed" in second.err
    assert kept == {name: (out / name).read_bytes() for name in kept}


def test_what_the_data_does_not_allow_is_named(tmp_path, capsys):
    configuration = tiny_configuration(tmp_path, (LINEAR, LEX))
    configuration = replace(configuration, preset="goto")
    run_comparison(complete(configuration), tmp_path / "out", 1)
    captured = capsys.readouterr()
    assert "Figure 5" not in captured.out
    said = " ".join(captured.err.split())
    title = "The next source word (Goto et al. 2013, Figure 5)"
    assert f"{title} is skipped: no system has a model" in said
    assert not (tmp_path / "out" / "exhibits.json").exists()
