"""Numbers that are copied: what becomes a placeholder, and what comes back."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.corpora.alignment import parse_links
from hyperbaton.corpus.raw_text.both_sides import TextPipelines
from hyperbaton.corpus.raw_text.numbers import NUMBER, is_number, masked_corpus, masked_sentence
from hyperbaton.corpus.raw_text.pipeline import TextPipeline
from hyperbaton.corpus.raw_text.settings import TextSettings
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.errors import SettingError
from hyperbaton.models.system.folder import load_text, read_system
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.training import train_system
from hyperbaton.tuning.weights.hypotheses import collect, listed
from tests.models.phrases.corpora import corpus_of as linked_corpus
from tests.refusals import refused
from tests.tiny_systems import write_corpus

TEXT = TextSettings("xx", "en", "none", "none", "keep", "keep", numbers="copy")
# years in the order of the source, and in the other one; a number that is a word in English
SOURCE = "1868 kara 1912 made\n1912 no 1868\n10 nin\n7 nin\n"
TARGET = "from 1868 to 1912\n1868 of 1912\nten people\n7 people\n"
ALIGNMENT = "0-1 1-0 2-3 3-2\n0-2 1-1 2-0\n0-0 1-1\n0-0 1-1\n"


def corpus_of(*pairs):
    return linked_corpus(
        (source.split(), target.split(), np.reshape(parse_links(links), (-1, 2)).tolist())
        for source, target, links in pairs
    )


def words(side):
    return [" ".join(side.vocabulary.decode(row.tolist())) for row in side.words]


@pytest.mark.parametrize(
    ("source", "target", "links", "masked"),
    [
        ("in 1868 .", "1868 ni .", "0-1 1-0 2-2", ("in N .", "N ni .")),
        ("1868 1912", "1912 1868", "0-1 1-0", ("N N", "N N")),
        ("1868", "1869", "0-0", ("1868", "1869")),  # another number
        ("1868 a", "1868 b", "0-0 1-0", ("1868 a", "1868 b")),  # linked with more
        ("1868 1868", "1868", "0-0 1-0", ("1868 1868", "1868")),
        ("1868 1868", "1868", "1-0", ("1868 N", "N")),
        ("1868", "1868", "", ("1868", "1868")),
        ("7 1,000.5", "7 1,000.5", "0-0 1-1", ("7 N", "7 N")),
    ],
)
def test_numbers_that_correspond_one_to_one_become_placeholders(source, target, links, masked):
    corpus = masked_corpus(corpus_of((source, target, links), ("a 20", "b 20", "0-0")))
    found = words(corpus.source)[0], words(corpus.target)[0]
    assert found == tuple(text.replace("N", NUMBER) for text in masked)
    assert words(corpus.source)[1] == "a 20"
    for side in (corpus.source, corpus.target):  # no word that does not occur
        assert set(np.unique(side.words.values)) == set(range(3, len(side.vocabulary)))


def test_words_that_are_copied_keep_their_capital_letters_beside_numbers():
    sentence = masked_sentence(TextPipeline.of("xx", "none", "lower").sentence("Tanaka 1868 Ai"))
    assert sentence.words == ("tanaka", NUMBER, "ai")
    assert [sentence.copy_of(place) for place in range(3)] == ["Tanaka", "1868", "Ai"]


@given(st.text(alphabet="0123456789.,:/-a", max_size=6))
def test_a_number_has_two_digits_and_no_letters(token):
    digits = sum(map(str.isdigit, token))
    ends = bool(token) and token[0].isdigit() and token[-1].isdigit()
    assert is_number(token) == (ends and digits >= 2 and "a" not in token)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = tmp_path_factory.mktemp("numbers")
    (folder / "more").write_text("from 1999 to 2000\n")
    files = write_corpus(folder, times=1, source=SOURCE, target=TARGET, alignment=ALIGNMENT)
    train_system(files, folder / "m", TrainingSettings(text=TEXT), [folder / "more"])
    return folder / "m"


def test_numbers_are_copied_in_the_order_of_the_phrase(model):
    translator = Translator.load(model)
    assert translator.translate("2001 kara 2016-11 made").text == "from 2001 to 2016-11"
    assert translator.translate("2001 no 1999").text == "1999 of 2001"
    assert translator.translate("7 nin").text == "7 people"  # a word like any other
    assert translator.translate("10 nin").text == "10 people"
    assert translator.translate("2001 no 1999. X y 2001 no 77").text.split()[-3:] == [
        "77", "of", "2001",
    ]  # fmt: skip
    assert "1999" not in translator.lm.vocabulary  # of the further text
    tokens = translator.for_tokens()
    assert "2001" in tokens.translate("2001 nin").text
    assert tokens.translate(f"{NUMBER} nin").text == f"{NUMBER} people"


def test_pools_of_hypotheses_have_the_numbers(model):
    translator = Translator.load(model)
    sentences = [
        translator.preparation.parse(line)
        for line in ("2001 kara 12 made", "zz 2001 no 1999 kara", "nin")
    ]
    decoded = [translator.decode(sentence, 20) for sentence in sentences]
    pool = collect(map(listed, decoded), sentences, translator.phrases.target_vocabulary)
    texts = [" ".join(one.words(number)) for one in decoded for number in range(len(one))]
    assert pool.texts(np.arange(len(texts))) == texts
    assert len(set(texts)) > 10
    assert not any(NUMBER in text for text in texts)


def test_a_system_knows_whether_it_copies(model):
    assert read_system(model)["text"]["numbers"] == "copy"
    assert load_text(model).numbers == "copy"
    described = load_text(model).described()
    refused("numbers", lambda: TextPipelines.read(described | {"numbers": "spell"}, None, "here"))
    with pytest.raises(SettingError, match="numbers cannot be 'kopy'") as error:
        TextPipelines.of(TextSettings("xx", "en", "none", "none", numbers="kopy"))
    assert error.value.expected == "did you mean copy?"
