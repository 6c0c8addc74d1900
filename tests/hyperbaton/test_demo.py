import subprocess
import sys


def test_the_demo_trains_translates_and_is_quick_the_second_time(tmp_path):
    command = [sys.executable, "-m", "hyperbaton", "demo", "--out", str(tmp_path / "demo")]
    first, second = (
        subprocess.run(command, capture_output=True, text=True, check=True) for _ in range(2)
    )
    assert first.stdout == second.stdout
    assert first.stdout.count("test BLEU with untuned weights: ") == 2
    scores = [float(line.split(": ")[1]) for line in first.stdout.splitlines() if "BLEU" in line]
    assert min(scores) > 20
    assert second.stderr.count("nothing has changed") == 8
