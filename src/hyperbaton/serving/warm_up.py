"""A first sentence for each system, so that no client waits for code that is compiled or loaded."""

from typing import Any

from hyperbaton.serving.explaining import explain_sentence
from hyperbaton.serving.limits import RequestLimits
from hyperbaton.serving.request_types import checked, explain_request
from hyperbaton.serving.systems import ServedSystem

SENTENCE = "a b"
LIMITS = RequestLimits(pops=1 << 40)  # the system's own settings may be as wide as they like


def warm_up(system: ServedSystem) -> None:
    requests: list[dict[str, Any]] = [{"n_best": 1}, {"n_best": 2, "force": SENTENCE}]
    for request in requests:
        asked = checked({"text": SENTENCE} | request, explain_request(LIMITS))
        explain_sentence(system, asked, LIMITS, lambda: False)
