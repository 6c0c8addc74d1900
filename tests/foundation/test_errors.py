from hyperbaton.foundation.errors import counted, reason


def test_one_thing_is_not_several():
    assert [counted(n, "pair") for n in (0, 1, 2, 2000)] == [
        "0 pairs", "1 pair", "2 pairs", "2,000 pairs"
    ]  # fmt: skip


def test_the_reason_of_an_error_without_a_number_is_its_text():
    assert reason(OSError(28, "No space left on device")) == "No space left on device"
    assert reason(OSError("16 requested and 0 written")) == "16 requested and 0 written"
