"""What stages make of a corpus, here or on another machine.

Each function fills a folder and returns a few words on what it made. `work_elsewhere` is the task
of a whole stage: a worker loads the corpus, and brings the folder home.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hyperbaton.corpus.corpora.corpus import AlignedCorpus, Side
from hyperbaton.corpus.corpora.files import load_corpus
from hyperbaton.corpus.words.tagger import Tagger
from hyperbaton.corpus.words.word_classes import WordClasses
from hyperbaton.foundation.files.vocabulary import SPECIAL
from hyperbaton.foundation.work.workplace import Workplace
from hyperbaton.models.distortion.catalogue import parse_model
from hyperbaton.models.distortion.interface import DistortionModel, fit_model
from hyperbaton.models.phrases.table import PhraseTable

StageWork = Callable[..., str]  # of a place, a corpus, a folder, and values


def make_classes(
    here: Workplace, corpus: AlignedCorpus, folder: Path, side: str, number: int
) -> str:
    text: Side = getattr(corpus, side)
    here.say(f"making {side} word classes", 0)
    WordClasses.fit(text.words, text.vocabulary, number).save(folder)
    return f"{len(text.vocabulary) - len(SPECIAL):,} words in {number} classes"


def make_tagger(here: Workplace, corpus: AlignedCorpus, folder: Path, seed: int) -> str:
    tagger = Tagger.fit(corpus.source, seed=seed, progress=here.say)
    tagger.save(folder)
    return f"{len(tagger.tags)} tags, {tagger.accuracy:.1%} of held-out words right"


@dataclass(frozen=True)
class Needed:
    """What distortion models learn from besides the corpus."""

    source_classes: Path
    target_classes: Path
    phrases: Path | None = None  # if they need it: it is large

    def at(self, here: Workplace) -> "Needed":
        return Needed(*(here.get(path) for path in vars(self).values() if path))


def fit_distortion(
    here: Workplace, corpus: AlignedCorpus, folder: Path, text: str, needed: Needed, **offered: Any
) -> str:
    """A model by its name and settings."""
    model, own = parse_model(text), needed.at(here)
    return fit_and_save(model, corpus, folder, own, progress=here.say, **offered)


def fit_and_save(
    model: DistortionModel, corpus: AlignedCorpus, folder: Path, needed: Needed, **offered: Any
) -> str:
    source = WordClasses.load(needed.source_classes).layer(corpus.source.words)
    target = WordClasses.load(needed.target_classes).layer(corpus.target.words)
    with_classes = replace(
        corpus,
        source=replace(corpus.source, classes=source),
        target=replace(corpus.target, classes=target),
    )
    table = PhraseTable.load(needed.phrases) if needed.phrases else None
    fit_model(model, with_classes, phrases=table, **offered)
    model.save(folder)
    return f"fitted to {len(corpus):,} sentence pairs"


def work_elsewhere(
    here: Workplace, corpus: Path, home: Path, work: StageWork, values: dict[str, Any]
) -> str:
    """Brings home what the work makes of a corpus that lies at home."""
    pairs, _ = here.remembered(("corpus", corpus), lambda: load_corpus(here.get(corpus)))
    with here.working_in(home.parent) as place:
        folder = place / home.name
        folder.mkdir(parents=True, exist_ok=True)
        made = work(here, pairs, folder, **values)
        here.put(folder, home)
    return made
