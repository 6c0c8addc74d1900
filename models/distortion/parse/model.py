"""Maximum entropy over translations and jumps, with features of the parse tree (Xiang et al. 2011).

The model learns p(t, j | s) of eq. 3 along the visit paths of the word alignments (`fitting.py`).
A step's features are sums over the units of the option:

    parse.logp    log p(t, j | s)
    parse.prior   log p0(t | s), its part from the normalised phrase count (eq. 4)
    parse.jump    log p(j | s), the jump without the translation

The setting `use` names the features and the prior as a sum of parts. `me` is the paper's baseline
and stands for count+lexical+context+tags+words; any of these may be named instead. Previous target
words (`history`) are not part of it: the language model already uses them, and the search becomes
several times slower if it cannot recombine hypotheses with different last words.

    me   me+prior   me+cov   me+sib   me+cov+sib   me+prior+cov+sib     the rows of its Tables 2–4

A sentence without a tree is scored by the other features.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.arrays import Int32Array
from hyperbaton.foundation.files.array_files import load_arrays, restored, save_arrays, saved
from hyperbaton.foundation.files.array_laws import CheckedArrays
from hyperbaton.foundation.hashing import index_keys
from hyperbaton.foundation.progress import Progress, silent
from hyperbaton.models.distortion.interface import DistortionModel, OptionTable
from hyperbaton.models.distortion.parse.feature_groups import FeatureGroups
from hyperbaton.models.distortion.parse.fitting import IIS, LBFGS, Learned, ParseSettings, learn
from hyperbaton.models.distortion.parse.inventory import Inventory, inventory_laws
from hyperbaton.models.distortion.parse.path import UNALIGNED
from hyperbaton.models.distortion.parse.priors import LONGEST_PHRASE, PRIORS, Prior
from hyperbaton.models.distortion.parse.rewrites import (
    encode_tree,
    parse_rewrites,
    read_rewrites,
    rewrite_tree,
)
from hyperbaton.models.distortion.parse.scorer import ParseScorer
from hyperbaton.models.distortion.parse.sentence_tables import Translations
from hyperbaton.models.distortion.parse.templates import (
    COV,
    G_COLUMN,
    MOST_TAGS,
    N_JUMPS,
    SIB,
    TAGS,
    WORDS,
    parse_use,
)
from hyperbaton.models.phrases.settings import GRID
from hyperbaton.models.phrases.table import PhraseTable
from hyperbaton.models.phrases.trie import Trie

# fields that are saved under the same names
VOCABULARIES = ("source_words", "target_words", "source_tags", "target_tags", "labels")


@dataclass(eq=False, kw_only=True)
class Parse(ParseSettings, DistortionModel):
    """Translation and jump by maximum entropy, with features of the parse tree (Xiang 2011)."""

    name: ClassVar[str] = "parse"
    FORMAT: ClassVar[int] = 2
    learned_: Learned = field(init=False, repr=False)
    _known: dict[int, tuple[PhraseTable, Int32Array, NDArray[np.uint16]]] = field(
        default_factory=dict, init=False, repr=False
    )

    @property
    def feature_names(self) -> tuple[str, ...]:
        return ("parse.logp", "parse.prior", "parse.jump")

    @property
    def initial_weights(self) -> tuple[float, ...]:
        """The jump has an initial weight, because log p is mostly about translations, which have
        other features."""
        return (0.3, 0.0, 0.3)

    @property
    def uses(self) -> frozenset[str]:
        families, prior = parse_use(self.use)
        tags = families & (TAGS | WORDS | SIB) or prior == "smoothed"
        return frozenset(["tags"] * bool(tags) + ["tree"] * bool(families & (COV | SIB)))

    @property
    def requires(self) -> frozenset[str]:
        """Tags, if it was trained with them; trees are optional."""
        known = bool(self.learned()) and len(self.learned_.source_tags) > 3
        return self.uses & {"tags"} if known else frozenset()

    @property
    def wants(self) -> frozenset[str]:
        """Trees, if it was trained with tree features."""
        if not self.learned():
            return frozenset()
        report = self.learned_.report
        return self.uses & {"tree"} if report["without_tree"] < report["sentences"] else frozenset()

    def fit(
        self,
        corpus: AlignedCorpus,
        *,
        phrases: PhraseTable | None = None,
        threads: int = 2,
        progress: Progress = silent,
    ) -> Self:
        self.check_settings()
        self.rewrites_text_, self.rewrites_ = read_rewrites(self.rewrites)
        self.learned_ = learn(corpus, phrases, self, self.rewrites_, threads, progress)
        return self

    def prepare(self, sentence: Sentence, options: OptionTable) -> ParseScorer:
        learned = self.learned_
        families, _ = parse_use(self.use)
        tree = sentence.tree
        if tree is not None and families & (COV | SIB):
            tree = rewrite_tree(tree, sentence.words, self.rewrites_)
        tags = np.zeros(len(sentence), np.int32)
        if sentence.tags is not None:
            tags = learned.source_tags.encode(sentence.tags)
            tags[tags >= MOST_TAGS - 1] = 0
        return ParseScorer(
            learned,
            self,
            learned.source_words.encode(sentence.words),
            tags,
            encode_tree(tree, learned.labels),
            options,
            self._translations(options),
        )

    def save(self, directory: Path) -> None:
        """Saves the model with the text of the tree rewrites, so that their file is not needed."""
        learned = self.learned_
        inventory, prior, features = learned.inventory, learned.prior, learned.features
        arrays: dict[str, Any] = {
            **saved(inventory.source_trie, "source_"),
            **saved(inventory.target_trie, "target_"),
            **saved(inventory, "inventory_"),
            **saved(prior, "prior_"),
            "group_key": features.key,
            "group_begin": features.begin,
            "feature_cell": features.column,
            "feature_count": learned.counts,
            "feature_weight": learned.weights,
        }
        header = {
            "prior": prior.kind,
            "alpha": prior.alpha,
            "rewrites": self.rewrites_text_,
            "report": dict(learned.report),
        }
        vocabularies = {name: getattr(learned, name) for name in VOCABULARIES}
        save_arrays(directory, self.FORMAT, header, arrays, vocabularies)

    def load(self, directory: Path) -> Self:
        header, arrays, vocabularies = load_arrays(directory, self.FORMAT, _laws)
        tries = {
            f"{side}_trie": restored(Trie, arrays, f"{side}_") for side in ("source", "target")
        }
        key = arrays["group_key"]
        self.learned_ = Learned(
            **{name: vocabularies[name] for name in VOCABULARIES},
            inventory=restored(Inventory, arrays, "inventory_", **tries),
            prior=restored(Prior, arrays, "prior_", kind=header["prior"], alpha=header["alpha"]),
            features=FeatureGroups(
                key, arrays["group_begin"], arrays["feature_cell"], index_keys(key)
            ),
            counts=arrays["feature_count"],
            weights=arrays["feature_weight"],
            report=header["report"],
        )
        self.rewrites_text_ = header["rewrites"]
        self.rewrites_ = parse_rewrites(self.rewrites_text_, str(directory))
        return self

    def _translations(self, options: OptionTable) -> Translations:
        """The target words of options. The model's ids of a phrase table's words and the units of
        its entries are cached for each table."""
        phrases = options.phrases
        known = self._known.get(id(phrases))
        if known is None or known[0] is not phrases:
            ids = self.learned_.target_words.encode(phrases.target_vocabulary.words)
            known = phrases, ids, np.zeros((len(phrases), GRID), np.uint16)
            self._known[id(phrases)] = known
        targets = phrases.target_sides
        return Translations(
            options.entry, phrases.target, targets.offsets, targets.values, *known[1:]
        )

    def check_settings(self) -> None:
        self._check_at_least(1, "levels", "min_count", "iterations")
        may_be_0 = "max_sentences", "alpha_half", "jump_variance", "translation_variance"
        self._check_at_least(0, *may_be_0)
        self._check("alpha", 0 <= self.alpha < 1, "expected a number from 0 to less than 1")
        self._check_positive("variance", "tag_variance")
        self._check_choice("trainer", [LBFGS, IIS])
        self._check_choice("unaligned", list(UNALIGNED))


def _laws(arrays: CheckedArrays) -> None:
    inventory_laws(arrays)
    n_tags = arrays.words("target_tags")
    n_candidates = len(arrays.indices("inventory_tag", np.int32, (None,), below=n_tags))
    arrays.floats("prior_share", np.float64, (n_candidates,))
    arrays.floats("prior_local", np.float64, (n_candidates, N_JUMPS))
    n_source_tags = len(arrays.floats("prior_by_tag", np.float64, (None, N_JUMPS)))
    arrays.that("prior_by_tag", n_source_tags > 0, "is empty")
    arrays.floats("prior_by_length", np.float64, (LONGEST_PHRASE + 1, N_JUMPS))
    keys = arrays.array("group_key", np.int64, (None,))
    arrays.rises("group_key", keys)
    n_columns = G_COLUMN + n_tags * N_JUMPS
    n_features = arrays.indices("feature_cell", np.int32, (None,), below=n_columns).shape
    arrays.ranges("group_begin", np.int64, n_features[0], rows=len(keys))
    arrays.array("feature_count", np.int64, n_features)
    arrays.floats("feature_weight", np.float64, n_features)
    for name in VOCABULARIES:
        arrays.words(name)
    kind = arrays.number("prior")
    arrays.that("header", kind < len(PRIORS), f"has the invalid value {kind} for prior")
    arrays.number("alpha", float)
    told = arrays.header.get("rewrites"), arrays.header.get("report")
    fits = isinstance(told[0], str) and isinstance(told[1], dict)
    arrays.that("header", fits, "lacks the text of rewrites or the report")
