"""Comparisons as they run: what depends on what, what is chosen, what is refused, what is kept."""

import gzip
import json
from dataclasses import replace
from datetime import UTC, datetime
from itertools import chain
from types import SimpleNamespace

import numpy as np
import pytest
import sacrebleu

from hyperbaton.corpus.raw_text.settings import TextSettings
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.foundation.progress import SILENT, Reporter
from hyperbaton.foundation.work.workplace import Workplace
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.phrases.settings import PhraseSettings
from hyperbaton.models.system.folder import NO_LIMIT, load_source_tagger
from hyperbaton.models.system.settings import LanguageModelSettings
from hyperbaton.samples import sample_files
from hyperbaton.tuning.comparison import cells, run
from hyperbaton.tuning.comparison.cells import Job, read_replica, run_job
from hyperbaton.tuning.comparison.configuration import ComparedSystem, TrainingData, check
from hyperbaton.tuning.comparison.result_tables import as_record, summary_table, write_files
from hyperbaton.tuning.comparison.run import average_jobs, compare, grid
from hyperbaton.tuning.comparison.systems import COSTS, train
from hyperbaton.tuning.evaluation.data_sets import load
from hyperbaton.tuning.optimisers.mira import Mira
from hyperbaton.tuning.weights.protocol import split
from hyperbaton.tuning.weights.settings import COMPARE_SETTINGS
from tests.refusals import refusals, refused
from tests.tuning.comparison.tiny import LEX, LINEAR, N_TRAIN, in_this_process, tiny_configuration

TUNED = replace(
    COMPARE_SETTINGS, method="mira", n_best=20, iterations=2, replicas=2, seed=5, protocol="best"
)
LONGEST = 50  # words, more than any limit here


class NeedsTree(Linear):
    """A model that cannot do without a tree."""

    name = "needs-tree"

    @property
    def requires(self):
        return frozenset({"tree"})


@pytest.fixture
def serial(monkeypatch):
    monkeypatch.setattr(run, "run_jobs", in_this_process)


def sources(configuration):
    return [data.source for data in (configuration.dev, *configuration.test)]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A folder with a trained system, and its configuration."""
    folder = tmp_path_factory.mktemp("trained")
    configuration = tiny_configuration(folder, tune=TUNED)
    train(configuration, folder, 1, SILENT)
    return configuration, folder


def keys(configuration, folder, longest=LONGEST):
    """By system and seed: of weights, translations and scores."""
    return {
        (job.system.name, job.limit, job.seed): (
            job.tuned_key,
            [job.decoded_key(test) for test in job.configuration.test],
            [job.scored_key(test) for test in job.configuration.test],
        )
        for job in grid(configuration, folder, longest)
    }


def retrained(configuration, folder):
    train(configuration, folder, 1, SILENT)
    return keys(configuration, folder)


def test_the_grid_has_every_replica_of_every_cell(trained):
    configuration, folder = trained
    jobs = grid(replace(configuration, limits=(6, NO_LIMIT)), folder, LONGEST)
    assert [(job.system.name, job.limit, job.seed) for job in jobs] == [
        (system, limit, seed)
        for system in ("LINEAR", "LEX")
        for limit in (6, -1)
        for seed in (5, 6)
    ]
    assert jobs[2].name == "LINEAR @ ∞, seed 5"
    all_keys = keys(replace(configuration, limits=(6, NO_LIMIT)), folder).values()
    assert len({tuned for tuned, _, _ in all_keys}) == 8
    untuned = replace(configuration, tune=replace(TUNED, method="none"))
    assert [job.name for job in grid(untuned, folder, LONGEST)] == ["LINEAR @ 6", "LEX @ 6"]


def test_limits_that_no_jump_reaches_are_one(trained):
    configuration, folder = trained
    limits = replace(configuration, limits=(6, 9, 10, NO_LIMIT))
    found = {limit: key for (_, limit, _), key in keys(limits, folder, 10).items()}
    assert found[10] == found[NO_LIMIT]
    assert len(set(map(str, found.values()))) == 3


@pytest.mark.usefixtures("serial")
def test_a_limit_as_long_as_the_longest_sentence_is_run_once(tmp_path):
    lines = [path.read_text().splitlines() for path in sources(tiny_configuration(tmp_path))]
    longest = max(len(line.split()) for line in chain(*lines))
    configuration = tiny_configuration(tmp_path, (LEX,), limits=(longest, NO_LIMIT, longest - 1))
    said = []
    done = compare(configuration, tmp_path / "out", 1, Reporter(said.append))
    assert said[-1] == f"LEX @ {longest - 1}: done; 2 of 2"
    translator = Translator.load(tmp_path / "out" / "system")
    for cell in done.cells:
        limited = translator.with_settings(distortion_limit=cell.limit)
        texts = [limited.translate(sentence).text for sentence in done.tests[0].sources]
        assert [output.text for output in cell.best.outputs["test"]] == texts


@pytest.mark.parametrize(
    "change",
    [
        lambda c: replace(c, tune=replace(c.tune, iterations=3)),
        lambda c: replace(c, tune=replace(c.tune, metric="ribes")),
        lambda c: replace(c, tune=c.tune.with_optimiser("mira", Mira(step=0.02))),
        lambda c: replace(c, tune=replace(c.tune, protocol="goto")),
        lambda c: replace(c, search=replace(c.search, pop_limit=c.search.pop_limit + 1)),
        lambda c: replace(c, dev=replace(c.dev, references=c.dev.references * 2)),
        lambda c: replace(c, dev=replace(c.dev, alignment=None)),
    ],
)
def test_weights_depend_on_tuning_search_and_dev(trained, change):
    configuration, folder = trained
    before, after = keys(configuration, folder), keys(change(configuration), folder)
    for cell, (tuned, decoded, scored) in before.items():
        assert after[cell][0] != tuned
        assert after[cell][1] != decoded
        assert after[cell][2] != scored


def test_what_changes_nothing_of_what_there_is(trained, tmp_path):
    configuration, folder = trained
    before = keys(configuration, folder)
    tune = replace(configuration.tune, replicas=3, protocol="average")
    more = replace(configuration, tune=tune, limits=(6, 9))
    after = keys(more, folder)
    assert {cell: after[cell] for cell in before} == before
    copy = tmp_path / "elsewhere"
    copy.write_bytes(configuration.dev.source.read_bytes())
    moved = replace(configuration, dev=replace(configuration.dev, source=copy, name="other"))
    assert keys(moved, folder) == before
    copy.write_bytes(copy.read_bytes().replace(b"wa", b"ga", 1))
    assert all(key not in before.values() for key in keys(moved, folder).values())


def test_more_test_sets_and_other_metrics(trained):
    configuration, folder = trained
    before = keys(configuration, folder)
    second = replace(configuration.dev, name="second")
    more = keys(replace(configuration, test=(*configuration.test, second)), folder)
    other = keys(replace(configuration, metrics=("bleu",)), folder)
    for cell, (tuned, decoded, scored) in before.items():
        assert more[cell][0] == tuned
        assert (more[cell][1][:1], more[cell][2][:1]) == (decoded, scored)
        assert more[cell][1][1] != decoded[0]
        assert other[cell][:2] == (tuned, decoded)
        assert other[cell][2] != scored


def test_a_system_more_changes_no_other_and_a_phrase_table_all(tmp_path):
    one = tiny_configuration(tmp_path, [LINEAR])
    before = retrained(one, tmp_path)
    both = retrained(replace(one, system=(LINEAR, LEX)), tmp_path)
    assert before.items() <= both.items()
    other = retrained(replace(one, phrases=PhraseSettings(max_length=2)), tmp_path)
    assert other.keys() == before.keys()
    assert other != before
    order = retrained(replace(one, lm=LanguageModelSettings(order=2)), tmp_path)
    assert order != before
    assert retrained(one, tmp_path) == before


def test_variants_of_one_model_are_told_apart(trained):
    """`dpr` and `dpr,learner=me` in one grid: the first must not mean the second."""
    configuration, _ = trained
    systems = ComparedSystem("A", ("pair",)), ComparedSystem("B", ("pair,passes=3",))
    configuration = replace(configuration, system=systems)
    jobs = grid(configuration, configuration.train.source.parent, LONGEST)
    [default], [other] = {job.system.name: job.system.distortion for job in jobs}.values()
    assert default != other == default.replace("passes=25", "passes=3")


@pytest.mark.usefixtures("serial")
def test_an_untuned_comparison_and_what_a_second_run_does(tmp_path, monkeypatch):
    configuration = tiny_configuration(tmp_path, limits=(6, NO_LIMIT))
    out, talk, seen = tmp_path / "out", [], []
    day = datetime(2026, 11, 30, tzinfo=UTC)
    monkeypatch.setattr(cells, "datetime", SimpleNamespace(now=lambda _: day))
    comparison = compare(
        configuration, out, 1, Reporter(talk.append, lambda *item: seen.append(item))
    )
    assert talk[-1] == "LEX @ ∞: done; 4 of 4"
    assert talk[-4].startswith("LINEAR @ 6: done; 1 of 4, about")
    assert any(what.startswith("0 of 4 runs | LINEAR @ 6: test: scoring") for what, _ in seen)
    for cell in comparison.cells:  # scores and translations worked out in another way
        models = {"LINEAR": ["linear"], "LEX": ["linear", "msd"]}[cell.system]
        translator = Translator.load(out / "system", None, models)
        translator = translator.with_settings(distortion_limit=cell.limit)
        test = comparison.tests[0]
        texts = [translator.translate(sentence).text for sentence in test.sources]
        assert [output.text for output in cell.best.outputs["test"]] == texts
        references = [[group[0] for group in test.references]]
        bleu = sacrebleu.corpus_bleu(texts, references, tokenize="none", force=True).score
        assert comparison.scores["test"][cell.name][0].score == pytest.approx(bleu)
        assert cell.best.cost.decoding_milliseconds > 0
        assert cell.best.cost.peak_megabytes > 10
    titles = [cost.title for cost in comparison.stage_costs]
    words = ["source word classes", "target word classes"]
    assert titles == ["phrase table", "language model", *words]  # msd's scores are the table's
    assert all(cost.seconds > 0 and cost.peak_megabytes > 10 for cost in comparison.stage_costs)

    monkeypatch.setattr(cells, "datetime", datetime)  # another day
    talk.clear()
    again = compare(configuration, out, 1, Reporter(talk.append))
    assert talk == [
        *(f"{name}: nothing has changed" for name in ("phrases", "lm")),
        *(f"{side}_classes: nothing has changed" for side in ("source", "target")),
        "4 of 4 runs are already done",
    ]
    assert again.stage_costs == comparison.stage_costs
    assert again.date == comparison.date == "2026-11-30"
    assert as_record(again) == as_record(comparison)
    assert COSTS in {path.name for path in out.iterdir()}
    assert not (out / "state").exists()
    (out / COSTS).write_text("[]")
    assert compare(configuration, out, 1).stage_costs == []

    # a translation that was changed by hand is made again
    part = grid(configuration, out, LONGEST)[1].decoded(configuration.test[0])
    (part / "outputs.jsonl").write_text("{}\n")
    talk.clear()
    assert as_record(compare(configuration, out, 1, Reporter(talk.append))) == as_record(comparison)
    assert "3 of 4 runs are already done" in talk


def write_raw(data, change):
    """Makes raw text of the files of a data set."""
    for path in (data.target,) if isinstance(data, TrainingData) else data.references:
        path.write_text("".join(change(line) for line in path.read_text().splitlines(True)))


@pytest.mark.usefixtures("serial")
def test_raw_text_is_compared_as_text(tmp_path):
    text = TextSettings("xx", "en", "none", "none", "lower", "true")  # no program is needed
    configuration = tiny_configuration(tmp_path, (LEX,), text=text, tune=replace(TUNED, replicas=1))
    for data in (configuration.train, configuration.dev, *configuration.test):
        write_raw(data, lambda line: line[0].upper() + line[1:])
        data.source.write_text(data.source.read_text().upper())
    talk = []
    comparison = compare(configuration, tmp_path / "out", 1, Reporter(talk.append))
    assert not any("unknown words" in line for line in talk)  # sources were lower-cased
    [test], [cell] = comparison.tests, comparison.cells
    assert all(group[0][0].isupper() for group in test.references)
    outputs = cell.best.outputs["test"]
    assert all(output.text[0].isupper() for output in outputs)
    for output in outputs:  # spans are about tokens
        assert max(span[3] for span in output.spans) == len(output.words)
        assert output.words[0].islower() or output.words[0] == output.text.split()[0]
    [bleu, order] = comparison.metrics["test"]
    assert "tok:13a" in bleu.signature
    texts, references = [output.text for output in outputs], [[one for one, *_ in test.references]]
    expected = sacrebleu.corpus_bleu(texts, references, tokenize="13a").score
    assert comparison.scores["test"][cell.name][0].score == pytest.approx(expected)
    assert order.needs_visits
    as_tokens = replace(configuration, tokenize="none")
    assert "tok:none" in compare(as_tokens, tmp_path / "out", 1).metrics["test"][0].signature
    references = [[one.swapcase() for one in references[0]]]
    for path, changed in zip(configuration.test[0].references, references, strict=True):
        path.write_text("\n".join([*changed, ""]))
    for lowercase in (False, True):
        cased = replace(configuration, lowercase=lowercase)
        score = compare(cased, tmp_path / "out", 1).scores["test"][cell.name][0].score
        found = sacrebleu.corpus_bleu(texts, references, tokenize="13a", lowercase=lowercase).score
        assert score == pytest.approx(found)


@pytest.mark.usefixtures("serial")
def test_an_unknown_tokeniser_is_refused_before_anything_is_trained(tmp_path):
    text = TextSettings("xx", "ja", "none", "none")
    wrong = tiny_configuration(tmp_path, text=text, tokenize="mecab")
    refused("no tokeniser 'mecab'", lambda: compare(wrong, tmp_path / "out", 1), SettingError)
    assert not (tmp_path / "out").exists()


@pytest.mark.usefixtures("serial")
def test_tuning_by_the_protocol_of_goto(tmp_path):
    configuration = tiny_configuration(
        tmp_path, [LEX], tune=replace(TUNED, protocol="goto"), metrics=("bleu",)
    )
    out = tmp_path / "out"
    comparison = compare(configuration, out, 1)
    [cell] = comparison.cells
    assert [replica.seed for replica in cell.replicas] == [5, 6]
    first, second = split(load(configuration.dev), "goto")
    assert (len(first), len(second)) == (6, 6)
    translator = Translator.load(out / "system", None, ["linear", "msd"])
    choices = []
    for replica in cell.replicas:
        tuned = translator.with_weights(replica.weights).with_settings(distortion_limit=6)
        for part, score in ((first, replica.dev_score), (second, replica.choice_score)):
            texts = [tuned.translate(sentence).text for sentence in part.sources]
            references = [[group[0] for group in part.references]]
            bleu = sacrebleu.corpus_bleu(texts, references, tokenize="none", force=True).score
            assert score == pytest.approx(bleu)
        choices.append(replica.choice_score)
        assert [step["iteration"] for step in replica.trace] == list(range(len(replica.trace)))
        # the best of the run, or the weights before if six sentences do not show a gain
        scores = [step["score"] for step in replica.trace]
        assert replica.dev_score in (max(scores), scores[0])
        assert {"score", "pool", "weights"} < set(replica.trace[0])
        assert replica.trace[0]["pool"] > 0
    assert cell.chosen == int(np.argmax(choices))
    assert [bool(replica.outputs) for replica in cell.replicas] == [
        number == cell.chosen for number in (0, 1)
    ]
    assert comparison.replica_scores["test"][cell.name].shape == (2, 1)


@pytest.mark.usefixtures("serial")
def test_the_average_of_all_replicas_is_tested(tmp_path):
    tune = replace(TUNED, protocol="average")
    configuration = tiny_configuration(tmp_path, [LEX], tune=tune, metrics=("bleu",))
    out, talk = tmp_path / "out", []
    comparison = compare(configuration, out, 1, Reporter(talk.append))
    assert talk[-1] == "LEX @ 6, average: done; 1 of 1"
    [cell] = comparison.cells
    assert cell.best is cell.average
    assert not any(replica.outputs for replica in cell.replicas)
    one, two = (replica.weights for replica in cell.replicas)
    assert one != two
    for name, weight in cell.best.weights.items():
        assert weight == pytest.approx((one[name] + two[name]) / 2, abs=0.05)
    tuned = [weight for name, weight in cell.best.weights.items() if name != "unknown"]
    assert sum(map(abs, tuned)) == pytest.approx(1)
    translator = Translator.load(out / "system", None, ["linear", "msd"])
    translator = translator.with_weights(cell.best.weights).with_settings(distortion_limit=6)
    for data, score in (
        (load(configuration.dev), cell.best.dev_score),
        (comparison.tests[0], comparison.scores["test"][cell.name][0].score),
    ):
        texts = [translator.translate(sentence).text for sentence in data.sources]
        references = [[group[0] for group in data.references]]
        bleu = sacrebleu.corpus_bleu(texts, references, tokenize="none", force=True).score
        assert score == pytest.approx(bleu)
    [record] = as_record(comparison)["cells"]
    assert record["average"]["weights"] == cell.best.weights
    talk.clear()
    compare(replace(configuration, tune=replace(TUNED, replicas=2)), out, 1, Reporter(talk.append))
    assert "2 of 2 runs are already done" in talk  # the replicas are those of the other protocols


def test_a_single_replica_has_no_average(trained):
    configuration, folder = trained
    tune = replace(TUNED, protocol="average", replicas=1)
    assert average_jobs(grid(replace(configuration, tune=tune), folder, LONGEST)) == []


class Stop(Exception):
    pass


def first_job(configuration, folder) -> Job:
    return grid(configuration, folder, LONGEST)[0]


def stop_in_tuning(job):
    def say(what, _count):
        if what.startswith("iteration 1: BLEU") and ";" not in what:
            raise Stop

    with pytest.raises(Stop):
        run_job(Workplace(say), job)


def begins_anew(job):
    """Does the job, and tells whether it began with the first iteration."""
    later = []
    run_job(Workplace(lambda what, _: later.append(what)), job)
    return any(what.startswith("iteration 0: BLEU") for what in later)


def test_tuning_that_was_stopped_goes_on(trained, tmp_path):
    configuration, folder = trained
    undisturbed = replace(first_job(configuration, folder), folder=tmp_path / "a")
    run_job(Workplace(), undisturbed)
    stopped = replace(undisturbed, folder=tmp_path / "b")
    stop_in_tuning(stopped)
    assert (stopped.state / "trace.json").exists()
    assert not stopped.tuned.exists()
    assert not begins_anew(stopped)
    one, other = ((job.tuned / "tuned.json").read_bytes() for job in (stopped, undisturbed))
    assert one == other
    assert read_replica(stopped).weights == read_replica(undisturbed).weights


def test_data_that_changed_since_the_comparison_began(trained, tmp_path):
    configuration, folder = trained
    source = tmp_path / "dev"
    source.write_bytes(configuration.dev.source.read_bytes())
    changed = replace(configuration, dev=replace(configuration.dev, source=source))
    job = replace(first_job(changed, folder), folder=tmp_path / "out")
    assert not job.is_done()
    source.write_bytes(source.read_bytes().replace(b" ", b" x ", 1))
    refused(
        "a data set has changed since the comparison started", lambda: run_job(Workplace(), job)
    )


def test_a_state_that_is_damaged_is_begun_anew(trained, tmp_path):
    configuration, folder = trained
    job = replace(first_job(configuration, folder), folder=tmp_path)
    stop_in_tuning(job)
    (job.state / "pool-000.npz").write_bytes(b"nothing")
    assert begins_anew(job)
    assert job.is_done()


def new(*models):
    return {"systems": [LINEAR, ComparedSystem("NEW", models)]}


@refusals(
    (new("linear", "msdd"), "system 'NEW': … 'msdd' … did you mean msd?"),
    (new("msd,types=x"), "system 'NEW': msd,types=x: … 'types' … did you mean type?"),
    (new("linear", "linear"), "system 'NEW': two … have the feature 'linear' … each model once"),
    ({"tune": replace(TUNED, method="mertt")}, "'mertt' … did you mean mert?"),
    ({"tune": replace(TUNED, n_best=1)}, "tune.n_best is 1 … at least 2"),
    ({"tune": replace(TUNED, replicas=0)}, "tune.replicas is 0 … at least 1"),
    (
        {"tune": replace(TUNED, method="none", protocol="dev")},
        "no protocol 'dev' … known: average, best, goto",
    ),
    ({"tune": TUNED.with_optimiser("mira", Mira(passes=0))}, "mira.passes is 0 … at least 1"),
    ({"significance": "boot"}, "no test 'boot' … did you mean bootstrap?"),
    error=SettingError,
)
def test_systems_that_cannot_work_are_refused_before_training(tmp_path, changes):
    try:
        compare(tiny_configuration(tmp_path, **changes), tmp_path / "out", 1)
    finally:
        assert not (tmp_path / "out" / "system").exists()


def test_a_system_with_the_weights_of_another(tmp_path):
    longer = ComparedSystem("LONGER", ("linear", "msd"), weights="LEX")
    configuration = tiny_configuration(tmp_path, [longer, LEX], tune=TUNED, metrics=("bleu",))
    talk = []
    comparison = compare(configuration, tmp_path / "out", 1, Reporter(talk.append))
    for borrowed, own in zip(*(cell.replicas for cell in comparison.cells), strict=True):
        assert borrowed.weights == pytest.approx(own.weights)
        assert borrowed.seed == own.seed
        assert borrowed.trace == []
        assert borrowed.dev_score == pytest.approx(own.dev_score)
    assert comparison.cells[0].replicas[0].weights != comparison.cells[0].replicas[1].weights
    assert [line.split(":")[0] for line in talk if "done;" in line] == [
        f"{name} @ 6, seed {seed}" for name in ("LEX", "LONGER") for seed in (5, 6)
    ]
    other = replace(configuration, system=(LINEAR, replace(longer, weights="LINEAR")))
    facts = "'LONGER' cannot use the weights of 'LINEAR' … features differ: msd."
    refused(facts, lambda: compare(other, tmp_path / "out", 1), SettingError)


@refusals(
    ("LEXX", "'LONGER' cannot use the weights of 'LEXX' … did you mean LEX?"),
    ("LONGER", "'LONGER' cannot use the weights of 'LONGER' … LEX"),
    error=SettingError,
)
def test_weights_of_a_system_that_is_not_tuned_are_refused(tmp_path, name):
    longer = ComparedSystem("LONGER", ("linear", "msd"), weights=name)
    tiny_configuration(tmp_path, [longer, LEX])


@refusals(
    ("test", {"metrics": ("pdscore",)}, "data set 'test': pdscore needs a word alignment"),
    ("dev", {"tune": replace(TUNED, metric="pdscore")}, "data set 'dev': pdscore needs"),
    error=SettingError,
)
def test_metrics_that_the_data_cannot_have(tmp_path, name, changes):
    configuration = tiny_configuration(tmp_path)
    [test], dev = configuration.test, replace(configuration.dev, alignment=None)
    bare = {"test": (replace(test, alignment=None),)} if name == "test" else {"dev": dev}
    compare(replace(configuration, **bare, **changes), tmp_path / "out", 1)


def test_the_second_half_of_one_sentence(tmp_path):
    configuration = tiny_configuration(tmp_path, tune=replace(TUNED, protocol="goto"))
    configuration = check(replace(configuration, dev=replace(configuration.dev, lines="1-1")))
    refused("goto: … one sentence", lambda: compare(configuration, tmp_path / "out", 1))


def test_a_bad_pair_was_advised_an_option_that_compare_lacks(tmp_path):
    configuration = tiny_configuration(tmp_path)
    lines = configuration.train.source.read_text().splitlines()
    configuration.train.source.write_text("\n".join(["", *lines[1:]]) + "\n")
    facts = "train.source:1: the sentence is empty … remove it from all files of [train]"
    refused(facts, lambda: compare(configuration, tmp_path / "out", 1))


def test_a_layer_that_a_data_set_lacks_is_named_right_after_training(tmp_path):
    out, systems = tmp_path / "out", [LINEAR, ComparedSystem("PARSE", (f"{__name__}:NeedsTree",))]
    configuration = tiny_configuration(tmp_path, systems)
    facts = "system 'PARSE', data set 'dev': … needs-tree … 'tree' … give source_tree"
    refused(facts, lambda: compare(configuration, out, 1))
    assert ((out / "system").exists(), (out / "parts").exists()) == (True, False)


@pytest.mark.usefixtures("serial")
def test_the_oracle_takes_its_order_from_the_alignment_of_the_test_set(tmp_path):
    systems = [LINEAR, ComparedSystem("ORACLE", ("linear", "oracle"))]
    configuration = tiny_configuration(tmp_path, systems, limits=(-1,))
    done = compare(configuration, tmp_path / "out", 1)
    linear, oracle = (done.scores["test"][cell.name][1].score for cell in done.cells)
    assert done.metrics["test"][1].name == "PDscore"
    assert oracle > linear  # all sentences were seen in training, so their order can be followed
    assert "oracle" in done.cells[1].best.weights
    bare = replace(configuration, dev=replace(configuration.dev, alignment=None))
    facts = "'dev': the model oracle needs the layer 'order' … give alignment"
    refused(facts, lambda: compare(bare, tmp_path / "out", 1))


def test_a_layer_that_only_some_sentences_lack(tmp_path):
    configuration = tiny_configuration(
        tmp_path, [ComparedSystem("PARSE", (f"{__name__}:NeedsTree",))], metrics=("bleu",)
    )
    trees = [
        "(S " + " ".join(f"(X {word})" for word in line.split()) + ")"
        for line in configuration.dev.source.read_text().splitlines()
    ]
    trees[2] = ""
    path = tmp_path / "dev.trees"
    path.write_text("\n".join(trees) + "\n")
    dev = replace(configuration.dev, source_tree=path)
    configuration = replace(configuration, dev=dev)
    with pytest.raises(DataError, match=r"'dev': .* 'tree': 1 of 12 sentences lack it, first 3\n"):
        compare(configuration, tmp_path / "out", 1)


@pytest.mark.usefixtures("serial")
def test_trees_that_only_training_has_are_warned_about(tmp_path):
    configuration = tiny_configuration(tmp_path, [LINEAR], metrics=("bleu",))
    trees = tmp_path / "train.trees"
    lines = configuration.train.source.read_text().splitlines()
    flat = ["(S " + " ".join(f"(X {word})" for word in line.split()) + ")" for line in lines]
    trees.write_text("\n".join(flat) + "\n")
    configuration = replace(configuration, train=replace(configuration.train, source_tree=trees))
    talk = []
    compare(configuration, tmp_path / "out", 1, Reporter(talk.append))
    rest = "has not; models trained with trees will decode without them"
    assert talk[:2] == [
        f"warning: [train] has source_tree, but [dev] {rest}",
        f"warning: [train] has source_tree, but [[test]] 'test' {rest}",
    ]


@pytest.mark.usefixtures("serial")
def test_sets_without_tags_were_refused_although_the_system_has_a_tagger(tmp_path):
    systems = [LINEAR, ComparedSystem("PAIR", ("linear", "pair,prior=16.0,passes=3"))]
    configuration = tiny_configuration(tmp_path, systems, metrics=("bleu",))
    with gzip.open(sample_files("ja-en").source_tags, "rb") as stream:
        (tmp_path / "train.tags").write_bytes(b"".join(stream.readlines()[:N_TRAIN]))
    train = replace(configuration.train, source_tags=tmp_path / "train.tags")
    configuration, talk = replace(configuration, train=train), []
    plain = compare(configuration, tmp_path / "out", 1, Reporter(talk.append))
    tagger = load_source_tagger(tmp_path / "out" / "system")
    assert [line for line in talk if "system's tagger" in line] == [
        "no tags given for dev and test: using the system's tagger "
        f"({tagger.accuracy:.1%} of held-out words right)"
    ]

    def tagged(data):
        """The same set with tags that the tagger has made."""
        path = tmp_path / f"{data.name}.tags"
        lines = data.source.read_text().splitlines()
        path.write_text("".join(f"{' '.join(tagger.tag(line.split()))}\n" for line in lines))
        return replace(data, source_tags=path)

    tests = tuple(map(tagged, configuration.test))
    configuration, talk = replace(configuration, dev=tagged(configuration.dev), test=tests), []
    given = compare(configuration, tmp_path / "out", 1, Reporter(talk.append))
    assert not [line for line in talk if "system's tagger" in line]
    for system in ("LINEAR", "PAIR"):
        both = [one.cell(system, 6).best for one in (plain, given)]
        assert both[0].outputs == both[1].outputs
        assert both[0].dev_score == both[1].dev_score


@pytest.mark.usefixtures("serial")
def test_unknown_words_of_a_set_are_counted(tmp_path):
    configuration = tiny_configuration(tmp_path, [LINEAR], metrics=("bleu",))
    path = configuration.test[0].source
    words = ["zzz", *path.read_text().split(" ")[1:]]  # instead of the first one
    path.write_text(" ".join(words))
    words = " ".join(words).split()
    n, n_types, talk = len(words), len(set(words)), []
    comparison = compare(configuration, tmp_path / "out", 1, Reporter(talk.append))
    expected = f"unknown words: 1 of {n} ({1 / n:.1%}), 1 of {n_types} types ({1 / n_types:.1%})"
    assert [line for line in talk if "unknown" in line] == [f"test: {expected}"]  # dev has none
    assert summary_table(comparison, "test").notes[-1] == expected


def test_results_are_the_same_for_any_number_of_processes(tmp_path, monkeypatch):
    configuration = tiny_configuration(tmp_path)
    written = []
    for threads in (1, 2):  # the one is this process
        out = tmp_path / str(threads)
        with monkeypatch.context() as patch:
            if threads == 1:
                patch.setattr(run, "run_jobs", in_this_process)
            files = write_files(compare(configuration, out, threads), out)
        written.append([path.read_bytes() for path in files])
    assert written[0] == written[1]
    record = json.loads(written[0][0])
    assert "seconds" not in str(record)
    assert str(tmp_path / "1") not in written[0][0].decode()


@pytest.mark.usefixtures("serial", "shared_stages")
def test_a_test_set_that_changed_after_it_was_hashed_was_taken_for_the_old_one(
    tmp_path, monkeypatch
):
    configuration = tiny_configuration(tmp_path, systems=[LINEAR])
    source = configuration.test[0].source

    def change_and_load(data, *given, **options):
        if data.name == "test":
            source.write_text(source.read_text().replace("a", "o"))
        return load(data, *given, **options)

    monkeypatch.setattr(cells, "load", change_and_load)
    with pytest.raises(DataError, match=rf"{source}: was changed while it was being read"):
        compare(configuration, tmp_path / "out", threads=1)
    parts = [path.name.partition("-")[0] for path in (tmp_path / "out/parts").iterdir()]
    assert parts == ["tuned"]
