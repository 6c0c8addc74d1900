"""The interface of distortion models.

A fitted model is read-only and shared by threads. For each sentence it makes a scorer, which works
on arrays of steps: B steps at once, F features, N options, W 64-bit words of coverage.

    previous option ──step──▶ option        features   exact values of the step
                                            advance    the state that later steps depend on

Two hypotheses with equal coverage, equal language model state and equal states of all models are
interchangeable, and the decoder keeps only the better one. A model whose score depends on anything
else must put it into its state.
"""

import inspect
import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.arrays import (
    BoolArray,
    FloatArray,
    Int32Array,
    Int64Array,
    Ragged,
    UInt64Array,
)
from hyperbaton.foundation.errors import DataError, SettingError
from hyperbaton.foundation.estimator import Estimator
from hyperbaton.foundation.files.array_files import load_arrays, save_arrays
from hyperbaton.foundation.files.array_laws import CheckedArrays, plain_numbers
from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.models.phrases.settings import GRID
from hyperbaton.models.phrases.table import PhraseTable

COPIED = -1  # target word that is not in the phrase table: a copied source word, or a given word
UNKNOWN_ENTRY = -1  # of an unknown word
FIRST_GIVEN = -2  # entry of the first translation given by the user; −3 is the second, and so on
START = -1  # the `previous` option of a sentence's first step


class Given(NamedTuple):
    """A translation given by the user."""

    words: tuple[str, ...]
    log_probability: float


@dataclass(frozen=True, eq=False)
class OptionTable:
    """The options of one sentence: phrase pairs placed on source spans.

    Arrays that only some models need are computed on first use. Unknown words and given
    translations have no entries, so models know little about them.
    """

    n_words: int
    start: Int32Array  # (N,) first source word
    end: Int32Array  # (N,) one past the last
    entry: Int64Array  # (N,) entry of the phrase table, or a negative number as above
    phrases: PhraseTable
    drop_unknown: bool = False  # unknown words are dropped instead of copied
    given: tuple[Given, ...] = ()

    def __len__(self) -> int:
        return len(self.start)

    @cached_property
    def is_unknown(self) -> BoolArray:
        is_unknown: BoolArray = self.entry == UNKNOWN_ENTRY
        return is_unknown

    @cached_property
    def has_entry(self) -> BoolArray:
        return self.entry >= 0

    @cached_property
    def inner(self) -> UInt64Array:
        """Inner alignments, bit 8 · target + source; a copied word is linked to itself, and a given
        translation has no links."""
        inner = self.phrases.inner_of(np.maximum(self.entry, 0))
        inner[~self.has_entry] = 0
        inner[self.is_unknown] = 0 if self.drop_unknown else 1
        return inner

    @cached_property
    def target_words(self) -> Ragged:
        """Target word ids of each option; COPIED for words that are not in the table."""
        known = self.has_entry
        rows = self.phrases.target[np.maximum(self.entry, 0)].astype(np.int64)
        words = self.phrases.target_sides.take(rows)
        if known.all():
            return words
        lengths = np.where(known, words.lengths, 0 if self.drop_unknown else 1)
        for option in np.flatnonzero(self.entry <= FIRST_GIVEN).tolist():
            lengths[option] = len(self.given_at(option).words)
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        values = np.full(offsets[-1], COPIED, np.int32)
        values[np.repeat(known, lengths)] = words.values[np.repeat(known, words.lengths)]
        return Ragged(values, offsets)

    def linked_source(self, option: Int64Array, place: Int64Array) -> Int64Array:
        """The position of the first source word linked to the target word at a place of each
        option; (n,) each."""
        row = self.inner[option] >> (GRID * place).astype(np.uint64)
        links = row[:, None] >> np.arange(GRID, dtype=np.uint64) & np.uint64(1)
        first: Int64Array = self.start[option] + links.argmax(axis=1)
        return first

    @cached_property
    def reordering(self) -> FloatArray:
        """Log probabilities of the reordering table, (N, columns); 0 without an entry, as in
        Moses."""
        scores = self.phrases.reordering_of(np.maximum(self.entry, 0))
        scores[~self.has_entry] = 0.0
        return scores

    def given_at(self, option: int) -> Given:
        """The given translation of an option."""
        return self.given[FIRST_GIVEN - int(self.entry[option])]


class Steps(NamedTuple):
    """B steps, each of which extends a hypothesis by one option."""

    previous: Int32Array  # (B,) the previous option, START at the beginning
    option: Int32Array  # (B,) the option of the step
    coverage: UInt64Array  # (B, W) source words covered before the step
    state: Int64Array  # (B,) this model's state before the step


class HeatMap(NamedTuple):
    """A table over the sentence for display, such as P(next word | current word)."""

    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    values: FloatArray  # (rows, columns)
    row_title: str = ""  # what the rows are
    column_title: str = ""


class SentenceScorer(ABC):
    """A model's scores for the steps of one sentence.

    Unless it consists of tables (`tables.py`), it scores one batch per stack of the search, with
    all steps that may lead into it, and its scores may depend on the coverage.
    """

    n_features: int
    initial_state: int = 0
    # Share of `jump_estimate` that the search adds in advance (all of it in Moore and Quirk 2007);
    # chosen on 500 sentences of jaen's and 300 of kyoto's development sets
    jump_share: ClassVar[float] = 0.7

    @abstractmethod
    def features(self, steps: Steps) -> FloatArray:
        """Exact feature values of each step, (B, F)."""

    @abstractmethod
    def advance(self, steps: Steps) -> Int64Array:
        """This model's state after each step, (B,)."""

    def finish(self, state: Int64Array) -> FloatArray:
        """Values of ending the sentence in each state, (B, F)."""
        return np.zeros((len(state), self.n_features))

    def option_estimate(self, n_options: int) -> FloatArray:
        """The best possible values of an option, for the future cost of spans, (N, F)."""
        return np.zeros((n_options, self.n_features))

    def jump_estimate(self, weights: FloatArray) -> FloatArray | None:  # noqa: ARG002
        """The best possible weighted score of a jump from each end of a phrase to each start of
        the next, for pruning, (n_words + 1, n_words)."""
        return None

    def as_automaton(self, weights: FloatArray) -> Any:  # noqa: ARG002
        """The scorer as an automaton, which the search asks step by step
        (`decoder/lazy_models.py`); None: the scorer is asked for all steps into a stack."""
        return None

    def events(self, steps: Steps) -> Sequence[Sequence[tuple[str, float]]]:  # noqa: ARG002
        """What the model scores in each step, with log probabilities: a list of texts for each
        step, which `hyperbaton explain` shows."""
        return ()

    def heat_maps(self) -> Sequence[HeatMap]:
        """Tables for this sentence that `hyperbaton explain` can draw."""
        return ()

    def distributions(self) -> Sequence[FloatArray]:
        """The probabilities behind the values, one distribution in each row. The conformance tests
        check that they sum to one."""
        return ()


class DistortionModel(Estimator, ABC):
    """Base class of distortion models, for models of your own. The constructor only stores its
    arguments, which are the settings. `fit` learns attributes whose names end in `_`, which `save`
    writes and `load` reads. Override `feature_names`, `prepare`, and `fit` if the model learns."""

    FORMAT: ClassVar[int] = 1  # of saved files; another format cannot be loaded
    REVISION: ClassVar[int] = 1  # of `fit`; another revision is loaded, but training fits again
    in_phrase_table: ClassVar[bool] = False  # whether its scores are learned with the phrase table

    @property
    def requires(self) -> frozenset[str]:
        """Layers that sentences must have: `tags`, `classes`, `tree`. May depend on the training
        data."""
        return frozenset()

    @property
    def wants(self) -> frozenset[str]:
        """Layers that the model uses if a sentence has them; `translate` reports how many sentences
        had none."""
        return frozenset()

    @property
    def uses(self) -> frozenset[str]:
        """Layers that the model can learn from, known before `fit`. Which of them a fitted model
        requires or wants depends on the training data."""
        return self.requires | self.wants

    @property
    @abstractmethod
    def feature_names(self) -> tuple[str, ...]:
        """Names of the features, known before `fit`."""

    @property
    def initial_weights(self) -> tuple[float, ...]:
        """Weights from which tuning starts, one for each feature."""
        return (0.3,) * len(self.feature_names)

    @property
    def learns(self) -> bool:
        """Whether the model has anything to fit and to save."""
        return type(self).fit is not DistortionModel.fit

    def fit(self, corpus: AlignedCorpus, *_: Any, **__: Any) -> Self:  # noqa: ARG002
        """Learns from a corpus and returns the model itself. An implementation declares only the
        keywords that it needs: `phrases`, the phrase table of the corpus; `seed`; `threads`, their
        number; `progress`, a function that reports progress. A model that does not override `fit`
        learns nothing."""
        return self

    @abstractmethod
    def prepare(self, sentence: Sentence, options: OptionTable) -> SentenceScorer:
        """The scorer of one sentence, whose phrase pairs are `options`."""

    def save(self, directory: Path) -> None:
        """Writes the learned attributes: arrays, vocabularies, and values that JSON can hold. For
        anything else, override `save` and `load`."""
        if not self.learns:
            return
        self.check_fitted()
        arrays, vocabularies, header = {}, {}, {}
        for key, value in self.learned().items():
            if isinstance(value, np.ndarray):
                arrays[key] = value
            elif isinstance(value, Vocabulary):
                vocabularies[key] = value
            elif _survives_json(value):
                header[key] = value
            else:
                raise DataError(
                    f"the model {self.name} cannot save {key}, which is a {type(value).__name__}",
                    expected="expected arrays, vocabularies, numbers, texts, lists, dictionaries",
                    advice="override save and load in the model",
                )
        save_arrays(directory, self.FORMAT, header, arrays, vocabularies)

    def load(self, directory: Path) -> Self:
        """Reads the files of `save` into a model with the same settings, and returns the model."""
        if self.learns:
            header, arrays, vocabularies = load_arrays(
                directory, self.FORMAT, self.laws, self.settings()
            )
            vars(self).update({**header, **arrays, **vocabularies})
        return self

    def check_settings(self) -> None:
        """Raises a `SettingError` for impossible settings; called before a system is loaded."""

    def laws(self, arrays: CheckedArrays) -> None:
        """Checks saved arrays before compiled code uses them (`foundation/files/array_laws.py`)."""
        plain_numbers(arrays)

    def check(self, sentence: Sentence) -> None:
        """Raises a `DataError` for a sentence without a layer that the model needs; called before
        the search."""
        missing = sorted(self.requires - sentence.layers)
        if missing:
            raise DataError(
                f"the model {self.name} needs the layer {missing[0]!r}",
                expected=f"the sentence has {', '.join(sorted(sentence.layers)) or 'words only'}",
            )


def takes(model: DistortionModel, keyword: str) -> bool:
    """Whether the model's `fit` takes a keyword."""
    parameters = inspect.signature(model.fit).parameters
    takes_all = any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters.values())
    return takes_all or keyword in parameters


def fit_model(model: DistortionModel, corpus: AlignedCorpus, **offered: Any) -> DistortionModel:
    """Calls `fit` with those of the offered keywords that it takes."""
    parameters = inspect.signature(model.fit).parameters
    for parameter in list(parameters.values())[1:]:
        is_variadic = parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        is_required = parameter.default is parameter.empty and not is_variadic
        if is_required and parameter.name not in offered:
            raise SettingError(
                f"fit of the model {model.name} asks for {parameter.name!r}",
                expected=f"expected fit(corpus), with any of {', '.join(offered)}",
            )
    taken = {key: value for key, value in offered.items() if takes(model, key)}
    return model.fit(corpus, **taken)


def _survives_json(value: Any) -> bool:
    try:
        return bool(json.loads(json.dumps(value)) == value)
    except (TypeError, ValueError):
        return False
