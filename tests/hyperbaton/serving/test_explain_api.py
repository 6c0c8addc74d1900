"""`POST /explain` says what `hyperbaton explain --json` prints, and more about the sentence."""

import json
import xml.etree.ElementTree as ElementTree

import pytest

from hyperbaton.decoder.translator import Translator
from hyperbaton.serving.answers import Refused
from hyperbaton.serving.explaining import explain_sentence
from hyperbaton.serving.limits import RequestLimits
from hyperbaton.serving.request_types import checked, explain_request
from hyperbaton.serving.systems import ServedSystem
from tests import command_line
from tests.decoder.oracles import alone

SENTENCE = "kare wa hon o katta"


@pytest.mark.parametrize("asked", [{}, {"limit": 0, "alternatives": 2}])
def test_derivations_are_those_of_the_command(server, model, asked):
    options = [f"--{name.replace('limit', 'distortion-limit')}={n}" for name, n in asked.items()]
    done = command_line.run("explain", model, SENTENCE, "--format=json", "--n-best", 3, *options)
    expected = json.loads(done.stdout)
    found = server.explain(SENTENCE, n_best=3, derivations=3, **asked)
    for name in ("source", "weights", "parts", "distortion_models"):
        assert found[name] == expected[name]
    for own, other in zip(found["derivations"], expected["derivations"], strict=True):
        assert {name: own[name] for name in other} == other


def test_the_reference_of_the_command(server, model):
    reference = "he bought a book"
    done = command_line.run("explain", model, SENTENCE, "--format=json", "--reference", reference)
    found = server.explain(SENTENCE, reference=reference)
    assert found["reference"] == reference
    [expected] = json.loads(done.stdout)["derivations"]
    assert found["derivations"][0]["metrics"] == expected["metrics"]


def test_the_list_is_that_of_translate(server):
    listed = server.explain(SENTENCE, n_best=4, distinct=True)["n_best"]
    first = server.translate(SENTENCE, n_best=4, distinct=True).content
    for own, other in zip(listed, [first, *first["n_best"]], strict=True):
        assert own["text"] == other["translation"]
        for name in ("score", "alignment", "segmentation", "features"):
            assert own[name] == other[name]


def test_drawings_show_their_derivations(server):
    for entry in server.explain(SENTENCE, n_best=5, derivations=5)["derivations"]:
        root = ElementTree.fromstring(entry["svg"])
        steps = [e.get("data-step") for e in root.iter() if e.get("class") == "phrase"]
        assert steps == [str(n) for n in range(len(entry["segmentation"]))]
        assert not [e for e in root.iter() if e.get("style")]  # the page's policy forbids it


def test_a_translation_beside_the_best_one(server):
    """What features say for and against it sums to the difference of the scores."""
    other = server.explain(SENTENCE, distinct=True)["n_best"][3]
    found = server.explain(SENTENCE, force=other["text"])
    own, best = found["requested"], found["derivations"][0]
    assert own["kind"] == "force"
    assert own["derivation"]["text"] == other["text"] != best["text"]
    difference = own["differences"]["score"]
    assert difference == pytest.approx(own["derivation"]["score"] - best["score"])
    assert difference < 0
    for kind in ("parts", "features"):
        assert sum(own["differences"][kind].values()) == pytest.approx(difference)
    for name, value in own["differences"]["features"].items():
        values = own["derivation"]["features"][name] - best["features"][name]
        assert value == pytest.approx(found["weights"][name] * values, abs=1e-6)


def test_what_a_system_cannot_say_is_named(server):
    own = server.explain(SENTENCE, force="he never bought a book")["requested"]
    assert (own["lacks"], own["adds"]) == (["never"], [])
    assert own["no_phrase"] == ["never"]
    assert own["derivation"]["text"] == "he bought a book"


def test_a_word_that_does_not_fit_has_a_phrase(server):
    """Both words are said by the only phrases of the sentence, but not twice."""
    own = server.explain(SENTENCE, force="he bought bought a never book")["requested"]
    assert (own["lacks"], own["no_phrase"]) == (["bought", "never"], ["never"])


def test_an_order_that_is_impossible_is_an_error_of_its_own(server):
    found = server.explain(SENTENCE, order="4 0", limit=0)
    assert found["n_best"]
    assert found["requested"]["kind"] == "order"
    assert "no translation was found" in found["requested"]["error"]["message"]


def test_an_order_is_kept_to(server):
    own = server.explain(SENTENCE, order="4 2 0", limit="inf")["requested"]["derivation"]
    step_of = {place: n for n, step in enumerate(own["steps"]) for place in range(*step["source"])}
    assert step_of[4] <= step_of[2] < step_of[0]  # one phrase may have several of them


def test_effects_of_limits_and_beams(server, model):
    translator = Translator.load(model)
    found = server.explain(SENTENCE, limits=[0, "inf"], beams=[1, 50])
    for one, limit in zip(found["limits"], (0, -1), strict=True):
        expected = translator.with_settings(distortion_limit=limit).translate(SENTENCE)
        assert (one["text"], one["score"]) == (expected.text, expected.score)
        assert [tuple(span) for span in one["segmentation"]] == expected.segmentation
    assert [one["limit"] for one in found["limits"]] == [0, "inf"]
    for one, size in zip(found["beams"], (1, 50), strict=True):
        own = translator.with_settings(stack_size=size, pop_limit=size)
        assert (one["beam"], one["score"]) == (size, own.translate(SENTENCE).score)
    assert found["beams"][0]["hypotheses"] < found["beams"][1]["hypotheses"]


def test_options_of_spans_are_sorted_and_limited(server, model):
    found = server.explain(SENTENCE, options=1)["options"]
    assert [0, 1] in [span["source"] for span in found]
    assert any(span["n_options"] > 1 for span in found)
    for span in found:
        assert span["source_words"] == SENTENCE.split()[slice(*span["source"])]
        assert len(span["options"]) == 1
    for span in server.explain(SENTENCE, options=64)["options"]:
        assert len(span["options"]) == span["n_options"]
        scores = [option["score"] for option in span["options"]]
        assert scores == sorted(scores, reverse=True)
    # by hand: weights times features of one option that is a whole translation, without jumps
    translator = Translator.load(model).with_distortion([])
    expected = translator.translate("hon").features
    [one] = server.explain("hon", options=1, distortion=[])["options"]
    sum_without_lm = sum(
        translator.weights[name] * value for name, value in expected.items() if name != "lm"
    )
    words = one["options"][0]["target_words"]
    of_words = translator.weights["lm"] * alone(translator.lm, words)
    assert one["options"][0]["score"] == pytest.approx(sum_without_lm + of_words)
    assert server.explain("hon", options=0)["options"] == []


def test_stacks_add_up(server):
    search = server.explain(SENTENCE)["search"]
    stacks = search["stacks"]
    assert [stack["covered"] for stack in stacks] == list(range(6))
    assert sum(stack["hypotheses"] for stack in stacks) == search["hypotheses"]
    dropped = sum(stack["hypotheses"] - stack["kept"] for stack in stacks)
    assert dropped == search["pruned"]
    assert stacks[0]["hypotheses"] == 1


def test_tags_and_heat_maps(server):
    found = server.explain(SENTENCE, model="tagged")
    assert len(found["tags"]) == 5
    [heat_map] = found["heat_maps"]
    assert heat_map["rows"] == ["<s>", *SENTENCE.split()]
    assert heat_map["columns"] == [*SENTENCE.split(), "</s>"]
    for number, row in enumerate(heat_map["values"]):
        assert sum(value or 0 for value in row) == pytest.approx(1)
        assert (row[number - 1] in (None, 0)) or not number  # a word does not follow itself
    assert server.explain(SENTENCE, model="tagged", distortion=["linear"])["heat_maps"] == []


def test_raw_text(server):
    found = server.explain("KARE wa hon", model="raw")
    assert found["text"] == "KARE wa hon"
    assert found["source"] == ["kare", "wa", "hon"]
    assert found["source_places"] == [[0, 4], [5, 7], [8, 11]]


def test_nothing_to_explain(server):
    answer = server.post("/explain", {"text": "  "})
    assert answer.status == 400
    assert answer.error == {"message": "the sentence is empty", "where": "text"}


@pytest.mark.parametrize("n_searches", [0, 1, 2])
def test_no_search_begins_when_the_time_of_the_request_is_up(model, n_searches):
    """However short the sentence, and though a short search never looks at the time."""
    limits, asked = RequestLimits(seconds=7.0), []

    def is_stopped():
        asked.append(True)
        return len(asked) > n_searches

    question = checked({"text": "hon", "limits": [0, 6]}, explain_request(limits))
    with pytest.raises(Refused, match="the request took more than 7 seconds"):
        explain_sentence(
            ServedSystem("small", Translator.load(model)), question, limits, is_stopped
        )
    assert len(asked) == n_searches + 1
