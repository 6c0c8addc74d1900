"""A first sentence for each system, so that no client waits for code that is compiled or loaded."""

from typing import Any

from hyperbaton.serving.explaining import explain_sentence
from hyperbaton.serving.limits import Limits
from hyperbaton.serving.systems import System

SENTENCE = "a b"


def warm_up(system: System) -> None:
    requests: list[dict[str, Any]] = [{"n_best": 1}, {"n_best": 2, "force": SENTENCE}]
    for request in requests:
        explain_sentence(system, {"text": SENTENCE} | request, Limits(), lambda: False)
