"""Raw text of both sides of a system. Markup and glossaries for words are mapped to tokens."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, replace
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, cast, get_args

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.corpora.reading import SPLIT_BOTH, CorpusSettings
from hyperbaton.corpus.raw_text.casing import LOWER, TRUE, Truecaser
from hyperbaton.corpus.raw_text.normalisation import Form
from hyperbaton.corpus.raw_text.numbers import masked, masked_corpus, masked_sentence
from hyperbaton.corpus.raw_text.pipeline import TextPipeline
from hyperbaton.corpus.raw_text.settings import COPY, KEEP, NUMBERS, TextSettings
from hyperbaton.corpus.sentences.glossary import Glossary
from hyperbaton.corpus.sentences.markup import NO_MARKUP, Markup, Span
from hyperbaton.corpus.sentences.markup_text import Marked
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.text import read_lines
from hyperbaton.foundation.errors import DataError, SettingError, nearest

SIDES = ("source", "target")
SMALL = 50_000  # pairs
N_SAMPLED, OFTEN = 1000, 0.05  # lines of training text, and the share that causes a warning
Tokenise = Callable[[str], list[str]]


class TextPipelines(NamedTuple):
    source: TextPipeline
    target: TextPipeline
    split: bool = True
    numbers: str = KEEP
    made_with: Mapping[str, str] = {}  # versions of packages at the time of training

    @classmethod
    def of(cls, settings: TextSettings) -> "TextPipelines | None":
        """The pipelines of the settings; None if the text is already tokenised."""
        given = asdict(settings)
        if not any(given[f"{side}_{key}"] for side in SIDES for key in ("language", "tokeniser")):
            return None
        for side in SIDES:
            if not given[f"{side}_language"]:
                raise SettingError(
                    f"text.{side}_language is missing",
                    expected="raw text needs the languages of both sides",
                    advice=f"give --{side}-language, or tokenise both sides yourself",
                )
        source, target = (
            TextPipeline.of(*(given[f"{side}_{key}"] for key in ("language", "tokeniser", "case")))
            for side in SIDES
        )
        if target.case == LOWER:
            raise SettingError(
                "text.target_case cannot be lower",
                expected="expected keep or true: lower-cased translations cannot be recased",
                advice="--set text.target_case=true",
            )
        if settings.numbers not in NUMBERS:
            expected = nearest(settings.numbers, list(NUMBERS))
            raise SettingError(f"text.numbers cannot be {settings.numbers!r}", expected=expected)
        return cls(replace(source, is_written=False), target, settings.split, settings.numbers)

    def load(self) -> None:
        """Loads the tokenisers; reports missing packages of both sides in one error."""
        missing: list[DataError] = []
        for side in (self.source, self.target):
            try:
                side.tokeniser.load()
            except DataError as error:
                missing.append(error)
        if missing:
            what = dict.fromkeys(error.what for error in missing)
            advice = dict.fromkeys(error.advice for error in missing)
            expected = missing[0].expected
            raise DataError("; ".join(what), expected=expected, advice=" and ".join(advice))

    def check(self, settings: CorpusSettings) -> None:
        """Rejects settings that need tokenised text."""
        if settings.factored:
            raise SettingError(
                "raw text cannot be factored",
                expected="corpus.factored needs tokenised text, written word|tag",
                advice="remove corpus.factored, or the languages",
            )

    def split_warning(self, source: Path) -> str:
        """Warns if `split` applies to many lines, because training does not split them."""
        if not self.split:
            return ""
        with closing(read_lines(source)) as read:
            lines = [line for _, line in islice(read, N_SAMPLED) if isinstance(line, str)]
        share = sum(bool(self.source.sentence(line).breaks) for line in lines) / max(len(lines), 1)
        if share < OFTEN:
            return ""
        return (
            f"warning: {share:.0%} of the source lines have several sentences; text.split "
            "translates them one by one, but training keeps them together; remove text.split"
        )

    def size_hint(self, n_pairs: int) -> str:
        """Suggests another tokeniser if the corpus is small."""
        if self.source.tokeniser.name != "jieba" or n_pairs >= SMALL:
            return ""
        return (
            f"with only {n_pairs:,} pairs, many Chinese words will be unknown; "
            "compare with characters: --set text.source_tokeniser=char (docs/use/text.md)"
        )

    @property
    def tokenise(self) -> dict[str, Tokenise]:
        """The tokenisers of a corpus; they treat its source like text to translate."""
        tokenisers = {side: getattr(self, side).tokenise for side in SIDES}
        if self.numbers == COPY:
            tokenisers["source"] = lambda line: masked(self.source.tokenise(line))
        return tokenisers

    def sentence(self, line: str, *, split: bool = True) -> Sentence:
        """A line to translate; split into sentences if both `split` and the system say so."""
        sentence = self.source.sentence(line, split=split and self.split)
        return masked_sentence(sentence) if self.numbers == COPY else sentence

    def tokenised(self, references: Iterable[Sequence[str]]) -> list[list[str]]:
        """The references of each sentence, as tokens like those of the search."""
        tokenise = self.target.tokenise
        return [[" ".join(tokenise(line)) for line in group] for group in references]

    def written(self, line: str) -> list[str]:
        """The tokens of a target line without a source."""
        tokens = self.target.tokenise(line)
        return masked(tokens) if self.numbers == COPY else tokens

    def learned_from(self, corpus: AlignedCorpus) -> AlignedCorpus:
        """The training corpus: applies case and number placeholders to a corpus that kept both."""
        source, target = self.source.cased(corpus.source), self.target.cased(corpus.target)
        corpus = replace(corpus, source=source, target=target)
        return masked_corpus(corpus) if self.numbers == COPY else corpus

    def marked(self, marked: Marked) -> Sentence:
        """A line to translate, with its markup over tokens."""
        sentence = self.sentence(marked.line)
        if marked.markup == NO_MARKUP:
            return sentence
        given = marked.line, self.source.places(marked.line), self.target.keeping_case().tokenise
        return replace(sentence, markup=markup_over_tokens(marked.markup, *given))

    def glossary(self, glossary: Glossary) -> Glossary:
        """Tokenises a glossary of raw text."""
        source = self.source.keeping_case().tokenise, self.source.tokenise
        return glossary_of_tokens(glossary, source, self.target.keeping_case().tokenise)

    def fit(self, corpus: AlignedCorpus) -> "TextPipelines":
        """Learns truecasers from a corpus that kept its case."""
        source, target = self.source.fit(corpus.source), self.target.fit(corpus.target)
        return self._replace(source=source, target=target)

    def plain(self) -> "TextPipelines":
        """The pipelines without learned parts: they keep case and numbers."""
        source, target = self.source.keeping_case(), self.target.keeping_case()
        return self._replace(source=source, target=target, numbers=KEEP)

    def described(self) -> dict[str, Any]:
        """For `model.toml`."""
        sides = {side: getattr(self, side).described() for side in SIDES}
        numbers = {"numbers": self.numbers} if self.numbers != KEEP else {}
        return {"split": self.split, **numbers, **sides}

    def differences(self) -> list[str]:
        """Warnings for tokeniser packages of the source side whose version has changed."""
        now = self.source.tokeniser.versions()
        return [
            f"the system was trained with {package} {old}, but {now[package]} is installed: "
            "tokens may differ"
            for package, old in self.made_with.items()
            if now.get(package, old) != old
        ]

    def save(self, folder: Path) -> None:
        """Saves the truecasers."""
        for side in SIDES:
            truecaser = getattr(self, side).truecaser
            if truecaser is not None:
                truecaser.save(folder / f"{side}.json")

    def with_learned(self, folder: Path) -> "TextPipelines":
        """The pipelines with the saved truecasers."""
        source, target = (_with_learned(getattr(self, side), side, folder) for side in SIDES)
        return self._replace(source=source, target=target)

    @classmethod
    def read(cls, content: Mapping[str, Any], folder: Path | None, where: str) -> "TextPipelines":
        """Reads the table [text] of `model.toml` and the folder of truecasers."""
        try:
            source, target = (_read_side(content[side]) for side in SIDES)
            made_with = {str(k): str(v) for k, v in content["source"]["versions"].items()}
            source = replace(source, is_written=False)
            numbers = content.get("numbers", KEEP)
            if numbers not in NUMBERS:
                raise KeyError("numbers")
            pipelines = cls(source, target, bool(content["split"]), numbers, made_with)
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(
                f"the table [text] has a missing or invalid {error}",
                where=where,
                advice="train the system again",
            ) from None
        if folder is None and TRUE in (source.case, target.case):
            raise DataError("has no part text", where=where, advice="train the system again")
        return pipelines if folder is None else pipelines.with_learned(folder)


def _read_side(described: Mapping[str, str]) -> TextPipeline:
    pipeline = TextPipeline.of(described["language"], described["tokeniser"], described["case"])
    if described["form"] not in get_args(Form):
        raise KeyError("form")
    return replace(pipeline, form=cast(Form, described["form"]))


def _with_learned(pipeline: TextPipeline, side: str, folder: Path) -> TextPipeline:
    if pipeline.case != TRUE:
        return pipeline
    return replace(pipeline, truecaser=Truecaser.load(folder / f"{side}.json"))


def corpus_tokenisers(
    settings: TextSettings, corpus: CorpusSettings = CorpusSettings()
) -> Mapping[str, Tokenise]:
    """The tokenisers of a corpus; they keep its case."""
    pipelines = TextPipelines.of(settings)
    if pipelines is None:
        return SPLIT_BOTH
    pipelines.check(corpus)
    pipelines.load()
    return pipelines.plain().tokenise


def markup_over_tokens(
    markup: Markup, line: str, places: list[Span], translate: Tokenise
) -> Markup:
    """Maps markup over words to tokens at these places; `translate` tokenises the translations of
    terms."""
    words = [match.span() for match in re.finditer(r"[^ \t]+", line)]
    begins = [begin for begin, _ in words] + [len(line)]

    def token(word: int) -> int:
        """The first token of a word, or the next token if it has none."""
        return sum(end <= begins[word] for _, end in places)

    def span(start: int, end: int) -> Span:
        return token(start), token(end)

    zones = (span(*zone) for zone in markup.zones)
    terms = (
        replace(term, start=first, end=last, translations=_tokens(term.translations, translate))
        for term in markup.terms
        for first, last in [span(term.start, term.end)]
        if first < last
    )
    return Markup(
        tuple(terms),
        tuple((first, last) for first, last in zones if first < last),
        tuple(sorted({token(wall) for wall in markup.walls})),
    )


def glossary_of_tokens(
    glossary: Glossary, source: Sequence[Tokenise], target: Tokenise
) -> Glossary:
    """Tokenises a glossary. A term may be written differently inside a sentence and at its
    beginning; all forms are kept."""
    terms: dict[tuple[str, ...], dict[str, float]] = {}
    for tokenise in source:
        for words, translations in glossary.terms.items():
            tokens = tuple(tokenise(" ".join(words)))
            if tokens:
                terms.setdefault(tokens, _tokens(translations, target))
    return replace(glossary, terms=terms)


def _tokens(translations: Mapping[str, float], tokenise: Tokenise) -> dict[str, float]:
    return {" ".join(tokenise(text)): number for text, number in translations.items()}
