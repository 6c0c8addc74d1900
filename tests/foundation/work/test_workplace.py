from hyperbaton.foundation.work.workplace import Workplace


def test_what_was_used_longest_ago_is_forgotten():
    made = []

    def ask(name):
        return Workplace().remembered((__name__, name), lambda: made.append(name) or name)

    assert [ask(name) for name in "abacab"] == list("abacab")
    assert made == ["a", "b", "c", "b"]  # c took the place of b, which came back instead of c
