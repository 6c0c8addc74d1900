import ctypes
import resource
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from hyperbaton.foundation.work import process_usage
from hyperbaton.foundation.work.process_usage import (
    begin_peak,
    give_back_memory,
    peak_megabytes,
    used_by_all,
)


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
    monkeypatch.setattr(process_usage, "_STATUS", tmp_path / "none")
    monkeypatch.setattr(process_usage, "_CLEAR", tmp_path / "none" / "none")
    begin_peak()
    before = peak_megabytes()
    kept = np.ones(50_000_000)  # 400 MB
    assert peak_megabytes() >= before
    assert peak_megabytes() > kept.nbytes / 1024**2


def test_other_processes_count_when_they_have_ended():
    before, _ = used_by_all()
    work = "import time\nwhile time.process_time() < 0.5: pass\nkept = bytes(300 << 20)"
    subprocess.run([sys.executable, "-c", work], check=True)
    after, peak = used_by_all()
    assert after - before >= 0.5
    assert peak >= 300


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="this is not glibc")
def test_what_threads_have_freed_goes_back():
    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6

    def work(number):
        arrays = [np.ones(8_000) for _ in range(2000)]  # 128 MB
        return arrays[number::100]  # the rest is freed, and lies between these

    with ThreadPoolExecutor(2) as pool:
        kept = list(pool.map(work, range(2)))
    before = resident()
    give_back_memory()
    assert resident() < before - 200
    assert all(array.sum() == 8_000 for arrays in kept for array in arrays)


def test_other_systems_keep_what_they_have(monkeypatch):
    monkeypatch.setattr(ctypes, "CDLL", lambda _: object())
    give_back_memory()
