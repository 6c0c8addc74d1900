import sys

import numpy as np
import pytest

from tuning.comparison import peak_memory
from tuning.comparison.peak_memory import begin_peak, peak_megabytes


@pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot begin a peak anew")
def test_a_peak_begins_anew():
    np.ones(25_000_000)  # 200 MB, gone at once
    high = peak_megabytes()
    begin_peak()
    low = peak_megabytes()
    if low > high - 50:
        pytest.skip("this system does not let processes begin a peak anew")
    assert low < high - 100


def test_without_proc_it_is_the_peak_of_the_process(monkeypatch, tmp_path):
    monkeypatch.setattr(peak_memory, "_STATUS", tmp_path / "none")
    monkeypatch.setattr(peak_memory, "_CLEAR", tmp_path / "none" / "none")
    begin_peak()
    before = peak_megabytes()
    kept = np.ones(50_000_000)  # 400 MB
    assert peak_megabytes() >= before
    assert peak_megabytes() > kept.nbytes / 1024**2
