"""Reads a parallel corpus, or source sentences to translate, with all layers, one pair at a time.

All checks of a pair are made here, and errors give file and line. With `skip_bad`, bad pairs are
skipped and counted by kind; otherwise reading stops at the first one.
"""

from collections import Counter
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from hyperbaton.corpus.corpora.alignment import check_links, order_of_links, parse_links
from hyperbaton.corpus.corpora.builder import CorpusBuilder
from hyperbaton.corpus.corpora.corpus import MOST_WORDS, AlignedCorpus
from hyperbaton.corpus.sentences.marking import Marking, marked_sentence
from hyperbaton.corpus.sentences.markup_text import BadMarkup, Marked
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.text import read_lines, split_factors, split_words
from hyperbaton.corpus.trees.brackets import read_brackets
from hyperbaton.corpus.trees.conllu import ConlluSentence, read_conllu
from hyperbaton.corpus.trees.tree import Tree
from hyperbaton.foundation.errors import BadLine, SettingError, counted
from hyperbaton.foundation.files.compression import plain_name
from hyperbaton.foundation.files.vocabulary import check_words
from hyperbaton.foundation.progress import Progress, silent

T = TypeVar("T")

PROGRESS_EVERY = 1000
SPLIT_BOTH = {"source": split_words, "target": split_words}  # for tokenised text
LEFT_OUT = "left out"  # kind of pairs that are valid but not wanted; never an error
ENDED = object()  # marks the end of a file


@dataclass(frozen=True)
class CorpusSettings:
    """Settings for reading corpora (`--set corpus.KEY=VALUE`)."""

    skip_bad: bool = False  # skip malformed pairs and count them, instead of stopping at the first
    max_length: int = 0  # skip pairs with more words on either side; 0: keep all
    factored: bool = False  # words are written `word|tag`


@dataclass(frozen=True)
class CorpusFiles:
    """The files of a corpus. Trees and tags may also come from CoNLL-U files."""

    source: Path
    target: Path
    alignment: Path | None = None
    source_tags: Path | None = None
    target_tags: Path | None = None
    source_tree: Path | None = None


@dataclass
class ReadReport:
    n_read: int = 0
    n_kept: int = 0
    dropped: Counter[str] = field(default_factory=Counter)  # number of pairs by kind of error
    first: dict[str, str] = field(default_factory=dict)  # the first message of each kind
    n_without_tree: int = 0
    n_made_projective: int = 0

    def drop(self, bad: BadLine) -> None:
        self.dropped[bad.kind] += 1
        self.first.setdefault(bad.kind, f"{bad.where}: {bad.what}")

    def lines(self) -> list[str]:
        """The report as text; empty if every pair was kept as it is."""
        lines = []
        if self.dropped:
            total = self.dropped.total()
            lines.append(f"{total:,} of {counted(self.n_read, 'pair')} left out:")
            for kind, count in self.dropped.most_common():
                lines.append(f"  {count:,} × {kind}, first at {self.first[kind]}")
        if self.n_without_tree:
            lines.append(f"{counted(self.n_without_tree, 'sentence')} without a tree")
        if self.n_made_projective:
            lines.append(f"{counted(self.n_made_projective, 'dependency tree')} made projective")
        return lines


def read_corpus(
    files: CorpusFiles,
    settings: CorpusSettings = CorpusSettings(),
    progress: Progress = silent,
    tokenise: Mapping[str, Callable[[str], list[str]]] = SPLIT_BOTH,
) -> tuple[AlignedCorpus, ReadReport]:
    """Reads all pairs; `tokenise` splits a line into words, for each side."""
    layers = _open_layers(vars(files))
    for side, words in tokenise.items():
        layers[side].words = words
    report = ReadReport()
    corpus = CorpusBuilder(
        source_tags=settings.factored or files.source_tags is not None,
        target_tags=settings.factored or files.target_tags is not None,
        trees=files.source_tree is not None,
    )
    with closing(_read_on(layers)) as rows:
        for _ in rows:
            report.n_read += 1
            try:
                pair = _read_pair(layers, settings)
            except BadLine as bad:
                if not settings.skip_bad and bad.kind != LEFT_OUT:
                    bad.advice = "skip and count such pairs with --skip-bad"
                    raise
                report.drop(bad)
                continue
            report.n_without_tree += "source_tree" in layers and pair.tree is None
            report.n_made_projective += pair.tree is not None and pair.tree.n_lifted > 0
            corpus.add(*pair)
            if report.n_read % PROGRESS_EVERY == 0:
                progress("reading pairs", report.n_read)
    report.n_kept = report.n_read - report.dropped.total()
    return corpus.finish(), report


@dataclass(frozen=True)
class SourceFiles:
    """Files of sentences to translate. Trees and tags may also come from CoNLL-U files; the word
    alignment gives the order of the reference."""

    source: Path
    source_tags: Path | None = None
    source_tree: Path | None = None
    alignment: Path | None = None


def read_sentences(
    files: SourceFiles, parse: Callable[[str], Sentence] = Sentence.parse
) -> Generator[Sentence, None, None]:
    """Yields sentences in order, including empty ones. `parse` makes a sentence from a line; words
    are not checked. Errors give file and line."""
    layers = _open_layers(vars(files))
    with closing(_read_on(layers)) as rows:
        for _ in rows:
            _check_lengths(layers)
            yield _sentence(layers, parse)


def read_marked_sentences(
    files: SourceFiles,
    marking: Marking,
    parse: Callable[[Marked], Sentence] = marked_sentence,
) -> Generator[Sentence | BadLine, None, None]:
    """Yields sentences with their markup; for a bad line, yields the error instead."""
    layers = _open_layers(vars(files))
    with closing(_read_on(layers)) as rows:
        for _ in rows:
            _check_lengths(layers)
            yield _marked(layers, marking, parse)


def _marked(
    layers: dict[str, "_Layer"], marking: Marking, parse: Callable[[Marked], Sentence]
) -> Sentence | BadLine:
    source = layers["source"]
    try:
        source.record = source.parse(marking.read)
        return marking.mark(_sentence(layers, parse))
    except BadMarkup as bad:
        return bad.at_line(source.line)
    except BadLine as bad:
        return bad


@dataclass
class _Layer:
    """One file and the position in its stream of (line number, record)."""

    path: Path
    records: Generator[tuple[int, Any], None, None]
    line: int = 0
    record: Any = None
    words: Callable[[str], list[str]] = split_words  # of a line of text

    def receive(self, item: Any) -> None:
        """Takes the next record; at the end of the file, the line is one after the last."""
        ended = item is ENDED
        if not (ended and self.record is ENDED):
            self.line, self.record = (self.line + 1, ENDED) if ended else item

    def parse(self, parse: Callable[[Any], T]) -> T:
        """Parses the record; adds file and line to errors."""
        try:
            if isinstance(self.record, BadLine):
                raise self.record
            return parse(self.record)
        except BadLine as bad:
            raise self.located(bad) from None

    def located(self, bad: BadLine) -> BadLine:
        bad.where = f"{self.path}:{self.line}"
        return bad


class _Pair(NamedTuple):
    source: list[str]
    target: list[str]
    links: list[int]
    source_tags: list[str] | None
    target_tags: list[str] | None
    tree: Tree | None


def _open_layers(files: Mapping[str, Path | None]) -> dict[str, _Layer]:
    """Opens every given file, by the names of `CorpusFiles`."""
    paths = {name: path for name, path in files.items() if path is not None}
    if list(map(str, paths.values())).count("-") > 1:
        raise SettingError(
            "two files cannot both be standard input", expected="expected - for at most one of them"
        )
    layers = {}
    for name, path in paths.items():
        is_conllu = plain_name(path).endswith(".conllu")
        records: Generator[tuple[int, Any], None, None]
        if is_conllu and name in ("source_tree", "source_tags", "target_tags"):
            records = read_conllu(path)
        elif name == "source_tree":
            records = read_brackets(path)
        else:
            records = read_lines(path)
        layers[name] = _Layer(path, records)
    return layers


def _read_on(layers: dict[str, _Layer]) -> Generator[None, None, None]:
    """Moves all layers to their next record, until the longest file ends; then closes the files."""
    with ExitStack() as stack:
        for layer in layers.values():
            stack.callback(layer.records.close)
        for row in zip_longest(*(layer.records for layer in layers.values()), fillvalue=ENDED):
            for layer, record in zip(layers.values(), row, strict=True):
                layer.receive(record)
            yield


def _check_lengths(layers: dict[str, _Layer]) -> None:
    """Checks that all files have the same number of sentences."""
    ended = [layer for layer in layers.values() if layer.record is ENDED]
    if ended:
        longer = next(layer for layer in layers.values() if layer.record is not ENDED)
        expected = f"expected as many sentences as in {longer.path}, which has a line {longer.line}"
        raise ended[0].located(BadLine("unequal lengths", "the file ends here", expected))


def _read_pair(layers: dict[str, _Layer], settings: CorpusSettings) -> _Pair:
    _check_lengths(layers)
    source, source_tags = _words_and_tags(layers, "source", settings.factored)
    target, target_tags = _words_and_tags(layers, "target", settings.factored)
    if settings.max_length and max(len(source), len(target)) > settings.max_length:
        what = f"longer than {settings.max_length} words"
        raise layers["source"].located(BadLine(LEFT_OUT, what))
    links: list[int] = []
    if "alignment" in layers:
        links = layers["alignment"].parse(parse_links)
        layers["alignment"].parse(lambda _: check_links(links, len(source), len(target)))
    return _Pair(source, target, links, source_tags, target_tags, _tree(layers, source))


def _sentence(layers: dict[str, _Layer], parse: Callable[[Any], Sentence]) -> Sentence:
    sentence = layers["source"].parse(parse)
    words, tags = list(sentence.words), sentence.tags
    if "source_tags" in layers:
        tags = tuple(layers["source_tags"].parse(lambda record: _tags(record, words)))
    tree = _tree(layers, words) if words else None
    order = _order(layers, len(words)) if "alignment" in layers else None
    return replace(sentence, tags=tags, tree=tree, order=order)


def _tree(layers: dict[str, _Layer], words: list[str]) -> Tree | None:
    if "source_tree" not in layers:
        return None
    return layers["source_tree"].parse(
        lambda record: None if record is None else record.over(words)
    )


def _words_and_tags(
    layers: dict[str, _Layer], side: str, factored: bool
) -> tuple[list[str], list[str] | None]:
    tags: list[str] | None = None
    if factored:
        words, tags = layers[side].parse(split_factors)
    else:
        words = layers[side].parse(layers[side].words)
    layers[side].parse(lambda _: _check_words(words))
    if f"{side}_tags" in layers:
        tags = layers[f"{side}_tags"].parse(lambda record: _tags(record, words))
    return words, tags


def _order(layers: dict[str, _Layer], n_words: int) -> tuple[int, ...]:
    return layers["alignment"].parse(lambda line: order_of_links(parse_links(line), n_words))


def _tags(record: str | ConlluSentence, words: list[str]) -> list[str]:
    if isinstance(record, ConlluSentence):
        return record.tags_over(words)
    tags = split_words(record)
    if len(tags) != len(words):
        expected = f"the sentence has {counted(len(words), 'word')}"
        raise BadLine("tags", counted(len(tags), "tag"), expected)
    return tags


def _check_words(words: list[str]) -> None:
    if not words:
        raise BadLine("empty side", "the sentence is empty", "both sides need at least one word")
    if len(words) > MOST_WORDS:
        raise BadLine("too long", f"{len(words)} words", f"expected at most {MOST_WORDS}")
    check_words(words)
