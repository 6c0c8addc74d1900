"""Where sentences end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.corpus.raw_text.normalisation import normalise
from hyperbaton.corpus.raw_text.splitting import Splitter
from tests.corpus.raw_text.nasty import texts
from tests.strategies import examples


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "He came.| He left!| Did he?| Yes..."),
        ("en", "Mr. Ito and Dr. J. K. Sato of the U.S. Army met at No. 3 St. Mary Ave. Today."),
        ("en", '"I came."| He left (at 3.)| "Now."'),
        ("en", "It cost 3.5 dollars, e.g. here... and then it rose.| 5 left."),
        ("en", "He said “Go.”| Then “Stop!” he cried."),
        ("en", "no capital. letter here"),
        ("en", ". . ."),
        ("de", "Am 3. Mai kam er, z. B. mit Dr. Maier.| „Ja.“| Er ging."),
        ("fr", "M. Dupont est là.| « Oui. »"),
        ("es", "Vino.| ¿Quién?| ¡Él!"),
        ("ja", "来た。|見た！？|「来た。見た。」と言った。|終"),
        ("ja", "「閉じない。|次。"),
        ("ja", "http://a.b/c?d=e です?|はい。"),
        ("zh", "你好。|（他来了。）再见！"),
    ],
)
def test_hand_worked(language, text):
    parts = text.split("|")
    whole = "".join(parts)
    found = [whole[first:last] for first, last in Splitter(language)(whole)]
    assert found == [part.removeprefix(" ") for part in parts]


@examples(8)
@given(texts, st.sampled_from(["en", "de", "ja", "xx"]))
def test_nothing_is_lost(raw, language):
    text = normalise(raw)
    spans = list(Splitter(language)(text))
    assert "".join(text[first:last] for first, last in spans).replace(" ", "") == text.replace(
        " ", ""
    )
    assert all(text[first:last].strip() for first, last in spans)
    assert spans == sorted(spans)
