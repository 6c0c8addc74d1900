"""The text of both sides of a system: raw text in, raw text out. What markup and glossaries say of
words is said of their tokens."""

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
N_SAMPLED, OFTEN = 1000, 0.05  # lines of training text, and a share of them that matters
Tokenise = Callable[[str], list[str]]


class TextPipelines(NamedTuple):
    source: TextPipeline
    target: TextPipeline
    split: bool = True
    numbers: str = KEEP
    made_with: Mapping[str, str] = {}  # versions of packages at the time of training

    @classmethod
    def of(cls, settings: TextSettings) -> "TextPipelines | None":
        """None if the settings ask for none."""
        given = asdict(settings)
        if not any(given[f"{side}_{key}"] for side in SIDES for key in ("language", "tokeniser")):
            return None
        for side in SIDES:
            if not given[f"{side}_language"]:
                raise SettingError(
                    f"text.{side}_language is missing",
                    expected="raw text needs the languages of both sides",
                    advice=f"--{side}-language, or a text that is tokenised on both sides",
                )
        source, target = (
            TextPipeline.of(*(given[f"{side}_{key}"] for key in ("language", "tokeniser", "case")))
            for side in SIDES
        )
        if target.case == LOWER:
            raise SettingError(
                "text.target_case cannot be lower",
                expected="nothing could give translations their capital letters back",
                advice="--set text.target_case=true",
            )
        if settings.numbers not in NUMBERS:
            expected = nearest(settings.numbers, list(NUMBERS))
            raise SettingError(f"text.numbers cannot be {settings.numbers!r}", expected=expected)
        return cls(replace(source, is_written=False), target, settings.split, settings.numbers)

    def load(self) -> None:
        """Reports missing packages, those of both sides at once, before any text is read."""
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
        """Refuses settings that only make sense for tokens."""
        if settings.factored:
            raise SettingError(
                "raw text cannot be factored",
                expected="corpus.factored says that words are written word|tag",
                advice="leave it out, or the languages",
            )

    def split_warning(self, source: Path) -> str:
        """Says so if `split` does to lines what training does not: these stay whole there."""
        if not self.split:
            return ""
        with closing(read_lines(source)) as read:
            lines = [line for _, line in islice(read, N_SAMPLED) if isinstance(line, str)]
        share = sum(bool(self.source.sentence(one).breaks) for one in lines) / max(len(lines), 1)
        if share < OFTEN:
            return ""
        return (
            f"warning: {share:.0%} of the source lines hold several sentences, which text.split "
            "translates one by one though they are learned together; leave text.split out"
        )

    def size_hint(self, n_pairs: int) -> str:
        """Says so if another tokeniser may suit a corpus of this size."""
        if self.source.tokeniser.name != "jieba" or n_pairs >= SMALL:
            return ""
        return (
            f"{n_pairs:,} pairs are few for words of Chinese, many of which will be unknown; "
            "compare with characters: --set text.source_tokeniser=char (docs/use/text.md)"
        )

    @property
    def tokenise(self) -> dict[str, Tokenise]:
        """For a corpus. Its source is as in text to translate."""
        own = {side: getattr(self, side).tokenise for side in SIDES}
        if self.numbers == COPY:
            own["source"] = lambda line: masked(self.source.tokenise(line))
        return own

    def sentence(self, line: str, *, split: bool = True) -> Sentence:
        """A line to translate; `split`: it may be several sentences, if the system says so too."""
        sentence = self.source.sentence(line, split=split and self.split)
        return masked_sentence(sentence) if self.numbers == COPY else sentence

    def tokenised(self, references: Iterable[Sequence[str]]) -> list[list[str]]:
        """References for each sentence, as the tokens that a search makes."""
        tokenise = self.target.tokenise
        return [[" ".join(tokenise(line)) for line in group] for group in references]

    def written(self, line: str) -> list[str]:
        """The tokens of a target text that has no source."""
        tokens = self.target.tokenise(line)
        return masked(tokens) if self.numbers == COPY else tokens

    def learned_from(self, corpus: AlignedCorpus) -> AlignedCorpus:
        """What a system is trained on, of a corpus whose case and numbers were kept."""
        source, target = self.source.cased(corpus.source), self.target.cased(corpus.target)
        corpus = replace(corpus, source=source, target=target)
        return masked_corpus(corpus) if self.numbers == COPY else corpus

    def marked(self, marked: Marked) -> Sentence:
        """A line to translate, whose markup was read."""
        sentence = self.sentence(marked.line)
        if marked.markup == NO_MARKUP:
            return sentence
        given = marked.line, self.source.places(marked.line), self.target.keeping_case().tokenise
        return replace(sentence, markup=markup_over_tokens(marked.markup, *given))

    def glossary(self, glossary: Glossary) -> Glossary:
        """Terms and translations that are raw text, as tokens."""
        source = self.source.keeping_case().tokenise, self.source.tokenise
        return glossary_of_tokens(glossary, source, self.target.keeping_case().tokenise)

    def fit(self, corpus: AlignedCorpus) -> "TextPipelines":
        """The same with what is learned from a corpus whose case was kept."""
        source, target = self.source.fit(corpus.source), self.target.fit(corpus.target)
        return self._replace(source=source, target=target)

    def plain(self) -> "TextPipelines":
        """The same without what is learned: case and numbers are kept."""
        source, target = self.source.keeping_case(), self.target.keeping_case()
        return self._replace(source=source, target=target, numbers=KEEP)

    def described(self) -> dict[str, Any]:
        """For `model.toml`."""
        sides = {side: getattr(self, side).described() for side in SIDES}
        numbers = {"numbers": self.numbers} if self.numbers != KEEP else {}
        return {"split": self.split, **numbers, **sides}

    def differences(self) -> list[str]:
        """Packages of the source side that are not those of the training, in words."""
        now = self.source.tokeniser.versions()
        return [
            f"the system was trained with {package} {old}, here is {now[package]}: "
            "words may be cut in other places"
            for package, old in self.made_with.items()
            if now.get(package, old) != old
        ]

    def save(self, folder: Path) -> None:
        """What was learned."""
        for side in SIDES:
            truecaser = getattr(self, side).truecaser
            if truecaser is not None:
                truecaser.save(folder / f"{side}.json")

    def with_learned(self, folder: Path) -> "TextPipelines":
        """The same with what was saved."""
        source, target = (_with_learned(getattr(self, side), side, folder) for side in SIDES)
        return self._replace(source=source, target=target)

    @classmethod
    def read(cls, content: Mapping[str, Any], folder: Path | None, where: str) -> "TextPipelines":
        """From the table of `model.toml` and the folder of what was learned."""
        try:
            source, target = (_read_side(content[side]) for side in SIDES)
            made_with = {str(k): str(v) for k, v in content["source"]["versions"].items()}
            source = replace(source, is_written=False)
            numbers = content.get("numbers", KEEP)
            if numbers not in NUMBERS:
                raise KeyError("numbers")
            made = cls(source, target, bool(content["split"]), numbers, made_with)
        except (KeyError, TypeError, AttributeError) as error:
            raise DataError(
                f"the table [text] lacks or mistakes {error}",
                where=where,
                advice="train the system again",
            ) from None
        if folder is None and TRUE in (source.case, target.case):
            raise DataError("has no part text", where=where, advice="train the system again")
        return made if folder is None else made.with_learned(folder)


def _read_side(described: Mapping[str, str]) -> TextPipeline:
    made = TextPipeline.of(described["language"], described["tokeniser"], described["case"])
    if described["form"] not in get_args(Form):
        raise KeyError("form")
    return replace(made, form=cast(Form, described["form"]))


def _with_learned(pipeline: TextPipeline, side: str, folder: Path) -> TextPipeline:
    if pipeline.case != TRUE:
        return pipeline
    return replace(pipeline, truecaser=Truecaser.load(folder / f"{side}.json"))


def corpus_tokenisers(
    settings: TextSettings, corpus: CorpusSettings = CorpusSettings()
) -> Mapping[str, Tokenise]:
    """What makes tokens of the lines of a corpus, whose case is kept."""
    pipelines = TextPipelines.of(settings)
    if pipelines is None:
        return SPLIT_BOTH
    pipelines.check(corpus)
    pipelines.load()
    return pipelines.plain().tokenise


def markup_over_tokens(
    markup: Markup, line: str, places: list[Span], translate: Tokenise
) -> Markup:
    """The marks of a line of words, for tokens at these places; `translate` makes tokens of the
    translations of terms."""
    words = [match.span() for match in re.finditer(r"[^ \t]+", line)]
    begins = [begin for begin, _ in words] + [len(line)]

    def token(word: int) -> int:
        """The first token of a word, or of what comes next."""
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
    """A term may look different inside of a sentence and at its beginning: all forms count."""
    terms: dict[tuple[str, ...], dict[str, float]] = {}
    for tokenise in source:
        for words, translations in glossary.terms.items():
            tokens = tuple(tokenise(" ".join(words)))
            if tokens:
                terms.setdefault(tokens, _tokens(translations, target))
    return replace(glossary, terms=terms)


def _tokens(translations: Mapping[str, float], tokenise: Tokenise) -> dict[str, float]:
    return {" ".join(tokenise(text)): number for text, number in translations.items()}
