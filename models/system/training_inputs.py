"""Inputs of training: files with their hashes, and the corpus read from them.

The corpus is read when a stage first needs it: a run with nothing to do reads nothing. A small
corpus stays in memory. A large one, or one for remote workers, is saved as arrays by a separate
stage and kept until the system is complete.
"""

import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.corpora.files import FORMAT, load_corpus, save_corpus
from hyperbaton.corpus.corpora.reading import CorpusFiles, ReadReport, read_corpus
from hyperbaton.corpus.raw_text.both_sides import TextPipelines
from hyperbaton.corpus.raw_text.casing import FORMAT as TEXT_FORMAT
from hyperbaton.corpus.raw_text.casing import TRUE
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.sealed_folders import check_unchanged, sha256
from hyperbaton.foundation.files.writing import path_text
from hyperbaton.foundation.progress import Progress
from hyperbaton.foundation.settings_text import parse_size
from hyperbaton.models.system.folder import TEXT
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.stages import CORPUS, fingerprint, part_of, run_stage

LARGE_CORPUS = 20_000_000  # bytes of its files; larger corpora are mapped into memory


@dataclass(frozen=True, eq=False)
class TrainingInputs:
    """Files, hashes and settings of training."""

    paths: dict[str, Path]  # of the corpus
    hashes: dict[str, str]
    text: TextPipelines | None  # for raw text
    lm_texts: list[Path]  # more text for the language model
    lm_hashes: list[str]
    settings: TrainingSettings

    @classmethod
    def of(
        cls, files: CorpusFiles, lm_texts: list[Path], settings: TrainingSettings
    ) -> "TrainingInputs":
        paths = {name: path for name, path in vars(files).items() if path is not None}
        hashes = {name: sha256(path) for name, path in paths.items()}
        text = TextPipelines.of(settings.text)
        if text is not None:
            text.check(settings.corpus)
        return cls(paths, hashes, text, lm_texts, [sha256(path) for path in lm_texts], settings)

    @property
    def corpus_key(self) -> list[Any]:
        """Everything that the corpus depends on."""
        described = [] if self.text is None else [self.text.described()]
        return [self.hashes, asdict(self.settings.corpus), *described]

    @property
    def case_key(self) -> str | None:
        """The key of the stage that learns truecasing, if there is one."""
        if self.text is None or TRUE not in (self.text.source.case, self.text.target.case):
            return None
        return fingerprint(TEXT_FORMAT, self.corpus_key)

    @property
    def memory(self) -> int:
        return parse_size(self.settings.train.memory) or sys.maxsize

    def description(self) -> dict[str, dict[str, Any]]:
        """For `model.toml`."""
        hidden = {TEXT}
        hidden |= set() if self.settings.has_rules else {"rules", "grammar", "rules_for"}
        hidden |= set() if self.settings.has_phrases else {"phrases", "classes", "distortion"}
        settings = {k: value for k, value in asdict(self.settings).items() if k not in hidden}
        described = {} if self.text is None else {TEXT: self.text.described()}
        return described | {
            "settings": settings,
            "corpus": {
                name: {"file": path_text(path), "sha256": self.hashes[name]}
                for name, path in self.paths.items()
            },
            "training": {"lm_texts": [path_text(path) for path in self.lm_texts]},
        }


@dataclass(eq=False)
class TrainingCorpus:
    inputs: TrainingInputs
    out: Path
    progress: Progress
    is_shared: bool  # with remote workers
    _kept_case: tuple[AlignedCorpus, ReadReport] | None = field(default=None, init=False)
    _read: tuple[AlignedCorpus, list[str]] | None = field(default=None, init=False)
    _saved: Path | None = field(default=None, init=False)

    def read(self) -> tuple[AlignedCorpus, list[str]]:
        """The corpus, and remarks on it."""
        if self._read is None:
            size = sum(path.stat().st_size for path in self.inputs.paths.values())
            if self.is_shared or size >= LARGE_CORPUS:
                self._read = load_corpus(self.saved())
            else:
                self._read = self._read_text()
        return self._read

    def saved(self) -> Path:
        """The folder of the corpus as arrays."""

        def work(folder: Path) -> str:
            save_corpus(*self._read_text(), folder)
            return ""

        if self._saved is None:
            key = fingerprint(FORMAT, self.inputs.corpus_key)
            self._saved = self.out / run_stage(self.out, CORPUS, key, work)
        return self._saved

    def read_with_case(self) -> tuple[AlignedCorpus, ReadReport]:
        """The corpus before truecasing."""
        if self._kept_case is None:
            inputs = self.inputs
            given = CorpusFiles(**inputs.paths), inputs.settings.corpus, self.progress
            if inputs.text is None:
                corpus, report = read_corpus(*given)
            else:
                inputs.text.load()
                corpus, report = read_corpus(*given, inputs.text.plain().tokenise)
            check_unchanged({path: inputs.hashes[name] for name, path in inputs.paths.items()})
            if not len(corpus):
                raise DataError(
                    "the corpus has no sentence pairs", where=str(inputs.paths["source"])
                )
            self._kept_case = corpus, report
        return self._kept_case

    def text(self) -> TextPipelines | None:
        """The text pipelines, with the truecasers of an earlier stage."""
        text, key = self.inputs.text, self.inputs.case_key
        if text is None or key is None:
            return text
        return text.with_learned(self.out / part_of(TEXT, key))

    def _read_text(self) -> tuple[AlignedCorpus, list[str]]:
        corpus, report = self.read_with_case()
        self._kept_case = None  # free the first corpus before the second is made
        text = self.text()
        lines = report.lines()
        if text is not None:
            remarks = text.split_warning(self.inputs.paths["source"]), text.size_hint(len(corpus))
            lines += filter(None, remarks)
        return corpus if text is None else text.learned_from(corpus), lines
