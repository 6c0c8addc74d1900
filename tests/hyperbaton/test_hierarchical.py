"""Systems with hierarchical rules from the command line."""

import gzip
import json
import tomllib

import pytest

from hyperbaton.decoder.translator import Translator
from hyperbaton.samples import sample_files
from tests.command_line import run
from tests.refusals import states
from tests.tuning.comparison.tiny import N_DEV, N_TRAIN


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with a few pairs of the sample and a system of hierarchical rules."""
    folder = tmp_path_factory.mktemp("hierarchical")
    files = sample_files("ja-en")
    for name in ("source", "target", "alignment"):
        with gzip.open(getattr(files, name), "rb") as stream:
            lines = stream.readlines()[:N_TRAIN]
        (folder / f"train.{name}").write_bytes(b"".join(lines))
        (folder / f"dev.{name}").write_bytes(b"".join(lines[:N_DEV]))
    run("train", "--source", folder / "train.source", "--target", folder / "train.target",
        "--alignment", folder / "train.alignment", "--grammar", "hierarchical", "--lm-order", "3",
        "--out", folder / "system")  # fmt: skip
    return folder


def first_line(made):
    return (made / "dev.source").read_text().splitlines()[0]


def test_it_translates_with_n_best_lists_and_alignments(made):
    done = run("translate", made / "system", made / "dev.source", "--n-best", "5",
               "--n-best-file", made / "lists", "--out", made / "out", "--print-alignment",
               "--stats", "--threads", "1")  # fmt: skip
    lines = (made / "out").read_text().splitlines()
    assert len(lines) == N_DEV
    assert all(" ||| " in line for line in lines)
    lists = [line.split(" ||| ") for line in (made / "lists").read_text().splitlines()]
    scores = [float(fields[3]) for fields in lists if fields[0] == "0"]
    assert len(scores) == 5
    assert scores == sorted(scores, reverse=True)
    assert lists[0][2].endswith(f"glue= {lists[0][2].split()[-1]}")
    assert "pops" in done.stderr


def test_the_shortest_span_only_puts_phrases_in_order(made):
    line = first_line(made)
    settings = {"chart_span": 1, "pop_limit": 0, "stack_size": 0}
    best = Translator.load(made / "system").with_settings(**settings).translate(line)
    assert [end - start for start, end, _, _ in best.segmentation] == [1] * len(line.split())
    assert best.features["glue"] == len(line.split()) - 1
    done = run("translate", made / "system", "--chart-span", "1", "--format", "json", input=line)
    assert json.loads(done.stdout)["features"]["glue"] == len(line.split()) - 1


def test_long_sentences_are_translated_in_pieces(made):
    words = " ".join([first_line(made), "xyz"] * 3)
    translator = Translator.load(made / "system").with_settings(max_length=9)
    decoded = translator.decode(words, 3)
    assert decoded.n_pieces > 2
    assert decoded.copied() == ["xyz"] * 3
    for number in range(len(decoded)):
        spans = decoded.spans(number)
        assert [span[0] for span in spans[1:]] == [span[1] for span in spans[:-1]]
        assert spans[-1][1] == len(words.split())
        assert spans[-1][3] == len(decoded.words(number)) == len(decoded.all_words()[number])
        links = [tuple(link) for link in decoded.all_links()[number].tolist()]
        assert sorted(links) == decoded.links(number)


@pytest.mark.parametrize("method", ["mira", "mert", "pro"])
def test_weights_are_tuned(made, method):
    with (made / "system" / "model.toml").open("rb") as stream:
        before = tomllib.load(stream)["weights"]
    done = run("tune", made / "system", "--source", made / "dev.source", "--reference",
               made / "dev.target", "--method", method, "--iterations", "2", "--replicas", "1",
               "--set", "tune.confirm=false", "--state", made / method)  # fmt: skip
    assert "BLEU" in done.stdout
    assert "glue" in before
    assert set(Translator.load(made / "system").weights) == set(before)


REFUSED = [
    (["translate", "--distortion", "linear"], "the distortion model linear … hierarchical"),
    (["translate", "--lattice", "x"], "chart search has no lattice"),
    (["translate", "--mbr-lattice"], "chart search has no lattice"),
    (["translate", "--force", "dev.target"], "a given translation … chart search"),
    (["translate", "--oracle", "dev.alignment"], "the distortion model oracle … hierarchical"),
    (["tune", "--method", "mert-lattice"], "chart search has no lattice"),
    (["prune", "--significance", "a-e"], "the system has no phrase table"),
    (["explain", "--heat-map", "x.svg"], "heat maps"),
]


@pytest.mark.parametrize(("arguments", "message"), REFUSED)
def test_what_has_no_meaning_is_refused_by_name(made, arguments, message):
    name, *options = arguments
    given = {
        "translate": ["--threads", "1"],
        "tune": ["--source", "dev.source", "--reference", "dev.target"],
        "prune": [],
        "explain": [first_line(made)],
    }[name]
    line = first_line(made) + "\n"
    done = run(name, "system", *given, *options, code=None, input=line, cwd=made)
    assert done.returncode in (1, 2)
    assert states(done.stderr, message)


def test_markup_is_refused_by_name(made):
    line = f'<t translation="x">{first_line(made)}</t>'
    done = run("translate", made / "system", "--markup", "exclusive", code=1, input=line)
    assert states(done.stderr, "hierarchical rules cannot keep to terms")


def test_rules_take_no_distortion_models(made):
    done = run("train", "--sample", "ja-en", "--grammar", "hierarchical", "--distortion", "pair",
               "--out", made / "other", code=2)  # fmt: skip
    assert states(done.stderr, "the distortion model pair has no meaning for hierarchical rules")


def test_info_and_check_know_the_rules(made):
    assert "rules" in run("info", made / "system").stdout
    assert "rules: intact" in run("check", made / "system").stdout


def test_the_tree_is_shown_drawn_and_adds_up(made):
    line = first_line(made)
    out = run("explain", made / "system", line, "--plot", made / "tree.svg").stdout
    assert "S → X" in out
    assert "X → " in out
    assert out.count("<") == 0
    done = run("explain", made / "system", line, "--format", "json", "--n-best", "2")
    content = json.loads(done.stdout)
    derivations = content["derivations"]
    assert len(derivations) == 2
    for one in derivations:
        lm = one["features"]["lm"] * content["weights"]["lm"]
        assert sum(step["adds"] for step in one["rules"]) + lm == pytest.approx(
            one["score"], abs=1e-4
        )
        # the words of the rules are those of the sentence
        words = [w for step in one["rules"] if not step["is_chain"] for w in step["left"].split()]
        assert sorted(w for w in words if w not in ("X1", "X2")) == sorted(line.split())
    svg = (made / "tree.svg").read_text()
    assert all(f">{word}</text>" in svg for word in line.split())
    n_rules = sum(not step["is_chain"] for step in derivations[0]["rules"])
    assert svg.count("<polyline") == 2 * n_rules


def test_a_comparison_of_both_searches(tmp_path):
    from dataclasses import replace

    from hyperbaton.models.system.folder import read_system
    from hyperbaton.tuning.comparison.configuration import ComparedSystem, check
    from hyperbaton.tuning.comparison.run import compare
    from tests.tuning.comparison.tiny import LINEAR, in_this_process, tiny_configuration

    hier = ComparedSystem("HIER", decoder="chart")
    configuration = tiny_configuration(tmp_path, (LINEAR, hier), limits=(2, 6))
    ran = []

    def run_jobs(workers, jobs, work, progress, done):
        ran.extend(job.name for job in jobs)
        in_this_process(workers, jobs, work, progress, done)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hyperbaton.tuning.comparison.run.run_jobs", run_jobs)
        result = compare(configuration, tmp_path / "out", threads=1)
        assert [name for name in ran if "HIER" in name] == ["HIER @ 2"]  # for all limits
        scores = {(cell.system, cell.limit): cell.chosen for cell in result.cells}
        assert len(scores) == 4
        keys = {p.name for p in (tmp_path / "out" / "parts").glob("tuned-*")}
        assert len(keys) == 3
        # the parts of one search do not matter to the systems of the other
        alone = check(replace(configuration, system=(LINEAR,)))
        ran.clear()
        compare(alone, tmp_path / "out", threads=1)
        assert ran == []
        assert "rules" not in read_system(tmp_path / "out" / "system")["parts"]


@pytest.mark.parametrize(
    ("system", "message"),
    [
        ({"decoder": "chart", "distortion": ("linear",)}, "'X' … chart decoder … distortion"),
        ({"decoder": "chard", "distortion": ("linear",)}, "chard … chart"),
        ({}, "'X' … no distortion model"),
    ],
)
def test_impossible_systems_of_comparisons_are_refused(tmp_path, system, message):
    from hyperbaton.foundation.errors import SettingError
    from hyperbaton.tuning.comparison.configuration import ComparedSystem
    from tests.refusals import refused
    from tests.tuning.comparison.tiny import tiny_configuration

    systems = (ComparedSystem("X", **system),)
    refused(message, lambda: tiny_configuration(tmp_path, systems), SettingError)


def test_a_server_explains_rules_by_their_trees(made):
    from hyperbaton.serving.explaining import warm_up
    from hyperbaton.serving.systems import ServedSystem
    from tests.hyperbaton.serving.running import running

    system = ServedSystem("rules", Translator.load(made / "system"))
    warm_up(system)
    line = first_line(made)
    run("explain", made / "system", line, "--plot", made / "served.svg")
    done = run("explain", made / "system", line, "--format", "json", "--n-best", "3")
    with running(system) as server:
        one = server.translate(line)
        assert one.content["translation"] == system.translator.translate(line).text
        found = server.explain(line, n_best=3, derivations=2, beams=[1])
        assert [len(found[name]) for name in ("trees", "derivations", "n_best")] == [2, 0, 3]
        assert found["trees"][0]["svg"] == (made / "served.svg").read_text()
        for tree, one in zip(found["trees"], json.loads(done.stdout)["derivations"], strict=False):
            assert tree["rules"] == one["rules"]
            assert tree["text"] == one["translation"]
            parts = [name for names in found["parts"].values() for name in names]
            assert parts == list(tree["features"])
            score = sum(found["weights"][name] * tree["features"][name] for name in parts)
            assert tree["score"] == pytest.approx(score, abs=1e-4)
        assert found["beams"][0]["score"] <= found["trees"][0]["score"] + 1e-9
        for asked, message in (
            ({"force": "he"}, "there are no constraints (force)"),
            ({"order": "0"}, "there are no constraints (order)"),
            ({"limits": [2]}, "there are no limits"),
        ):
            refused = server.post("/explain", {"text": line, **asked})
            assert refused.status == 422
            assert message in refused.error["message"]
        strange = server.explain("\x01 hon")["trees"][0]["svg"]
        assert "\N{REPLACEMENT CHARACTER}" in strange


def test_a_system_for_given_texts_refuses_others(made):
    run("train", "--source", made / "train.source", "--target", made / "train.target",
        "--alignment", made / "train.alignment", "--grammar", "hierarchical", "--lm-order", "3",
        "--rules-for", made / "dev.source", "--out", made / "for")  # fmt: skip
    whole, some = (Translator.load(made / name) for name in ("system", "for"))
    assert len(some.phrases) < len(whole.phrases)
    some = some.with_weights(whole.weights)
    for line in (made / "dev.source").read_text().splitlines():
        assert some.translate(line).text == whole.translate(line).text
    done = run("translate", made / "for", input="kare wa\n", code=1)
    assert states(done.stderr, "sentence 1: … extracted for other sentences … --rules-for")
    assert "rules: intact" in run("check", made / "for").stdout


def test_a_pop_limit_that_is_given_is_kept(made, tmp_path):
    from hyperbaton.decoder.decode import POP_LIMITS, SearchSettings, for_search
    from hyperbaton.tuning.comparison.cells import Job, _Work
    from hyperbaton.tuning.comparison.configuration import ComparedSystem
    from tests.tuning.comparison.tiny import LINEAR, tiny_configuration

    assert POP_LIMITS == {"stack": 200, "chart": 600}
    systems = LINEAR, ComparedSystem("HIER", decoder="chart")
    keys = {"stack": [], "chart": []}
    for given, expected in ((-1, POP_LIMITS), (400, {"stack": 400, "chart": 400}), (0, {})):
        settings = SearchSettings(pop_limit=given)
        configuration = tiny_configuration(tmp_path, systems, search=settings)
        loaded = Translator.load(made / "system", settings)
        assert loaded.settings.pop_limit == expected.get("chart", 0)
        for system in systems:
            job = Job(configuration, tmp_path, made / "system", system, 6, 1, longest=9)
            kind = system.decoder
            assert for_search(settings, kind).pop_limit == expected.get(kind, 0)
            if kind == "chart":
                chart = _Work(job, print, print).translator
                assert chart.settings.pop_limit == expected.get(kind, 0)
            keys[kind].append(str(job._searched) if kind == "chart" else settings)
    assert len(set(keys["chart"])) == 3
