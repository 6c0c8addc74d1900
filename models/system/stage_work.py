"""The work of the stages of training: each fills a folder and returns a short summary.

Stages that need only the corpus and results of earlier stages can run on another machine.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from hyperbaton.corpus.corpora.corpus import Side
from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.corpus.text import parse_lines, split_words
from hyperbaton.corpus.words.tagger import Tagger
from hyperbaton.corpus.words.word_classes import WordClasses
from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.files.scratch import Scratch
from hyperbaton.foundation.files.sealed_folders import check_unchanged
from hyperbaton.foundation.files.vocabulary import SPECIAL, Vocabulary
from hyperbaton.foundation.files.writing import path_text
from hyperbaton.foundation.progress import Talk
from hyperbaton.models.distortion.interface import DistortionModel, fit_model
from hyperbaton.models.language_model.class_model import ClassModel
from hyperbaton.models.language_model.counting import count_ngrams, read_text
from hyperbaton.models.language_model.estimation import Count, estimate, parse_thresholds
from hyperbaton.models.language_model.far_counting import count_ngrams_far
from hyperbaton.models.language_model.model import LanguageModel
from hyperbaton.models.language_model.parts import fill_part
from hyperbaton.models.phrases.building import train_phrases
from hyperbaton.models.phrases.table import PhraseTable
from hyperbaton.models.rules.building import train_rules
from hyperbaton.models.system.stage_loop import Bench
from hyperbaton.models.system.training_inputs import TrainingCorpus


def learn_case(bench: Bench, folder: Path, *, corpus: TrainingCorpus) -> str:  # noqa: ARG001
    text = corpus.inputs.text
    assert text is not None
    text.fit(corpus.read_with_case()[0]).save(folder)
    return "capital letters of words"


def make_phrases(
    bench: Bench,
    folder: Path,
    *,
    corpus: TrainingCorpus,
    talk: Talk,
) -> str:
    pairs, remarks = corpus.read()
    for line in remarks:
        talk(line)
    bench.here.say("making the phrase table", 0)
    workers, settings = bench.crew.workers, corpus.inputs.settings.phrases
    given = corpus.saved().absolute() if workers.is_far else pairs
    how = settings, bench.threads, bench.memory, folder, bench.here.say
    try:
        table = train_phrases(given, *how, workers=workers)
    except DataError as error:
        error.where = error.where or path_text(corpus.inputs.paths["alignment"])
        raise
    return f"{len(table):,} phrase pairs of {len(pairs):,} sentence pairs"


def make_rules(bench: Bench, folder: Path, *, corpus: TrainingCorpus) -> str:
    pairs, _ = corpus.read()
    settings, text = corpus.inputs.settings, corpus.text()
    parse = Sentence.parse if text is None else text.sentence
    texts = [
        parse(line).words for path in settings.rules_for for _, line in parse_lines(Path(path), str)
    ]
    how = settings.rules, bench.threads, bench.here.say
    table = train_rules(pairs, *how, memory=bench.memory, texts=texts)
    table.save(folder)
    return f"{len(table):,} rules of {len(pairs):,} sentence pairs"


def make_language_model(bench: Bench, folder: Path, *, corpus: TrainingCorpus) -> str:
    inputs, settings = corpus.inputs, corpus.inputs.settings.lm
    target, text = corpus.read()[0].target, corpus.text()
    tokenise = split_words if text is None else text.written
    more_vocabulary, more = read_text(inputs.lm_texts, bench.here.say, tokenise)
    check_unchanged(dict(zip(inputs.lm_texts, inputs.lm_hashes, strict=True)))
    words, vocabulary = _appended(target.words, target.vocabulary, more, more_vocabulary)
    bench.here.say("making the language model", 0)
    count: Count = count_ngrams
    if bench.crew.workers.is_far:
        count = partial(count_ngrams_far, bench.crew)
    thresholds, scratch = parse_thresholds(settings.prune), Scratch(folder, bench.memory)
    ngrams = estimate(words, vocabulary, settings.order, thresholds, scratch, count)
    LanguageModel.from_ngrams(ngrams, scratch).save(folder)
    return f"{sum(ngrams.counts):,} n-grams of {len(words.values):,} words"


def take_model(bench: Bench, folder: Path, *, path: Path) -> str:
    return fill_part(path, folder, bench.here.say)


def make_class_model(bench: Bench, folder: Path, *, corpus: TrainingCorpus) -> str:
    """A language model of the target text with its words replaced by their classes."""
    settings, target = corpus.inputs.settings.lm, corpus.read()[0].target
    bench.here.say("making word classes for a language model", 0)
    classes = WordClasses.fit(target.words, target.vocabulary, settings.classes)
    vocabulary = Vocabulary(map(str, range(settings.classes)))
    numbers = classes.layer(target.words)
    words = Ragged(numbers.values + np.int32(len(SPECIAL)), numbers.offsets)
    thresholds, scratch = parse_thresholds(settings.prune), Scratch(folder, bench.memory)
    ngrams = estimate(words, vocabulary, settings.order, thresholds, scratch)
    ClassModel.of_classes(ngrams, classes).save(folder)
    return f"{sum(ngrams.counts):,} n-grams of {settings.classes} word classes"


def make_classes(bench: Bench, folder: Path, *, side: str, number: int) -> str:
    text: Side = getattr(bench.corpus(), side)
    bench.here.say(f"making {side} word classes", 0)
    WordClasses.fit(text.words, text.vocabulary, number).save(folder)
    return f"{len(text.vocabulary) - len(SPECIAL):,} words in {number} classes"


def make_tagger(bench: Bench, folder: Path, *, seed: int) -> str:
    tagger = Tagger.fit(bench.corpus().source, seed=seed, progress=bench.here.say)
    tagger.save(folder)
    return f"{len(tagger.tags)} tags, {tagger.accuracy:.1%} of held-out words right"


def fit_distortion(bench: Bench, folder: Path, *, model: DistortionModel, seed: int) -> str:
    """Fits a distortion model; loads the large phrase table only for models that need it."""
    parts = {name: bench.here.get(path) for name, path in bench.inputs.items()}
    corpus = bench.corpus()
    source = WordClasses.load(parts["source_classes"]).layer(corpus.source.words)
    target = WordClasses.load(parts["target_classes"]).layer(corpus.target.words)
    with_classes = replace(
        corpus,
        source=replace(corpus.source, classes=source),
        target=replace(corpus.target, classes=target),
    )
    fit_model(
        model,
        with_classes,
        phrases=PhraseTable.load(parts["phrases"]) if "phrases" in parts else None,
        seed=seed,
        threads=bench.threads,
        progress=bench.here.say,
        memory=bench.memory,
        crew=bench.crew,
    )
    model.save(folder)
    return f"fitted to {len(corpus):,} sentence pairs"


def _appended(
    words: Ragged, vocabulary: Vocabulary, more: Ragged, more_vocabulary: Vocabulary
) -> tuple[Ragged, Vocabulary]:
    """Concatenates two texts over one vocabulary."""
    joined = Vocabulary(vocabulary.words[len(SPECIAL) :])
    ids = np.array(joined.extend(more_vocabulary.words), dtype=np.int32)
    values = np.concatenate([words.values, ids[more.values]])
    lengths = np.concatenate([words.lengths, more.lengths])
    return Ragged(values, np.concatenate([[0], np.cumsum(lengths)])), joined
