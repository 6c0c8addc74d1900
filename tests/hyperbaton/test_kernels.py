from hyperbaton import kernels


def test_only_the_first_run_is_announced(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("models.kernels.cache_folder", lambda module: tmp_path / module)
    kernels.announce_compilation("decoder.search")
    assert capsys.readouterr().err == kernels.MESSAGE + "\n"
    (tmp_path / "decoder.search").mkdir()
    (tmp_path / "decoder.search" / "search.begin-12.py311.nbi").write_bytes(b"")
    kernels.announce_compilation("decoder.search")
    assert capsys.readouterr().err == ""
