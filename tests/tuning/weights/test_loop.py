"""The tuning loop on a small language: what it finds, when it stops, how it goes on."""

import json
import re
from dataclasses import replace
from functools import cache
from itertools import pairwise
from types import SimpleNamespace
from typing import ClassVar

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import Decoder
from hyperbaton.decoder.stream import decode_all, search_all
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.foundation.progress import Reporter, silent
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.metrics.base import Outputs
from hyperbaton.tuning.metrics.bleu import Bleu
from hyperbaton.tuning.optimisers.interface import Optimiser
from hyperbaton.tuning.optimisers.mert import LatticeMert, Mert
from hyperbaton.tuning.optimisers.mira import Mira
from hyperbaton.tuning.optimisers.pro import Pro
from hyperbaton.tuning.weights import loop as tuning
from hyperbaton.tuning.weights.loop import measure
from hyperbaton.tuning.weights.loop import tune as tune_task
from hyperbaton.tuning.weights.settings import TuneSettings
from hyperbaton.tuning.weights.task import TuningTask
from hyperbaton.tuning.weights.trace import Trace, TraceStep, read_trace, save
from tests.blas import blas_threads
from tests.refusals import refusals, refused
from tests.tuning.small_language import all_pairs, development_set, make_translator

MERT = Mert(restarts=2, directions=1)
LATTICE_MERT = LatticeMert(restarts=2, directions=1, turns=2)
MIRA = Mira(step=0.01)  # so few sentences take few steps
QUICK = (
    TuneSettings("mert", n_best=30, iterations=4)
    .with_optimiser("mert", MERT)
    .with_optimiser("mira", MIRA)
    .with_optimiser("mert-lattice", LATTICE_MERT)
)
SOURCE, REFERENCES = development_set()
STEP = TraceStep({"lm": 0.5}, 12.5, 0.9, 100, 50, 0.25, 1.5)


def make_task(
    translator, sentences=SOURCE, references=REFERENCES, settings=QUICK, visits=None, **options
):
    talk = options.pop("talk", silent)
    reporter = Reporter(talk, options.pop("progress", silent))
    dev = Sentences("dev", sentences, references, visits)
    return TuningTask(
        translator, dev, settings, **options, reporter=reporter,
        decoded=lambda trace: talk(trace.last_line),
    )  # fmt: skip


def tune(translator, sentences, references, settings, state=None, progress=silent, **options):
    options["progress"] = progress
    return tune_task(make_task(translator, sentences, references, settings, **options), state)


@pytest.fixture(scope="module")
def translator():
    return make_translator()


def bleu(translator, weights):
    results = decode_all(translator.with_weights(weights), SOURCE)
    return Bleu().corpus_score(Outputs([" ".join(r.words()) for r in results], REFERENCES))


@pytest.mark.parametrize("method", ["mert", "mert-lattice", "pro", "mira"])
def test_tuning_finds_better_weights_and_says_what_they_score(translator, method):
    settings = replace(QUICK, method=method).with_optimiser("pro", Pro(interpolation=0.5))
    result = tune(translator, SOURCE, REFERENCES, settings)
    assert result.initial_score == pytest.approx(bleu(translator, translator.weights))
    assert result.dev_score == pytest.approx(bleu(translator, result.weights))
    assert result.dev_score > result.initial_score + 3
    assert result.dev_score == max(step.score for step in result.trace.steps)
    tuned = [value for name, value in result.weights.items() if name != "unknown"]
    assert sum(map(abs, tuned)) == pytest.approx(1)
    assert result.weights["unknown"] == 1


@pytest.mark.parametrize("method", ["mert", "mert-lattice", "pro", "mira"])
def test_threads_do_not_matter_and_seeds_do(translator, method):
    settings = replace(QUICK, method=method, iterations=2)
    settings = settings.with_optimiser("mert", Mert(restarts=3, directions=2))
    # from weights so bad that the best point is not next to them
    poor = translator.with_weights(translator.weights | {"lm": -0.5, "word_penalty": 0.5})
    one, two, other = (
        tune(poor, SOURCE, REFERENCES, replace(settings, seed=seed), threads=threads)
        for threads, seed in ((1, 1), (3, 1), (1, 2))
    )
    assert [step.weights for step in one.trace.steps] == [s.weights for s in two.trace.steps]
    assert one.trace.steps[1].weights != other.trace.steps[1].weights


class Noting(Optimiser):
    """Small changes; keeps the first draw of each seed."""

    name = "noting"
    gradual = True
    drawn: ClassVar[list[float]] = []

    def improve(self, pool, objective, start, seed):  # noqa: ARG002
        self.drawn.append(np.random.default_rng(seed).random())
        return start.weights + 0.01 * np.arange(len(start.weights))


def test_every_round_has_a_chance_of_its_own(translator):
    def drawn(seed):
        settings = replace(QUICK, method=f"{__name__}:Noting", seed=seed, patience=0, confirm=False)
        Noting.drawn.clear()
        tune(translator, SOURCE, REFERENCES, settings)
        return Noting.drawn.copy()

    first, second = drawn(1), drawn(2)
    assert len(first) == QUICK.iterations
    assert len({*first, *second}) == 2 * QUICK.iterations
    assert drawn(1) == first


def test_blas_keeps_no_other_core_busy(translator):
    seen = []
    settings = replace(QUICK, method=f"{__name__}:Noting", iterations=1)
    with threadpool_limits(2, "blas"):
        before = blas_threads()
        task = make_task(translator, settings=settings)
        tune_task(replace(task, decoded=lambda _: seen.extend(blas_threads())))
        assert blas_threads() == before == [2] * len(before)
    assert set(seen) == {1}
    assert len(seen) > len(before) > 0


class Worse(Optimiser):
    """Against the language model."""

    name = "worse"

    def improve(self, pool, objective, start, seed):  # noqa: ARG002
        return np.where(np.arange(len(start.weights)) == 6, -50.0, 0.001)


def test_weights_that_are_worse_are_not_returned(translator):
    settings = replace(QUICK, method=f"{__name__}:Worse")
    best = tune(translator, SOURCE, REFERENCES, settings).trace.steps[0].weights
    result = tune(translator, SOURCE, REFERENCES, settings)
    assert result.trace.steps[1].score < result.initial_score == result.dev_score
    assert result.weights == best


class Constant(Optimiser):
    """Always the same weights; keeps where it was asked to start."""

    name = "constant"
    gradual = True
    starts: ClassVar[list[list[float]]] = []

    def improve(self, pool, objective, start, seed):  # noqa: ARG002
        self.starts.append(start.weights.tolist())
        return np.linspace(-1, 1, len(start.weights))


def with_scores(monkeypatch, scores):
    """Decodings that score as wished."""
    add, scores = tuning._add, iter(scores)

    def add_with_score(*arguments):
        pool, found, step = add(*arguments)
        return pool, found, replace(step, score=next(scores))

    monkeypatch.setattr(tuning, "_add", add_with_score)


def test_after_a_fall_the_run_goes_back_and_takes_a_smaller_step(translator, monkeypatch):
    settings = replace(QUICK, method=f"{__name__}:Constant", iterations=9)
    with_scores(monkeypatch, [30.0, 14.9, 31.0, 15.4, 15.4])
    said: list[str] = []
    task = make_task(translator, settings=settings, talk=said.append)
    Constant.starts.clear()
    trace = tune_task(task).trace
    assert trace.falls == [1, 3, 4]
    assert trace.stopped == "3 iterations below half of the best score"
    steps = [task.vector.vector(step.weights) for step in trace.steps]
    found = task.vector.normalise(np.linspace(-1, 1, len(steps[0])))
    tuned = task.vector.tuned

    def part_of_the_way(best, share):
        point = best + share * (found - best)
        return point[tuned] / np.abs(point[tuned]).sum()

    np.testing.assert_allclose(steps[1], found)
    np.testing.assert_allclose(steps[2][tuned], part_of_the_way(steps[0], 0.5))
    np.testing.assert_allclose(steps[3], found)  # no fall before it
    np.testing.assert_allclose(steps[4][tuned], part_of_the_way(steps[2], 0.25))
    expected = [steps[0], steps[0], steps[2], steps[2]]
    np.testing.assert_allclose(Constant.starts[:4], expected)
    [first] = [line for line in said if line.startswith("iteration 1 is")]
    assert (
        "is less than half as good as iteration 0 (BLEU 14.90 against 30.00; output length" in first
    )


class Careful(Constant):
    name = "careful"
    first_step = 0.25


def test_the_first_steps_may_go_a_part_of_the_way(translator):
    settings = replace(QUICK, method=f"{__name__}:Careful", iterations=4)
    task = make_task(translator, settings=settings)
    steps = [task.vector.vector(step.weights) for step in tune_task(task).trace.steps]
    found = task.vector.normalise(np.linspace(-1, 1, len(steps[0])))
    tuned = task.vector.tuned
    for (before, after), share in zip(pairwise(steps), (0.25, 0.5, 0.75, 1.0), strict=True):
        between = ((1 - share) * before + share * found)[tuned]
        np.testing.assert_allclose(after[tuned], between / np.abs(between).sum())
    np.testing.assert_allclose(steps[4], found)


def test_of_error_rates_twice_as_much_is_a_fall():
    def falls(higher_is_better, *scores):
        steps = tuple(TraceStep({}, score, 1.0, 1, 1, 0.0, 0.0) for score in scores)
        return Trace("mert", "M", "", higher_is_better, 1, 9, steps=steps).falls

    assert falls(True, 20.0, 10.0, 9.9, 40.0, 19.0, 21.0) == [2, 4]
    assert falls(False, 40.0, 80.0, 81.0, 30.0, 61.0, 59.0) == [2, 4]
    assert falls(True) == []


@pytest.mark.parametrize(
    ("changes", "move", "why", "n_steps"),
    [
        ({"iterations": 3, "method": "pro"}, 0.1, "3 iterations", 4),
        ({"iterations": 9}, 0.0, "weights unchanged", 1),
        ({"iterations": 9}, 0.1, "nothing new for the pool", 2),
        ({"iterations": 9, "method": "mira"}, 0.1, "nothing new for the pool", 5),
        ({"iterations": 9, "method": "pro", "patience": 2}, 0.1,
         "no better score in 2 iterations", 3),
    ],
)  # fmt: skip
def test_reasons_to_stop(translator, monkeypatch, changes, move, why, n_steps):
    """All decodings give what the first one gave, whatever the weights."""
    given = []

    def decode(*arguments):
        given.append(given[0] if given else real_decode(*arguments))
        return given[0]

    def optimise(task, trace, *_):
        weights = task.vector.vector(trace.steps[-1].weights)
        return weights + move * np.eye(len(weights))[len(trace.steps) % 3]

    real_decode = tuning.decode
    monkeypatch.setattr(tuning, "decode", decode)
    monkeypatch.setattr(tuning, "_optimise", optimise)
    result = tune(translator, SOURCE, REFERENCES, replace(QUICK, **changes))
    assert result.trace.stopped == why
    assert len(result.trace.steps) == len(given) == n_steps


@pytest.mark.parametrize("method", ["mert", "mert-lattice", "pro", "mira"])
def test_every_method_comes_to_an_end(translator, method):
    settings = replace(QUICK, method=method, iterations=9, patience=2)
    settings = settings.with_optimiser("pro", Pro(interpolation=0.9))
    result = tune(translator, SOURCE, REFERENCES, settings)
    assert result.trace.stopped in (
        "9 iterations", "weights unchanged", "nothing new for the pool",
        "no better score in 2 iterations",
    )  # fmt: skip
    assert 2 <= len(result.trace.steps) <= 10


def test_fixed_weights_stay_as_they_are(translator):
    result = tune(translator, SOURCE, REFERENCES, QUICK, fixed=["lm", "word_penalty"])
    assert all(step.weights["lm"] == 0.2 for step in result.trace.steps)
    assert all(step.weights["word_penalty"] == 0.5 for step in result.trace.steps)
    assert result.trace.steps[1].weights["linear"] != translator.weights["linear"]


def test_the_model_is_loaded_once(translator, monkeypatch):
    used = []

    def searched(own, *arguments, **options):
        used.append(own.phrases)
        return search_all(own, *arguments, **options)

    monkeypatch.setattr("hyperbaton.tuning.weights.loop.search_all", searched)
    monkeypatch.setattr(Translator, "load", None)
    tune(translator, SOURCE, REFERENCES, QUICK)
    assert len(used) > 1
    assert all(phrases is translator.phrases for phrases in used)


@pytest.mark.parametrize("metric", ["ter", "bleu-ter", "0.5*bleu+ribes", "kendall"])
def test_other_metrics(translator, metric):
    visits = [
        [source for source, _ in sorted(links, key=lambda link: link[1])]
        for _, _, links in all_pairs()[1]
    ]
    visits = [list(dict.fromkeys(row)) for row in visits]
    settings = replace(QUICK, metric=metric, iterations=2, confirm=False)  # so few are never sure
    result = tune(translator, SOURCE, REFERENCES, settings, visits=visits)
    scores = [step.score for step in result.trace.steps]
    if metric == "ter":
        assert result.trace.higher_is_better is False
        assert result.dev_score == min(scores) < scores[0]
        assert scores[0] > 0
    else:
        assert result.dev_score == max(scores) > scores[0]
    task = make_task(translator, settings=settings, visits=visits)
    again = measure(task, result.weights)
    assert again == pytest.approx(result.dev_score)


class Stop(KeyboardInterrupt):
    pass


@pytest.fixture(scope="module")
def undisturbed(translator):
    """What a method finds when nothing stops it."""

    @cache
    def run(method):
        return tune(translator, SOURCE, REFERENCES, replace(QUICK, method=method, iterations=3))

    return run


@pytest.mark.parametrize(
    ("method", "moment", "times"),
    [
        ("pro", "decoding the development set", 1),
        ("pro", "decoding the development set", 2),
        ("pro", "pro on hypotheses", 1),
        ("pro", "pro on hypotheses", 2),
        ("mert-lattice", "decoding the development set", 1),
        ("mert-lattice", "best derivations on lines", 1),
        ("mert-lattice", "best derivations on lines", 2),
    ],
)
def test_a_run_that_was_stopped_goes_on_and_ends_the_same(
    translator, undisturbed, tmp_path, method, moment, times
):
    settings, whole = replace(QUICK, method=method, iterations=3), undisturbed(method)
    seen = 0

    def stop(what, count):
        nonlocal seen
        if what == moment and (count == 5 or " on " in what):
            seen += 1
            if seen > times:
                raise Stop

    talk = []
    arguments = translator, SOURCE, REFERENCES, settings, tmp_path / "parts"
    with pytest.raises(Stop):
        tune(*arguments, stop)
    done = read_trace(tmp_path / "parts" / "trace.json").steps
    assert done
    result = tune(*arguments, talk=talk.append)
    assert f"seed 1: resumes after {len(done)} decodings" in talk
    assert [step.weights for step in result.trace.steps] == [s.weights for s in whole.trace.steps]
    assert result.weights == whole.weights
    # nothing is left but the trace, and there is nothing to do any more
    assert [path.name for path in (tmp_path / "parts").iterdir()] == ["trace.json"]
    talk.clear()
    assert tune(*arguments, talk=talk.append).weights == whole.weights
    assert talk[-1] == f"seed 1: already done, {len(whole.trace.steps)} decodings"


def stopped_run(translator, folder, **options):
    def stop(what, _count):
        if what == "mert on hypotheses":
            raise Stop

    with pytest.raises(Stop):
        tune(translator, SOURCE, REFERENCES, QUICK, folder, stop, **options)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"settings": replace(QUICK, n_best=20)}, "the settings"),
        ({"references": [REFERENCES[1], *REFERENCES[1:]]}, "the references"),
        ({"sentences": [*SOURCE[:-1], SOURCE[0]]}, "the source"),
        ({"model": "b"}, "the model"),
        ({"translator": "weights"}, "the weights"),
        ({"translator": "limit"}, "the search settings"),
    ],
)
def test_a_run_with_other_inputs_begins_anew(translator, tmp_path, changes, what):
    stopped_run(translator, tmp_path, model="a")
    assert (tmp_path / "pool-000.npz").exists()
    if changes.get("translator") == "weights":
        changes = {"translator": translator.with_weights({"lm": 0.3})}
    elif "translator" in changes:
        changes = {"translator": translator.with_settings(distortion_limit=3)}
    given = {
        "translator": translator, "sentences": SOURCE, "references": REFERENCES,
        "settings": QUICK, "model": "a",
    } | changes  # fmt: skip
    talk = []
    tune_task(make_task(**given, talk=talk.append), tmp_path)
    assert f"seed 1: starts over, because {what} changed" in talk


def another_size(folder):
    path = folder / "trace.json"
    content = json.loads(path.read_text())
    content["steps"][0]["pool_size"] += 1
    path.write_text(json.dumps(content))


@refusals(
    (lambda folder: (folder / "pool-000.npz").write_bytes(b"PK"), "pool-000.npz: … --restart"),
    (another_size, "was changed since this tuning run wrote it"),
)
def test_a_damaged_state_is_an_error(translator, tmp_path, damage):
    stopped_run(translator, tmp_path)
    damage(tmp_path)
    tune(translator, SOURCE, REFERENCES, QUICK, tmp_path)


def test_a_run_that_was_killed_at_its_very_end_left_its_pools_for_ever(translator, tmp_path):
    tune(translator, SOURCE, REFERENCES, QUICK, tmp_path)
    (tmp_path / "pool-001.npz").write_bytes(b"not yet removed")
    tune(translator, SOURCE, REFERENCES, QUICK, tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["trace.json"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"format": 3}', '{"format": 3, "steps": [3]}'])
def test_a_trace_that_cannot_be_read_is_none(write, text):
    assert read_trace(write("trace.json", text)) is None


@pytest.mark.parametrize(
    ("key", "value"),
    [
        *(("format", 1), ("steps", []), ("iterations", "5"), ("iterations", 10**400)),
        *(("inputs", 3), ("inputs", {"source": 3}), ("following", {"lm": "x"}), ("stopped", 1)),
        *(("held_out", [1, 2]), ("held_out", [1, 2, "x", True]), ("metric", None)),
        *(("score", "12"), ("weights", {"lm": None}), ("x", 1)),  # of the only step
    ],
)
def test_a_trace_with_values_of_other_types_is_none(tmp_path, key, value):
    save(tmp_path, Trace("mert", "TER", "sig", False, 3, 15, {"source": "x"}, (STEP,)))
    path = tmp_path / "trace.json"
    content = json.loads(path.read_text())
    assert read_trace(path) is not None
    changed = content if key in content else content["steps"][0]
    changed[key] = value
    path.write_text(json.dumps(content))
    assert read_trace(path) is None


def test_traces_are_written_as_they_are(tmp_path):
    trace = Trace(
        "mert", "TER", "sig", False, 3, 15, {"model": "x"}, (STEP, STEP), {"lm": 1.0}, "why"
    )
    save(tmp_path, trace)
    assert read_trace(tmp_path / "trace.json") == trace
    refused("cannot be read: Is a directory", lambda: read_trace(tmp_path))


def test_every_iteration_is_told(translator):
    talk = []
    result = tune(translator, SOURCE, REFERENCES, QUICK, talk=talk.append)
    lines = [line for line in talk if line.startswith("iteration")]
    assert len(lines) == len(result.trace.steps)
    pattern = (
        r"iteration  0: BLEU \d+\.\d\d, length \d\.\d\d, pool (\d+) \(\+\1\), "
        r"largest move 0\.000, \d+\.\d s, at most \d+ (s|min) left"
    )
    assert re.fullmatch(pattern, lines[0])
    last = replace(result.trace, iterations=len(lines) - 1).last_line
    assert last.endswith(" s")
    texts = [" ".join(r.words()) for r in decode_all(translator, SOURCE)]
    words = sum(len(text.split()) for text in texts)
    expected = sum(len(references[0].split()) for references in REFERENCES)  # there is only one
    assert result.trace.steps[0].length == pytest.approx(words / expected)


def refuses(facts, translator, sentences=SOURCE, references=REFERENCES, error=DataError, **options):
    settings = replace(QUICK, **options)
    refused(facts, lambda: tune(translator, sentences, references, settings), error)


UNKNOWN, WRONG = [Sentence(("xyz",))] * 3, [["qqq"]] * len(SOURCE)


@pytest.mark.parametrize(
    ("facts", "options"),
    [
        (f"{len(SOURCE)} sentences and references for 1", {"references": REFERENCES[:1]}),
        ("word", {"sentences": [Sentence(())] * 2, "references": [["a"], ["b"]]}),
        # an unknown word can only be copied
        ("1.0 hypotheses … --n-best", {"sentences": UNKNOWN, "references": [["xyz"]] * 3}),
        ("RIBES is the same … the references", {"references": WRONG, "metric": "ribes"}),
        # lengths differ, but none of them helps without a single word in common
        ("BLEU is the same for all", {"references": WRONG}),
    ],
)
def test_development_sets_that_teach_nothing(translator, facts, options):
    refuses(facts, translator, **options)


def test_one_sentence_is_a_warning(translator):
    talk = []
    result = tune(translator, SOURCE[:1], REFERENCES[:1], QUICK, talk=talk.append)
    assert talk[0] == (
        "warning: the development set has only 1 sentence, too few to distinguish gains from "
        "chance; use several hundred"
    )
    assert result.dev_score >= result.initial_score


def test_a_feature_that_never_varies_is_a_warning(translator):
    talk = []
    result = tune(translator, SOURCE, REFERENCES, QUICK, talk=talk.append)
    assert any(
        line.startswith("warning: translation.direct_phrase, translation.direct_lexical: equal")
        for line in talk
    )
    ratio = result.trace.steps[0].weights["translation.direct_phrase"]
    assert ratio > 0


@pytest.mark.parametrize(
    ("changes", "facts"),
    [
        ({"method": "mret"}, "'mret' … did you mean mert?"),
        ({"metric": "blue"}, "unknown metric 'blue' in 'blue' … did you mean bleu"),
        ({"n_best": 1}, "tune.n_best is 1 … at least 2"),
        ({"iterations": 0}, "tune.iterations is 0 … at least 1"),
        ({"metric": "kendall"}, "Kendall needs word alignments of the references"),
        ({"replicas": 0}, "tune.replicas is 0 … at least 1"),
        ({"protocol": "gto"}, "'gto' … did you mean goto?"),
        ({"method": "none"}, "no tuning method 'none'"),
        ({"optimisers": {"mert": Mert(restarts=-1)}}, "mert.restarts is -1 … at least 0"),
    ],
)
def test_settings_that_cannot_be(translator, changes, facts):
    refuses(facts, translator, error=SettingError, **changes)


def test_weights_of_nothing_are_an_error():
    zeros = dict.fromkeys(make_translator().feature_names, 0.0) | {"unknown": 1.0}
    refuses("all weights that can be tuned are 0", make_translator(**zeros))


def test_a_sentence_that_cannot_be_translated(translator, monkeypatch):
    decode = Decoder.decode

    def fail(self, sentence, *arguments, **options):
        if sentence is SOURCE[3]:
            raise DataError("too long", advice="split it")
        return decode(self, sentence, *arguments, **options)

    monkeypatch.setattr("hyperbaton.decoder.decode.Decoder.decode", fail)
    refuses("sentence 4 … too long … split it", translator)


@pytest.mark.parametrize(
    ("changes", "n_rounds", "best", "stopped"),
    [
        ({"method": "mira"}, 6, 3, "no better score in 3 iterations"),
        ({"method": "mira"}, 6, 4, ""),
        ({"method": "mira"}, 3, 0, ""),  # steps are still partial
        ({"method": "mira"}, 4, 0, "no better score in 3 iterations"),
        ({"method": "mira"}, 9, 9, ""),
        ({"method": "mira"}, 10, 10, "10 iterations"),
        ({"method": "mira", "iterations": 20, "patience": 0}, 19, 1, ""),
        ({"method": "mert"}, 14, 1, ""),
        ({"method": "mert"}, 15, 15, "15 iterations"),
        ({"method": "mert", "patience": 5}, 6, 1, "no better score in 5 iterations"),
        ({"method": "mert", "patience": 6}, 6, 1, ""),
        ({"method": "pro", "iterations": 6}, 6, 6, "6 iterations"),
    ],
)
def test_mira_stops_sooner_than_other_methods_unless_told_otherwise(
    changes, n_rounds, best, stopped
):
    task = SimpleNamespace(settings=TuneSettings(**changes))
    steps = [SimpleNamespace(n_new=1)] * (n_rounds + 1)
    trace = SimpleNamespace(steps=steps, falls=(), best=best)
    assert tuning._reason_to_stop(task, trace) == stopped
