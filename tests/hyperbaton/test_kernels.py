from hyperbaton import kernels


def test_only_the_first_run_is_announced(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    kernels.announce_compilation("decoder.search")
    assert capsys.readouterr().err == kernels.MESSAGE + "\n"
    (tmp_path / "search.begin-12.py311.nbi").write_bytes(b"")
    kernels.announce_compilation("decoder.search")
    assert capsys.readouterr().err == ""


def test_modules_that_do_not_exist_are_not_announced(capsys):
    kernels.announce_compilation("nowhere")
    assert capsys.readouterr().err == ""
