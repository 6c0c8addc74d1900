import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from sacrebleu.metrics.bleu import BLEU

from hyperbaton.corpus.corpora.reading import CorpusFiles
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.models.system.training import train_system
from hyperbaton.tuning.evaluation.oracle_bleu import climb, oracle_bleu
from tests import command_line
from tests.decoder.oracles import everything
from tests.decoder.systems import systems
from tests.tuning.evaluation.test_diagnosis import translator_of

BLEU_OF_ALL = BLEU(tokenize="none", force=True)


@given(systems(max_words=4), st.lists(st.sampled_from("ABCD"), min_size=1, max_size=6))
def test_no_less_than_its_own_and_no_more_than_the_best(system, words):
    """Of all translations of one sentence, by sacrebleu."""
    text = " ".join(words)
    translator = translator_of(system, pop_limit=0, stack_size=0, distortion_limit=-1)
    found = oracle_bleu(translator, [Sentence(tuple(system[-1]))], [[text]])
    for line, score in ((found.own, found.own_score), (found.best, found.best_score)):
        assert abs(BLEU_OF_ALL.corpus_score(line, [[text]]).score - score) < 1e-6
    every = {" ".join(own) for _, own, _ in everything(system)}
    assert found.best[0] in every
    assert found.own_score <= found.best_score


@given(systems(max_words=4), st.data())
def test_what_the_lattice_can_say_is_said(system, data):
    every = [own for _, own, _ in everything(system) if len(own) >= 4 and len(set(own)) == len(own)]
    if every:
        wanted = " ".join(data.draw(st.sampled_from(every)))
        translator = translator_of(system, pop_limit=0, stack_size=0, distortion_limit=-1)
        found = oracle_bleu(translator, [Sentence(tuple(system[-1]))] * 2, [[wanted], [wanted]])
        assert found.best == [wanted] * 2


class Valley:
    """Two ones are worse than two zeros, and one of each is worst: no single step leads out."""

    @staticmethod
    def score(sums):
        return np.array([10.0, 0.0, 5.0])[sums[..., 0].astype(int)]

    @staticmethod
    def smooth_sentence_scores(statistics):
        return statistics[:, 0]  # of a sentence by itself, one is better


def test_what_looks_better_sentence_by_sentence_may_be_worse_than_the_first_of_each():
    statistics = np.array([[0.0], [1.0], [0.0], [1.0]])
    first, last = np.array([0, 2]), np.array([2, 4])
    assert climb(Valley(), statistics, first, last).tolist() == [0, 2]


def test_the_command(write, tmp_path):
    files = [write(name, text) for name, text in (("s", "a b\nb a\n"), ("t", "A B\nB A\n"))]
    links = write("a", "0-0 1-1\n0-0 1-1\n")
    train_system(CorpusFiles(*files, links), tmp_path / "m")
    source, reference = write("dev.s", "a b a b\nb b a a\n"), write("dev.t", "B A B A\nB B A A\n")
    arguments = "--source", source, "--reference", reference, "-o", tmp_path / "best"
    done = command_line.run(
        "diagnose", "--oracle-bleu", tmp_path / "m", *arguments, "--distortion-limit", "inf"
    )
    assert (tmp_path / "best").read_text() == reference.read_text()
    assert done.stdout.splitlines()[-1].split()[-1] == "100.00"
