import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import SearchSettings
from hyperbaton.decoder.stream import Failure
from hyperbaton.decoder.translator import Translator
from hyperbaton.models.system.folder import default_models
from hyperbaton.tuning.evaluation.diagnosis import diagnose, diagnose_order
from tests import command_line
from tests.decoder.oracles import everything
from tests.decoder.systems import HAND, systems


def translator_of(system, **search):
    table, lm, kind, weights, _ = system
    return Translator(table, lm, default_models(kind), weights, SearchSettings(**search))


@given(systems(max_words=3), st.data(), st.sampled_from([1, 400]))
def test_the_cause_is_the_one_that_trying_everything_shows(system, data, pops):
    """One step a stack loses much; 400 are more than there are."""
    free, near = everything(system), everything(system, 1)
    text = data.draw(st.sampled_from([text for _, text, _ in free]) | st.just(["never"]))
    translator = translator_of(system, pop_limit=pops, distortion_limit=1)
    [found] = diagnose(translator, [Sentence(tuple(system[-1]))], [" ".join(text)])
    if isinstance(found, Failure):  # a search that is too narrow may find nothing
        assert pops == 1
        return
    own = found.output.split()
    reachable = [score for score, other, _ in near if other == text]
    if own == text:
        expected = "said"
    elif not any(other == text for _, other, _ in free):
        expected = "phrases"
    elif not reachable:
        expected = "limit"
    else:
        expected = "search" if max(reachable) > found.score + 1e-5 else "model"
        assert found.reference_score == pytest.approx(max(reachable), abs=1e-4)
        if abs(max(reachable) - found.score) < 1e-4:
            return
        assert found.differences.sum() == pytest.approx(
            found.score - found.reference_score, abs=1e-4
        )
    assert found.cause == expected
    assert not (expected == "search" and pops == 400)


@given(systems(max_words=3), st.data(), st.sampled_from([1, 400]))
def test_the_cause_of_an_order_is_the_one_that_trying_everything_shows(system, data, pops):
    words = system[-1]
    ranks = data.draw(st.permutations(range(len(words))))

    def follows(spans):
        """No word comes after a phrase that has a word of higher rank."""
        done = set()
        for start, end in spans:
            done |= set(range(start, end))
            if any(rank < max(ranks[start:end]) for k, rank in enumerate(ranks) if k not in done):
                return False
        return True

    translator = translator_of(system, pop_limit=pops, distortion_limit=1)
    sentence = Sentence(tuple(words), order=tuple(ranks))
    [found] = diagnose_order(translator, [sentence])
    if isinstance(found, Failure):
        assert pops == 1
        return
    own = translator.decode(sentence)
    free, near = (
        [score for score, _, spans in everything(system, limit) if follows(spans)]
        for limit in (-1, 1)
    )
    if follows([span[:2] for span in own.spans()]):
        assert found.cause == "said"
    elif not free:
        assert found.cause == "phrases"
    elif not near:
        assert found.cause == "limit" or pops == 1  # a narrow search may not find the way
    elif pops == 400:
        assert found.cause == "model" or max(near) > found.score - 1e-4
        assert found.reference_score == pytest.approx(max(near), abs=1e-4)
        assert found.differences.sum() == pytest.approx(found.score - max(near), abs=1e-4)


def test_the_command(write, tmp_path):
    from hyperbaton.corpus.corpora.reading import CorpusFiles
    from hyperbaton.models.system.training import train_system

    lines = [
        (" ".join(source), " ".join(target), " ".join(f"{s}-{t}" for s, t in links))
        for source, target, links in HAND
    ]
    columns = zip(*lines, strict=True)
    files = [write(name, "\n".join(column)) for name, column in zip("sta", columns, strict=True)]
    train_system(CorpusFiles(*files), tmp_path / "m")
    source = write("dev.ja", "hon o katta\nhon o katta\nhon kare\n\n")
    reference = write("dev.en", "bought a book\na book bought\nsold a book\n\n")
    arguments = "--source", source, "--reference", reference
    done = command_line.run("diagnose", tmp_path / "m", *arguments)
    table = {line.split()[0]: line.split()[1] for line in done.stdout.splitlines()[2:7]}
    assert table == {"said": "2", "phrases": "1", "limit": "0", "search": "0", "model": "1"}
    assert "output     bought a book" in done.stdout
    links = write("dev.align", "2-0 0-2\n0-0 2-2\n0-0 1-2\n\n")
    more = "--reference-alignment", links, "--plot", tmp_path / "causes.svg"
    done = command_line.run("diagnose", tmp_path / "m", *arguments, *more)
    lines = done.stdout.splitlines()
    begin = lines.index("Why their order differs from the reference")
    table = {line.split()[0]: line.split()[1] for line in lines[begin + 2 : begin + 7]}
    # phrases have any order inside; of the third sentence the models prefer "he" first
    assert table == {"said": "3", "phrases": "0", "limit": "0", "search": "0", "model": "1"}
    drawn = (tmp_path / "causes.svg").read_text()
    assert [
        text for text in ("translation", "order", "25%", "75%") if f">{text}<" not in drawn
    ] == []
    done = command_line.run(
        "diagnose", tmp_path / "m", "--source", source, "--reference", files[0], code=1
    )
    assert "Traceback" not in done.stderr
