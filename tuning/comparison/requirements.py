"""Checks a comparison before hours of work: its models exist and fit together, its metrics can be
computed, and all sentences have the layers that the models need."""

from collections.abc import Iterable
from itertools import product
from pathlib import Path

from hyperbaton.foundation.errors import DataError, HyperbatonError, SettingError
from hyperbaton.models.distortion.catalogue import model_text
from hyperbaton.models.distortion.interface import DistortionModel
from hyperbaton.models.system.folder import GLUE, load_distortion, load_source_tagger
from hyperbaton.models.system.training import check_features, wanted_models
from hyperbaton.tuning.comparison.configuration import ComparedSystem, Configuration
from hyperbaton.tuning.comparison.results import metrics_of
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.evaluation.significance import find_test
from hyperbaton.tuning.metrics.words import load_tokeniser
from hyperbaton.tuning.optimisers.objective import make_objective, parse_objective
from hyperbaton.tuning.weights.protocol import split

# The setting that names the file of a layer
FILES = {"tags": "source_tags", "tree": "source_tree", "order": "alignment"}


def exact_models(configuration: Configuration, system: ComparedSystem) -> tuple[str, ...]:
    """The system's models with all their settings, so that each matches exactly one trained
    model."""
    if system.is_chart:
        return ()
    models = wanted_models(system.distortion, configuration.phrases.reordering)
    return tuple(model_text(name, model.settings()) for name, model in models)


def check_models(configuration: Configuration) -> None:
    """Raises for unknown models, and for systems with two models that share a feature."""
    for system in configuration.system:
        if system.is_chart:
            continue
        try:
            models = wanted_models(system.distortion, configuration.phrases.reordering)
            check_features(model for _, model in models)
        except HyperbatonError as error:
            error.where = ": ".join(filter(None, (f"system {system.name!r}", error.where)))
            raise


def check_methods(configuration: Configuration) -> None:
    find_test(configuration.significance)
    load_tokeniser(configuration.text_options.tokenize)
    parse_objective(configuration.tune.metric)
    configuration.tune.check()


def check_data(configuration: Configuration, dev: Sentences, tests: Iterable[Sentences]) -> None:
    """Raises if the data do not suit the protocol or the metrics."""
    split(dev, configuration.tune.protocol)
    if make_objective(configuration.tune.metric, dev.references).needs_visits:
        _check_alignment(dev, configuration.tune.metric)
    for test in tests:
        if not metrics_of(configuration, test):
            _check_alignment(test, ", ".join(configuration.metrics))


def check_layers(
    configuration: Configuration, trained: Path, data: Iterable[Sentences]
) -> list[str]:
    """Raises if a data set lacks a layer that a model needs and that the system cannot produce;
    returns messages about layers that it produces."""
    data, tagger = list(data), load_source_tagger(trained)
    produced = {"classes"} | ({"tags"} if tagger else set())
    untagged: dict[str, None] = {}  # in order, each once
    for system in configuration.system:
        for model in _models(configuration, system, trained):
            for layer, sentences in product(sorted(model.requires), data):
                if layer not in produced:
                    _check_layer(system.name, model, layer, sentences)
                elif layer == "tags" and _without(layer, sentences):
                    untagged[sentences.name] = None
    return [tagger.notice(" and ".join(untagged))] if tagger and untagged else []


def check_lent_weights(configuration: Configuration, trained: Path) -> None:
    """Raises if a system uses the weights of one with other features."""
    features = {
        system.name: {
            name
            for model in _models(configuration, system, trained)
            for name in model.feature_names
        }
        | ({GLUE} if system.is_chart else set())
        for system in configuration.system
    }
    for system in configuration.system:
        if system.weights and features[system.name] != features[system.weights]:
            raise SettingError(
                f"the system {system.name!r} cannot use the weights of {system.weights!r}",
                expected="their features differ: "
                f"{', '.join(sorted(features[system.name] ^ features[system.weights]))}",
            )


def _models(
    configuration: Configuration, system: ComparedSystem, trained: Path
) -> list[DistortionModel]:
    wanted = exact_models(configuration, system)
    return load_distortion(trained, wanted) if wanted else []


def missing_layers(configuration: Configuration) -> list[str]:
    """Warnings about layers of the training data that a data set lacks."""
    data = [("[dev]", configuration.dev)]
    data += [(f"[[test]] {test.name!r}", test) for test in configuration.test]
    return [  # a system trained with tags produces them itself
        f"warning: [train] has source_tree, but {name} has not; models trained with trees will "
        "decode without them"
        for name, files in data
        if configuration.train.source_tree is not None and files.source_tree is None
    ]


def _check_layer(system: str, model: DistortionModel, layer: str, sentences: Sentences) -> None:
    without = _without(layer, sentences)
    if without:
        n, total = len(without), len(sentences)
        some = (
            "no sentence has it"
            if n == total
            else f"{n} of {total} sentences lack it, first {without[0]}"
        )
        raise DataError(
            f"the model {model.name} needs the layer {layer!r}: {some}",
            where=f"system {system!r}, data set {sentences.name!r}",
            advice=f"give {FILES[layer]}, or remove the system",
        )


def _without(layer: str, sentences: Sentences) -> list[int]:
    """The numbers of the sentences that lack a layer."""
    return [
        number
        for number, sentence in enumerate(sentences.sources, 1)
        if len(sentence) and layer not in sentence.layers
    ]


def _check_alignment(sentences: Sentences, metric: str) -> None:
    if sentences.visits is None:
        raise SettingError(
            f"{metric} needs a word alignment of source and reference",
            where=f"data set {sentences.name!r}",
            advice="give alignment, or choose another metric",
        )
