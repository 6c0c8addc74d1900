"""Raw text of one side of a system: normalise, tokenise, case; then recase and detokenise."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from hyperbaton.corpus.corpora.corpus import Side
from hyperbaton.corpus.languages import TEXT_CONVENTIONS, TextConventions, primary
from hyperbaton.corpus.raw_text.casing import CASES, KEEP, LOWER, TRUE, Truecaser, capitalised
from hyperbaton.corpus.raw_text.normalisation import Form, normalise, origins
from hyperbaton.corpus.raw_text.spacing import escape
from hyperbaton.corpus.raw_text.splitting import Splitter
from hyperbaton.corpus.raw_text.tokenisers import TOKENISERS, Tokeniser
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.arrays import GrowingRagged
from hyperbaton.foundation.errors import SettingError, nearest
from hyperbaton.foundation.files.vocabulary import Vocabulary


@dataclass(frozen=True)
class TextPipeline:
    language: str
    tokeniser: Tokeniser
    form: Form = "NFC"
    case: str = KEEP
    # Tokens will be detokenised: unusual spaces get marks, unseen capitals stay
    is_written: bool = True
    truecaser: Truecaser | None = None  # for the case `true`, after `fit`

    @classmethod
    def of(cls, language: str, tokeniser: str = "", case: str = "") -> "TextPipeline":
        """The usual pipeline of a language; arguments override parts. Regions are ignored."""
        language = primary(language)
        if language not in TEXT_CONVENTIONS and not tokeniser:
            raise SettingError(
                f"the language {language!r} has no default tokeniser",
                expected=nearest(language, list(TEXT_CONVENTIONS)),
                advice=f"or choose one: {', '.join(TOKENISERS)}",
            )
        usual = TEXT_CONVENTIONS.get(language, TextConventions("none"))
        if case and case not in CASES:
            raise SettingError(f"unknown case {case!r}", expected=nearest(case, list(CASES)))
        chosen = Tokeniser(tokeniser or usual.tokeniser, language)
        return cls(language, chosen, usual.form, case or usual.case)

    @cached_property
    def _splitter(self) -> Splitter:
        return Splitter(self.language)

    def tokenise(self, text: str) -> list[str]:
        return self._cased(self._cut(normalise(text, self.form))[0])

    def sentence(self, text: str, *, split: bool = True) -> Sentence:
        """A line to translate; `split` finds the sentences in it."""
        tokens, breaks = self._cut(normalise(text, self.form))
        words, breaks = tuple(self._cased(tokens)), breaks if split else []
        # a copied name or address keeps its capital letters
        written = tuple(tokens) if self.case == LOWER else None
        return Sentence(words, raw=text, breaks=tuple(breaks), written=written)

    def detokenise(self, tokens: Sequence[str]) -> str:
        """The text of translated tokens."""
        words = capitalised(tokens) if self.case == TRUE else list(tokens)
        return self.tokeniser.detokenise(words)

    def places(self, text: str) -> list[tuple[int, int]]:
        """The span of each token in the raw line."""
        normal, characters = normalise(text, self.form), origins(text, self.form)
        before = [0]  # number of non-space characters before each character
        for character in normal:
            before.append(before[-1] + (character != " "))
        return [
            (characters[before[first]][0], characters[before[last] - 1][1])
            for spans in self._spans(normal)
            for first, last in spans
        ]

    def fit(self, side: Side) -> "TextPipeline":
        """Learns the truecaser from tokens that kept their case."""
        if self.case != TRUE:
            return self
        texts = (side.vocabulary.decode(row.tolist()) for row in side.words)
        return replace(self, truecaser=Truecaser.fit(texts))

    def cased(self, side: Side) -> Side:
        """Applies case to one side of a corpus that kept its case."""
        if self.case == KEEP:
            return side
        vocabulary, rows = Vocabulary(), GrowingRagged()
        for row in side.words:
            rows.add(vocabulary.extend(self._cased(side.vocabulary.decode(row.tolist()))))
        return replace(side, vocabulary=vocabulary, words=rows.finish())

    def keeping_case(self) -> "TextPipeline":
        return replace(self, case=KEEP, truecaser=None)

    def _cut(self, text: str) -> tuple[list[str], list[int]]:
        """The tokens of a normalised line, and the starts of its second and further sentences."""
        spans = self._spans(text)
        breaks, places = [], list[tuple[int, int]]()
        for sentence in spans:
            breaks.append(len(places))
            places += sentence
        if not self.is_written:
            return [escape(text[first:last]) for first, last in places], breaks[1:]
        return self.tokeniser.tokens(text, places), breaks[1:]

    def _spans(self, text: str) -> list[list[tuple[int, int]]]:
        """The spans of the tokens of every sentence."""
        return [
            [(begin + first, begin + last) for first, last in self.tokeniser.spans(text[begin:end])]
            for begin, end in self._splitter(text)
        ]

    def _cased(self, tokens: list[str]) -> list[str]:
        if self.case == LOWER:
            return list(map(str.lower, tokens))
        if self.truecaser is None:
            return tokens
        return self.truecaser.apply(tokens, unseen=not self.is_written)

    def described(self) -> dict[str, Any]:
        """For `model.toml`."""
        return {
            "language": self.language,
            "tokeniser": self.tokeniser.name,
            "form": self.form,
            "case": self.case,
            "versions": self.tokeniser.versions(),
        }
