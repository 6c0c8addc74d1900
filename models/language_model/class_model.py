"""A language model of word classes: the probability of a word is that of its class."""

from collections.abc import Iterable
from pathlib import Path

from hyperbaton.corpus.words.word_classes import WordClasses, classes_of_words
from hyperbaton.foundation.arrays import Int32Array
from hyperbaton.foundation.files.array_files import load_arrays, save_arrays
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.files.vocabulary import BEGIN, END, SPECIAL
from hyperbaton.models.language_model.automaton import Automaton
from hyperbaton.models.language_model.model import FORMAT, LanguageModel, automaton_laws
from hyperbaton.models.language_model.ngrams import NGrams

OF_WORD = "of_word"  # an array that only class models have


class ClassModel(LanguageModel):
    """A model whose vocabulary has class numbers. Unknown words also have a class."""

    def __init__(self, model: LanguageModel, classes: WordClasses) -> None:
        super().__init__(model.automaton, model.vocabulary, model.order)
        self.classes = classes

    @classmethod
    def of_classes(cls, ngrams: NGrams, classes: WordClasses) -> "ClassModel":
        return cls(LanguageModel.from_ngrams(ngrams), classes)

    @classmethod
    def load(cls, directory: Path) -> "ClassModel":
        header, arrays, vocabularies = load_arrays(directory, FORMAT, _laws)
        words, of_word = vocabularies["words"], arrays.pop(OF_WORD)
        model = LanguageModel(Automaton(**arrays), vocabularies["vocabulary"], header["order"])
        return cls(model, WordClasses(header["n_classes"], of_word, words))

    def save(self, directory: Path) -> None:
        header = {"order": self.order, "n_classes": self.classes.n_classes}
        arrays = {**self.automaton._asdict(), OF_WORD: self.classes.of_word}
        words = {"vocabulary": self.vocabulary, "words": self.classes.vocabulary}
        save_arrays(directory, FORMAT, header, arrays, words)

    def encode(self, words: Iterable[str]) -> Int32Array:
        words = list(words)
        numbers = self.vocabulary.encode(map(str, self.classes.of(words)))
        for place, word in enumerate(words):
            if word in (SPECIAL[BEGIN], SPECIAL[END]):
                numbers[place] = SPECIAL.index(word)
        return numbers


def _laws(arrays: CheckedArrays) -> None:
    automaton_laws(arrays)
    classes_of_words(arrays, OF_WORD, "words", arrays.number("n_classes", low=1))
