"""Trains a translation system from files: a phrase table with reordering scores, a language model,
word classes and distortion models.

    inputs ──▶ descriptions of stages ──▶ the loop runs the missing ones ──▶ the system
"""

import re
import shlex
from collections.abc import Iterable, Sequence
from contextlib import nullcontext
from dataclasses import asdict
from functools import partial
from pathlib import Path

import numpy as np

from hyperbaton.corpus.corpora.reading import CorpusFiles
from hyperbaton.corpus.words.tagger import FORMAT as TAGGER_FORMAT
from hyperbaton.corpus.words.word_classes import FORMAT as CLASSES_FORMAT
from hyperbaton.foundation.arrays import Ragged
from hyperbaton.foundation.errors import SettingError, check_known
from hyperbaton.foundation.files.sealed_folders import sha256
from hyperbaton.foundation.files.vocabulary import SPECIAL, Vocabulary
from hyperbaton.foundation.progress import SILENT, Reporter, Talk
from hyperbaton.foundation.settings_text import parse_size
from hyperbaton.foundation.work.workers import Threads, Workers
from hyperbaton.models.distortion.catalogue import MODELS, parse_model, split_model
from hyperbaton.models.distortion.interface import DistortionModel, takes
from hyperbaton.models.distortion.msd.model import Lexicalised
from hyperbaton.models.language_model.estimation import estimate, parse_thresholds
from hyperbaton.models.language_model.model import FORMAT as LM_FORMAT
from hyperbaton.models.language_model.parts import check_part
from hyperbaton.models.phrases.checking import (
    check_not_negative,
    check_phrase_settings,
    check_values,
)
from hyperbaton.models.phrases.settings import NONE
from hyperbaton.models.phrases.table import PhraseTable
from hyperbaton.models.rules.extraction import check_rule_settings
from hyperbaton.models.rules.table import RuleTable
from hyperbaton.models.system.folder import (
    LM,
    PHRASES,
    RULES,
    TAGGER,
    TEXT,
    FittedModel,
    language_models,
    starting_weights,
    weights_to_keep,
    write_system,
)
from hyperbaton.models.system.settings import GRAMMARS, TrainingSettings
from hyperbaton.models.system.stage_loop import Stage, StageLoop
from hyperbaton.models.system.stage_work import (
    fit_distortion,
    learn_case,
    make_class_model,
    make_classes,
    make_language_model,
    make_phrases,
    make_rules,
    make_tagger,
    take_model,
)
from hyperbaton.models.system.stages import DISTORTION, fingerprint, locked
from hyperbaton.models.system.training_inputs import TrainingCorpus, TrainingInputs

CLASS_LM = f"{LM}.classes"


def train_system(
    files: CorpusFiles,
    out: Path,
    settings: TrainingSettings = TrainingSettings(),
    lm_texts: Iterable[Path] = (),
    threads: int = 2,
    reporter: Reporter = SILENT,
    *,
    together: bool = True,
    workers: Workers | None = None,
) -> None:
    """Trains a system in the folder `out`; stages with unchanged inputs are not run again. Remote
    workers give the same result.

    `together`: all distortion models will be used at once, so their features must be distinct.
    """
    _check_alignment(files, settings)
    check_training_settings(settings)
    wanted = list[tuple[str, DistortionModel]]()
    if settings.has_phrases:
        wanted = wanted_models(settings.distortion, settings.phrases.reordering)
    if together:
        check_features(model for _, model in wanted)
    inputs = TrainingInputs.of(files, list(lm_texts), settings)
    with locked(out), nullcontext(workers) if workers else Threads(threads) as workers:
        corpus = TrainingCorpus(inputs, out, reporter.progress, workers.is_far)
        parts = part_stages(corpus, reporter.talk)
        learned = [
            model_stage(inputs, parts, name, model) if model.learns else None
            for name, model in wanted
        ]
        tagger = tagger_stages(inputs, parts)
        loop = StageLoop(out, corpus, workers, threads, inputs.memory, reporter)
        loop.run([*parts, *filter(None, learned), *tagger])
        models = [
            FittedModel(name, model, stage.part if stage else "")
            for (name, model), stage in zip(wanted, learned, strict=True)
        ]
        folders = {stage.name: stage.part for stage in (*parts, *tagger)}
        fitted_models = [fitted.model for fitted in models]
        lms, has_rules = language_models(folders), settings.has_rules
        defaults = starting_weights(fitted_models, lms, has_rules=has_rules)
        weights, search = weights_to_keep(out, defaults, reporter.talk)
        write_system(out, folders, weights, models, search, **inputs.description())


def part_stages(corpus: TrainingCorpus, talk: Talk) -> list[Stage]:
    """The stages that every system has."""
    inputs, settings = corpus.inputs, corpus.inputs.settings
    key, case = inputs.corpus_key, tuple[Stage, ...]()
    if inputs.case_key is not None:
        case = (Stage(TEXT, inputs.case_key, partial(learn_case, corpus=corpus)),)
    rules = Stage(
        RULES,
        fingerprint(RuleTable.FORMAT, key, asdict(settings.rules), *map(Path, settings.rules_for)),
        partial(make_rules, corpus=corpus),
        inputs=case,
    )
    if not settings.has_phrases:
        return [*case, rules, *language_model_stages(corpus, case)]
    phrases = Stage(
        PHRASES,
        fingerprint(PhraseTable.FORMAT, key, asdict(settings.phrases)),
        partial(make_phrases, corpus=corpus, talk=talk),
        inputs=case,
        resumes=True,
    )
    made = [phrases, rules] if settings.has_rules else [phrases]
    classes = [
        Stage(
            f"{side}_classes",
            fingerprint(CLASSES_FORMAT, key, side, asdict(settings.classes)),
            partial(make_classes, side=side, number=settings.classes.number),
            inputs=case,
            is_task=True,
        )
        for side in ("source", "target")
    ]
    return [*case, *made, *language_model_stages(corpus, case), *classes]


def language_model_stages(corpus: TrainingCorpus, case: tuple[Stage, ...]) -> list[Stage]:
    """The stages of the main language model and the additional ones."""
    inputs, settings = corpus.inputs, corpus.inputs.settings.lm
    described = inputs.corpus_key, {"order": settings.order, "prune": settings.prune}
    files = model_files(settings.files)
    for path in files.values():
        check_part(path)
    stages = [
        Stage(name, fingerprint(LM_FORMAT, sha256(path)), partial(take_model, path=path))
        for name, path in files.items()
    ]
    if all(stage.name != LM for stage in stages):
        key = fingerprint(LM_FORMAT, *described, *inputs.lm_hashes)
        work = partial(make_language_model, corpus=corpus)
        stages.insert(0, Stage(LM, key, work, inputs=case))
    elif inputs.lm_texts:
        raise SettingError(
            "both text for a language model and a language model that replaces it are given",
            advice="name the model to use it in addition to that of the text: --lm NAME=FILE",
        )
    if settings.classes:
        key = fingerprint(LM_FORMAT, CLASSES_FORMAT, *described, settings.classes)
        work = partial(make_class_model, corpus=corpus)
        stages.append(Stage(CLASS_LM, key, work, inputs=case))
    return stages


def model_files(files: Iterable[str]) -> dict[str, Path]:
    """The files of `lm.files` by the names of their features: lm, lm.2, … and lm.NAME."""
    by_feature = dict[str, Path]()
    for file in files:
        name, _, path = file.rpartition("=")
        if name and not re.fullmatch(r"[a-z][a-z0-9_]*", name):  # a folder may be called a=b
            name, path = "", file
        n_unnamed = sum(re.fullmatch(rf"{LM}(\.\d+)?", known) is not None for known in by_feature)
        number = f".{n_unnamed + 1}" if n_unnamed else ""
        feature = f"{LM}.{name}" if name else f"{LM}{number}"
        if feature in by_feature or feature == CLASS_LM:
            raise SettingError(
                f"two language models are called {feature}",
                expected="every language model needs a name of its own",
            )
        by_feature[feature] = Path(path)
    return by_feature


def model_stage(
    inputs: TrainingInputs, parts: Sequence[Stage], name: str, model: DistortionModel
) -> Stage:
    """The stage that fits a model. Plug-ins, which workers may lack, and models that use a crew run
    on this machine."""
    seed, by_name = inputs.settings.seed, {stage.name: stage for stage in parts}
    needed = ("source_classes", "target_classes", *["phrases"] * takes(model, "phrases"))
    folders = {part: by_name[part].part for part in needed}
    described = [name, model.settings(), seed, model.FORMAT, model.REVISION]
    return Stage(
        stage_name(name),
        fingerprint(inputs.corpus_key, folders, *described),
        partial(fit_distortion, model=model, seed=seed),
        inputs=tuple(by_name[part] for part in needed),
        is_task=name in MODELS and not takes(model, "crew"),
    )


def tagger_stages(inputs: TrainingInputs, parts: Sequence[Stage]) -> list[Stage]:
    """The stage of the tagger for untagged sentences, if the corpus has tags."""
    if "source_tags" not in inputs.paths:
        return []
    seed = inputs.settings.seed
    key = fingerprint(TAGGER_FORMAT, inputs.corpus_key, seed)
    case = tuple(stage for stage in parts if stage.name == TEXT)
    return [Stage(TAGGER, key, partial(make_tagger, seed=seed), inputs=case, is_task=True)]


def _check_alignment(files: CorpusFiles, settings: TrainingSettings) -> None:
    if files.alignment is not None:
        return
    paths = ["--source", str(files.source), "--target", str(files.target)]
    for side in ("source", "target"):
        if language := getattr(settings.text, f"{side}_language"):
            paths += [f"--{side}-language", language]
    make = shlex.join(["hyperbaton", "align", *paths, "--out", "train.align"])
    raise SettingError("training needs a word alignment", advice=f"make one: {make}")


def check_training_settings(settings: TrainingSettings) -> None:
    check_values("corpus", settings.corpus, {"max_length": check_not_negative})
    check_known("grammar", settings.grammar, GRAMMARS)
    check_phrase_settings(settings.phrases)
    check_rule_settings(settings.rules)
    if settings.distortion and not settings.has_phrases:
        raise SettingError(
            f"the distortion model {settings.distortion[0]} has no meaning for hierarchical rules",
            expected="rules with gaps decide the order of words",
            advice="leave out --distortion, or --grammar",
        )
    check_values("train", settings.train, {"memory": parse_size})
    # the estimator checks its settings: run it on a text of one word
    text = Ragged(np.array([len(SPECIAL)], np.int32), np.array([0, 1])), Vocabulary(["word"])
    order = settings.lm.order
    check_values(
        "lm",
        settings.lm,
        {
            "order": lambda _: estimate(*text, order),
            "prune": lambda prune: estimate(*text, order, parse_thresholds(prune)),
            "classes": check_not_negative,
        },
    )


def wanted_models(texts: Iterable[str], reordering_type: str) -> list[tuple[str, DistortionModel]]:
    """The distortion models of the system, not yet fitted, with their names."""
    texts = list(texts)
    has_scores = reordering_type != NONE
    if not texts:
        texts = ["linear", "msd"] if has_scores else ["linear"]
    models = []
    for text in texts:
        name = split_model(text)[0]
        defaults = {"type": reordering_type} if name == "msd" and has_scores else {}
        model = parse_model(text, **defaults)
        if isinstance(model, Lexicalised) and model.type != reordering_type:
            raise SettingError(
                f"the model msd needs reordering scores of type {model.type}",
                expected=f"phrases.reordering is {reordering_type}",
                advice=f"--set phrases.reordering={model.type}",
            )
        models.append((name, model))
    return models


def check_features(models: Iterable[DistortionModel]) -> None:
    """Rejects models that share a feature."""
    features = [name for model in models for name in model.feature_names]
    twice = sorted({name for name in features if features.count(name) > 1})
    if twice:
        raise SettingError(
            f"two distortion models have the feature {twice[0]!r}",
            expected="every feature has one weight, so a system has each model once",
        )


def stage_name(model: str) -> str:
    """`hyperbaton.models.distortion.gaps:Gaps` as part of a folder's name."""
    return DISTORTION + re.sub("[^a-z]+", "_", model.lower()).strip("_")
