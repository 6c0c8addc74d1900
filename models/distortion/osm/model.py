"""The operation sequence model (Durrani, Schmid and Fraser 2011; Durrani et al. 2013): translation
and reordering as one sequence of operations (`operations.py`).

An n-gram model of operations scores the jump of a step by the words before it, and its words by the
jump. As in Moses, four counts are further features: the distances from the first open word to the
generated words, the gaps that are opened, the gaps that are open after each source word, and the
source words without links. They are negated, so that a positive weight is a penalty.

The scores are those of Moses with four differences. They are natural logarithms. Hypotheses are
recombined only if the model cannot distinguish their operations; Moses compares only the lengths of
the contexts. A phrase pair that copies a word that the training data have only once is SELF, as in
training, and not an unknown operation. And a translation given by the user is SELF and CONTINUE;
Moses, which knows no links of it, inserts and deletes all its words. As in Moses, the sequence
begins after <s>, and its end is not scored, because the coverage determines it.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar, Self

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus, Side
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.arrays import Int32Array, Ragged
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.array_files import load_arrays, save_arrays
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.files.scratch import Scratch
from hyperbaton.foundation.files.vocabulary import SPECIAL, UNKNOWN, Vocabulary
from hyperbaton.foundation.hashing import EMPTY, DistinctRows
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.distortion.interface import DistortionModel, OptionTable
from hyperbaton.models.distortion.osm.fitting import operation_corpus
from hyperbaton.models.distortion.osm.moses_names import PLAIN, moses_names, parse_names
from hyperbaton.models.distortion.osm.operations import N_PLAIN
from hyperbaton.models.distortion.osm.scorer import FEATURES, OperationModel, OperationScorer
from hyperbaton.models.distortion.osm.texts import OperationTexts
from hyperbaton.models.language_model.arpa import read_arpa
from hyperbaton.models.language_model.automaton import Automaton, build_automaton, list_ngrams
from hyperbaton.models.language_model.estimation import (
    estimate,
    parse_thresholds,
    pruning_thresholds,
)
from hyperbaton.models.language_model.model import automaton_laws
from hyperbaton.models.language_model.ngrams import NGrams
from hyperbaton.models.phrases.table import PhraseTable

WORDS, CLASSES = "words", "classes"


class OperationSequence(DistortionModel):
    """Translation and reordering as one sequence of operations (Durrani et al. 2011)."""

    name: ClassVar[str] = "osm"

    def __init__(
        self,
        order: int = 5,  # of the n-gram model of operations
        # n-grams with this count or less are dropped, for each length; the last number applies to
        # all longer ones
        prune: str = "0 0 1",
        units: str = WORDS,  # operations of `words`, or of word `classes`
    ) -> None:
        self.order, self.prune, self.units = order, prune, units
        self._units_of_table: tuple[PhraseTable, Int32Array] | None = None

    @property
    def requires(self) -> frozenset[str]:
        return frozenset({"classes"} if self.units == CLASSES else ())

    @property
    def feature_names(self) -> tuple[str, ...]:
        prefix = self.name if self.units == WORDS else f"{self.name}.{self.units}"
        return tuple(f"{prefix}.{feature}" for feature in FEATURES)

    @property
    def initial_weights(self) -> tuple[float, ...]:
        return (0.1, 0.05, 0.0, 0.0, 0.0)

    def check_settings(self) -> None:
        self._check_choice("units", [WORDS, CLASSES])
        pruning_thresholds(parse_thresholds(self.prune), self.order)

    def fit(
        self,
        corpus: AlignedCorpus,
        *,
        progress: Progress = silent,
        memory: int = sys.maxsize,
    ) -> Self:
        self.check_settings()
        source, target = corpus.source.words, corpus.target.words
        classes = np.empty(0, np.int32)
        if self.units == CLASSES:
            if corpus.source.classes is None or corpus.target.classes is None:
                raise DataError(f"the model {self.name} needs word classes in both languages")
            source, target = corpus.source.classes, corpus.target.classes
            classes = _class_of_word(corpus.target)
        self._use(corpus.source.vocabulary, corpus.target.vocabulary, classes)
        with TemporaryDirectory() as folder:
            scratch = Scratch(Path(folder), memory)
            found = operation_corpus(corpus, source, target, self._same_word, progress, scratch)
            progress("estimating the model of operations", len(corpus))
            numbers = range(int(found.operations.total[0]) - len(SPECIAL))
            thresholds = parse_thresholds(self.prune)
            names = Vocabulary(map(str, numbers))
            ngrams = estimate(found.sequences, names, self.order, thresholds, scratch)
            self.automaton_ = build_automaton(ngrams)
        self.operations_, self.jumps_ = found.operations, found.jumps
        return self

    def read_moses(self, path: Path, shared: Sequence[str], progress: Progress = silent) -> Self:
        """Reads an ARPA file of operations with Moses' names. `shared` are words of both languages:
        those that the model lacks are SELF if they are copied."""
        ngrams = read_arpa(path, progress, Vocabulary(PLAIN))
        source, target = Vocabulary(shared), Vocabulary(shared)
        self.operations_, self.jumps_ = parse_names(ngrams.vocabulary, source, target)
        self._use(source, target, np.empty(0, np.int32))
        self.automaton_ = build_automaton(ngrams)
        return self

    def moses_ngrams(self) -> NGrams:
        """The n-grams of operations with Moses' names."""
        return list_ngrams(self.automaton_, moses_names(self.texts()), self.order)

    def _use(self, source: Vocabulary, target: Vocabulary, target_classes: Int32Array) -> None:
        self.source_words_, self.target_words_ = source, target
        self.target_classes_ = target_classes
        # the source word of the same spelling for each target word, or −1
        self._same_word = np.empty(0, np.int32)
        if self.units == WORDS:
            self._same_word = source.encode(target.words)
            self._same_word[self._same_word < len(SPECIAL)] = -1
        self._units_of_table = None

    def prepare(self, sentence: Sentence, options: OptionTable) -> OperationScorer:
        model = OperationModel(
            self.operations_, self.jumps_, self._same_word, self.automaton_, self.texts()
        )
        if self.units == CLASSES:
            source = np.array(sentence.classes, np.int32)
        else:
            source = self.source_words_.encode(sentence.words)
        words = options.target_words
        target = self._units(options.phrases)[words.values]  # the last one for COPIED
        return OperationScorer(model, options, source, Ragged(target, words.offsets))

    def texts(self) -> OperationTexts:
        if self.units == CLASSES:
            return OperationTexts(self.operations_, _class_names, _class_names)
        words = self.source_words_.decode, self.target_words_.decode
        return OperationTexts(self.operations_, *words)

    def _units(self, phrases: PhraseTable) -> Int32Array:
        """The unit of each target word of a phrase table, and that of unknown words."""
        known = self._units_of_table  # one read: another thread may change it
        if known is None or known[0] is not phrases:
            words = [*phrases.target_vocabulary.words, SPECIAL[UNKNOWN]]
            units = self.target_words_.encode(words)
            if self.units == CLASSES:
                units = self.target_classes_[units]
            self._units_of_table = known = phrases, units
        return known[1]

    def save(self, directory: Path) -> None:
        rows = self.operations_
        arrays = {
            **self.automaton_._asdict(),
            "values": rows.values,
            "begin": rows.begin,
            "slots": rows.slots,
            "jumps": self.jumps_,
            "target_classes": self.target_classes_,
        }
        words = {"source": self.source_words_, "target": self.target_words_}
        save_arrays(directory, self.FORMAT, {"order": self.order}, arrays, words)

    def load(self, directory: Path) -> Self:
        _, arrays, words = load_arrays(directory, self.FORMAT, self.laws, self.settings())
        values, begin, slots = (arrays.pop(name) for name in ("values", "begin", "slots"))
        self.operations_ = DistinctRows(values, begin, slots, np.array([len(begin) - 1]))
        self.operations_.total.setflags(write=False)
        self.jumps_ = arrays.pop("jumps")
        self._use(words["source"], words["target"], arrays.pop("target_classes"))
        self.automaton_ = Automaton(**arrays)
        return self

    def laws(self, arrays: CheckedArrays) -> None:
        values = arrays.array("values", np.int32, (None,))
        begin = arrays.ranges("begin", np.int64, len(values))
        n = len(begin) - 1
        starts = np.array_equal(begin[:N_PLAIN], np.arange(N_PLAIN)) and n >= N_PLAIN
        arrays.that("values", starts, "does not begin with the operations without words")
        slots = arrays.indices("slots", np.int32, (None,), low=EMPTY, below=n)
        size = len(slots)
        is_table = 2 * n <= size == 1 << size.bit_length() - 1
        has_all = np.count_nonzero(slots != EMPTY) == n
        arrays.that("slots", is_table and has_all, f"is not a hash table of {n} operations")
        arrays.indices("jumps", np.int32, (None,), below=n)
        automaton_laws(arrays, n)
        n_classes = arrays.words("target") if self.units == CLASSES else 0
        arrays.indices("target_classes", np.int32, (n_classes,), low=0, below=1 << 31)
        arrays.words("source")


def _class_names(classes: Iterable[int]) -> list[str]:
    return [f"c{number}" for number in classes]


def _class_of_word(side: Side) -> Int32Array:
    """The class of every word; unseen words have that of most of the rarest words."""
    assert side.classes is not None
    counts = np.bincount(side.words.values, minlength=len(side.vocabulary))
    classes = np.zeros(len(counts), np.int32)
    classes[side.words.values] = side.classes.values
    rare = classes[counts == counts[counts > 0].min()]
    classes[counts == 0] = np.bincount(rare).argmax()
    return classes
