"""Where text is cut."""

import sys

import pytest
from hypothesis import given

from hyperbaton.corpus.languages import TEXT_CONVENTIONS
from hyperbaton.corpus.raw_text import tokenisers
from hyperbaton.corpus.raw_text.normalisation import normalise
from hyperbaton.corpus.raw_text.protection import spans
from hyperbaton.corpus.raw_text.tokenisers import TOKENISERS, Tokeniser
from hyperbaton.foundation.errors import SettingError
from tests.corpus.raw_text.nasty import texts
from tests.refusals import refused
from tests.strategies import examples

PACKAGES = {"moses": "sacremoses", "unidic": "fugashi", "jieba": "jieba", "kiwi": "kiwipiepy"}
EXTRAS = {"moses": "text-en", "unidic": "text-ja", "jieba": "text-zh", "kiwi": "text-ko"}
OWN = {"moses": "en", "unidic": "ja", "jieba": "zh", "kiwi": "ko", "char": "zh", "none": "en"}
OWN["words"] = "en"
HAND_WORKED = [
    ("moses", "en", "Mr. Ito's (old) U.S. car, eh?", "Mr. Ito 's ( old ) U.S. car , eh ?"),
    ("moses", "en", "It isn't here.", "It isn 't here ."),
    ("moses", "en", "Pay $1,000.50 by 10:30!", "Pay $ 1,000.50 by 10:30 !"),
    ("moses", "fr", "L'eau n'est pas là.", "L' eau n' est pas là ."),
    ("unidic", "ja", "彼は本を買った。", "彼 は 本 を 買っ た 。"),
    ("jieba", "zh", "我喜欢北京。", "我 喜欢 北京 。"),
    ("kiwi", "ko", "나는 학교에 갔다.", "나 ￭는 학교 ￭에 갔 ￭다 ."),
    ("words", "hi", "वह (आज) किताब…", "वह ( आज ) किताब …"),
    ("words", "en", '"Don\'t go!" - 3.5 well-known.', '" Don\'t go ! " - 3.5 well-known .'),
    ("char", "ja", "本を Mac で", "本 を ▁M a c ▁で"),
    ("none", "en", "he 's here .", "he 's here ."),
]  # fmt: skip


def tokeniser(name, language):
    if name in PACKAGES:
        pytest.importorskip(PACKAGES[name], reason=f"{PACKAGES[name]} is not installed")
    return Tokeniser(name, language)


@pytest.mark.parametrize(("name", "language", "text", "expected"), HAND_WORKED)
def test_hand_worked(name, language, text, expected):
    made = tokeniser(name, language)
    tokens = made.tokenise(text)
    assert tokens == expected.split()
    assert made.detokenise(tokens) == text


@pytest.mark.parametrize(("name", "language"), OWN.items())
def test_every_text_comes_back(name, language):
    made = tokeniser(name, language)

    @examples(4)
    @given(texts)
    def check(raw):
        text = normalise(raw, "NFKC" if language in ("ja", "zh", "ko") else "NFC")
        tokens = made.tokenise(text)
        assert made.detokenise(tokens) == text
        assert all(token and not set(token) & set("|<>[] \n") for token in tokens)
        pieces = [text[first:last] for first, last in made.spans(text)]
        assert "".join(pieces) == text.replace(" ", "")

    check()


@pytest.mark.parametrize(
    "piece",
    [
        "http://a.b/c?d=e,f", "www.a.org", "x.y+z@a-b.org", "1,000.5", "10:30", "2026-11-16",
        "&quot;", "&#124;", "🇯🇵", "👍🏽", "👩\u200d👧", "ä\u0323", "1️⃣",
    ],
)  # fmt: skip
def test_what_belongs_together_stays_together(piece):
    text = f"({piece}) {piece}. {piece}"
    found = [text[first:last] for first, last in spans(text, range(len(text)))]
    assert found == ["(", piece, ")", piece, ".", piece]


@pytest.mark.parametrize(("name", "package"), PACKAGES.items())
def test_a_missing_package_is_named_with_its_remedy(monkeypatch, name, package):
    for module in (package, "unidic_lite"):
        monkeypatch.setitem(sys.modules, module, None)
    missing = "unidic_lite" if name == "unidic" else package
    remedy = f"pip install 'hyperbaton[{EXTRAS[name]}]'"
    refused(f"{missing} … {remedy}", lambda: Tokeniser(name, OWN[name]).load())


def test_absent_packages_and_unknown_tokenisers():
    missing = "no_such_package"
    refused(f"{missing} is not installed", lambda: tokenisers._library(missing, "text"))
    refused("unknown tokeniser 'mosses'", lambda: Tokeniser("mosses", "en"), SettingError)


def test_every_language_has_a_tokeniser():
    assert {language.tokeniser for language in TEXT_CONVENTIONS.values()} <= set(TOKENISERS)
