"""Converts lines of text to sentences with all layers that the models need, and back."""

from collections.abc import Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.words.tagger import Tagger
from hyperbaton.corpus.words.word_classes import WordClasses
from hyperbaton.models.system.folder import load_source_classes, load_source_tagger, load_text

if TYPE_CHECKING:  # imported only for systems with raw text
    from hyperbaton.corpus.raw_text.both_sides import TextPipelines


@dataclass(frozen=True)
class TextLayers:
    """Makes the layers of a sentence. Without a text pipeline, lines are tokens."""

    classes: WordClasses | None = None
    tagger: Tagger | None = None
    text: "TextPipelines | None" = None

    @classmethod
    def load(cls, directory: Path) -> "TextLayers":
        return cls(
            load_source_classes(directory), load_source_tagger(directory), load_text(directory)
        )

    def differences(self) -> list[str]:
        return [] if self.text is None else self.text.differences()

    def parse(self, line: str) -> Sentence:
        return Sentence.parse(line) if self.text is None else self.text.sentence(line)

    def joined(self, words: list[str]) -> str:
        """The text of target words."""
        return " ".join(words) if self.text is None else self.text.target.detokenise(words)

    def split(self, line: str) -> tuple[str, ...]:
        """The target words of a text."""
        return tuple(line.split() if self.text is None else self.text.target.tokenise(line))

    def complete(self, sentence: Sentence, missing: Set[str]) -> Sentence:
        """Adds the missing layers, if the system can make them."""
        if "classes" in missing and self.classes is not None:
            sentence = replace(sentence, classes=self.classes.of(sentence.words))
        if "tags" in missing and self.tagger is not None:
            sentence = replace(sentence, tags=self.tagger.tag(sentence.words))
        return sentence
