"""From a line of text to a sentence with all that the models need, and back to text."""

from collections.abc import Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.words.tagger import Tagger
from hyperbaton.corpus.words.word_classes import WordClasses
from hyperbaton.models.system.folder import load_source_classes, load_source_tagger, load_text

if TYPE_CHECKING:  # few systems take raw text
    from hyperbaton.corpus.raw_text.both_sides import TextPipelines


@dataclass(frozen=True)
class TextLayers:
    """Without a text pipeline, lines are tokens."""

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
        """Target words of a text."""
        return tuple(line.split() if self.text is None else self.text.target.tokenise(line))

    def complete(self, sentence: Sentence, missing: Set[str]) -> Sentence:
        """With the missing layers that can be made."""
        if "classes" in missing and self.classes is not None:
            sentence = replace(sentence, classes=self.classes.of(sentence.words))
        if "tags" in missing and self.tagger is not None:
            sentence = replace(sentence, tags=self.tagger.tag(sentence.words))
        return sentence
