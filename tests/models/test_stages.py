import pytest

from models.errors import DataError
from models.stages import PARTS, fingerprint, remove_other_parts, run_stage


class Work:
    """Writes a file and counts how often it was asked to."""

    def __init__(self, failure=None):
        self.calls, self.failure = 0, failure

    def __call__(self, folder):
        self.calls += 1
        (folder / "half").write_text("done")
        if self.failure:
            raise self.failure
        return "a file"


def test_a_stage_is_run_once_for_the_same_inputs(tmp_path):
    work, talk = Work(), []
    first = run_stage(tmp_path, "lm", "abc", work, talk.append)
    again = run_stage(tmp_path, "lm", "abc", work, talk.append)
    assert first == again == "parts/lm-abc"
    assert (tmp_path / first / "half").read_text() == "done"
    assert work.calls == 1
    assert talk[0].startswith("lm: a file in 0.")
    assert talk[1] == "lm: nothing has changed"
    run_stage(tmp_path, "lm", "other", work)
    assert work.calls == 2


@pytest.mark.parametrize("failure", [KeyboardInterrupt(), ZeroDivisionError()])
def test_a_stage_that_ends_early_leaves_nothing(tmp_path, failure):
    with pytest.raises(type(failure)):
        run_stage(tmp_path, "lm", "abc", Work(failure))
    assert list((tmp_path / PARTS).iterdir()) == []


def test_what_a_killed_run_left_is_not_taken_for_finished(tmp_path):
    left = tmp_path / PARTS / "lm-abc.unfinished"
    left.mkdir(parents=True)
    (left / "stale").write_text("x")
    part = run_stage(tmp_path, "lm", "abc", Work())
    assert [path.name for path in (tmp_path / part).iterdir()] == ["half"]
    assert not left.exists()


def test_a_full_device_is_an_error_that_names_the_place(tmp_path):
    failure = OSError(28, "No space left on device", "somewhere")
    with pytest.raises(DataError, match="somewhere: cannot be written: No space left on device"):
        run_stage(tmp_path, "lm", "abc", Work(failure))


def test_a_place_that_cannot_be_a_folder(write):
    with pytest.raises(DataError, match="cannot be written: Not a directory"):
        run_stage(write("file", "x"), "lm", "abc", Work())


def test_only_the_named_parts_stay(tmp_path):
    keep = run_stage(tmp_path, "lm", "new", Work())
    run_stage(tmp_path, "lm", "old", Work())
    remove_other_parts(tmp_path, [keep])
    assert [path.name for path in (tmp_path / PARTS).iterdir()] == ["lm-new"]


def test_fingerprints_follow_content_and_settings(write):
    one, same, other = write("a", "text"), write("b", "text"), write("c", "texts")
    assert fingerprint(one, {"x": 1}) == fingerprint(same, {"x": 1})
    assert fingerprint(one) != fingerprint(other)
    assert fingerprint(one, {"x": 1}) != fingerprint(one, {"x": 2})
    assert fingerprint("ab", "c") != fingerprint("a", "bc")
