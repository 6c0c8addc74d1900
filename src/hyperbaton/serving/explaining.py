"""`POST /explain`: everything about one sentence under one setting, as plain values.

The answer has all that `explain --format json` prints, and also drawings, the n-best list, the
options of spans, heat maps, search statistics, a requested translation or order, and the effect of
other limits and beams; for hierarchical rules, their trees instead of steps.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from functools import partial
from itertools import pairwise
from math import isfinite
from typing import Any

import numpy as np

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.chart_decoded import ChartDecoded
from hyperbaton.decoder.chart_explanation import rules_of
from hyperbaton.decoder.constrained_search import Request
from hyperbaton.decoder.decode import IsStopped
from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.drawing.derivation_svg import derivation_svg
from hyperbaton.decoder.explanation import Explanation, explain, parts_of
from hyperbaton.decoder.phrase_decoded import PhraseDecoded, of_stack_search
from hyperbaton.decoder.translator import Translation, Translator
from hyperbaton.foundation.errors import DataError
from hyperbaton.foundation.settings_text import parse_limit, show_limit
from hyperbaton.models.rules.table import RuleTable
from hyperbaton.serving.answer_bounds import AnswerBounds
from hyperbaton.serving.answer_types import Differences, Effect, Result, SpanOptions, Stack
from hyperbaton.serving.answers import BAD_REQUEST, Refused, error_content
from hyperbaton.serving.limits import RequestLimits
from hyperbaton.serving.request_types import checked, explain_request
from hyperbaton.serving.systems import ServedSystem, search_content
from hyperbaton.serving.translating import decode, request_of, requested, sentence_of, short_words
from hyperbaton.views.chart_text import tree_picture
from hyperbaton.views.explanation_text import Explained, as_content, explain_derivations

Search = Callable[..., Decoded]  # decodes the sentence with a translator before the deadline


def explain_sentence(
    system: ServedSystem, asked: Mapping[str, Any], limits: RequestLimits, is_stopped: IsStopped
) -> dict[str, Any]:
    translator = system.variant(system.change(asked))
    kind = requested(asked)
    # the page shows one translation, so the sentence is not split
    sentence = replace(sentence_of(translator, asked, asked["text"], limits), breaks=())
    if not len(sentence):
        raise Refused(BAD_REQUEST, "the sentence is empty", where="text")
    search = partial(decode, sentence=sentence, limits=limits, is_stopped=is_stopped)
    decoded = search(translator, n_best=asked["n_best"], distinct=asked["distinct"])
    bounds = AnswerBounds(limits, is_stopped)
    results = translator.results(decoded)
    content = {"model": system.name, **_sentence_content(decoded.sentence, translator)}
    if isinstance(decoded, ChartDecoded):
        for what, is_asked in ((f"constraints ({kind})", kind), ("limits", asked["limits"])):
            if is_asked:
                of_stack_search(decoded, what)  # refuses it
        content |= _trees(translator, decoded, results[: asked["derivations"]], bounds)
    else:
        decoded = of_stack_search(decoded, "steps")
        explained = _explained(translator, decoded, asked, bounds)
        content |= as_content(explained)
        for derivation, result in zip(content["derivations"], results, strict=False):
            derivation |= bounds.checked(_drawn(result))
        content |= {
            "options": list(_options(decoded, asked["options"])),
            "heat_maps": list(_heat_maps(decoded)),
        }
        if kind is not None:
            constraint = request_of(translator, kind, asked[kind], limits)
            best = explained.derivations[0]
            content["requested"] = {"kind": kind} | _requested(search, translator, constraint, best)
    content |= {
        "n_best": [bounds.checked(_result_content(result)) for result in results],
        "limit": show_limit(translator.settings.distortion_limit),
        "settings": search_content(translator),
        "search": _search_content(decoded),
    }
    return content | _effects(search, translator, asked)


def _trees(
    translator: Translator,
    decoded: ChartDecoded,
    results: Sequence[Translation],
    bounds: AnswerBounds,
) -> dict[str, Any]:
    """The first derivations of a chart search; what has no meaning for them is empty."""
    parts, names = parts_of(translator.lm, (), has_rules=True), decoded.feature_names
    trees = []
    for number, result in enumerate(results):
        rules = rules_of(translator, decoded, number)
        drawn = {"rules": list(map(asdict, rules)), "svg": tree_picture(result, rules)}
        trees.append(bounds.checked(_result_content(result) | drawn))
    return {
        "source": decoded.sentence.words,
        "weights": {name: translator.weights[name] for name in names},
        "parts": {part.name: names[part.first : part.last] for part in parts},
        "trees": trees,
        **{name: [] for name in ("distortion_models", "derivations", "options", "heat_maps")},
    }


def _explained(
    translator: Translator, decoded: PhraseDecoded, asked: Mapping[str, Any], bounds: AnswerBounds
) -> Explained:
    """Explains the first derivations step by step."""
    first = np.arange(min(asked["derivations"], len(decoded)))
    reference = short_words(translator, "reference", asked["reference"], bounds.limits)
    how = " ".join(reference), asked["alternatives"], bounds.check_time
    return explain_derivations(translator, decoded.take(first), *how)


def _sentence_content(sentence: Sentence, translator: Translator) -> dict[str, Any]:
    text = translator.preparation.text
    content: dict[str, Any] = {"text": sentence.raw or " ".join(sentence.words)}
    if text is not None and sentence.raw is not None:
        content["source_places"] = text.source.places(sentence.raw)
    if sentence.tags is not None:
        content["tags"] = sentence.tags
    return content


def _result_content(result: Translation) -> Result:
    return {
        "text": result.text,
        "tokens": result.words,
        "score": result.score,
        "alignment": result.alignment,
        "segmentation": result.segmentation,
        "unknown_steps": result.unknown,
        "features": result.features,
    }


def _drawn(result: Translation) -> dict[str, Any]:
    return {**_result_content(result), "svg": derivation_svg(result.derivation, shrinks=False)}


def _search_content(decoded: Decoded) -> dict[str, Any]:
    """Search statistics, in total and per stack."""
    total = decoded.statistics
    stacks = list(_stacks(decoded)) if isinstance(decoded, PhraseDecoded) else []
    return {**total.counts(), "seconds": total.seconds, "stacks": stacks}


def _stacks(decoded: PhraseDecoded) -> Iterator[Stack]:
    """The hypotheses of a stack cover equally many words."""
    record = decoded.record
    created = np.diff(record.stacks["hypothesis"], append=decoded.statistics.hypotheses)
    stacks = zip(created.tolist(), record.stack_sizes, record.stacks["best"].tolist(), strict=True)
    for covered, (n_created, n_kept, best) in enumerate(stacks):
        yield {"covered": covered, "hypotheses": n_created, "kept": n_kept, "best": best}


def _options(decoded: PhraseDecoded, n_shown: int) -> Iterator[SpanOptions]:
    """The best options of each span with their context-free scores: translation, language model and
    penalties."""
    options = decoded.options
    scores = (options.options["base"] + options.options["estimate"]).tolist()
    is_unknown = options.table.is_unknown.tolist()
    for (start, end, first), (_, _, after) in pairwise(options.spans.tolist()):
        if n_shown:
            yield {
                "source": [start, end],
                "source_words": decoded.sentence.words[start:end],
                "n_options": after - first,
                "options": [
                    {
                        "target_words": decoded.phrase(option),
                        "score": scores[option],
                        "unknown": is_unknown[option],
                    }
                    for option in range(first, min(after, first + n_shown))
                ],
            }


def _heat_maps(decoded: PhraseDecoded) -> Iterator[dict[str, Any]]:
    """The models' heat maps of this sentence; null where there is no value."""
    for scorer in decoded.scorers:
        for heat_map in scorer.heat_maps():
            rows = heat_map.values.tolist()
            values = [[value if isfinite(value) else None for value in row] for row in rows]
            yield heat_map._asdict() | {"values": values}


def _requested(
    search: Search, translator: Translator, constraint: Request, best: Explanation
) -> dict[str, Any]:
    """Compares the requested derivation with the best one, or says why there is none."""
    try:
        decoded = of_stack_search(search(translator, request=constraint), "constraints")
    except DataError as error:
        return error_content(error)
    explanation = explain(translator, decoded, 0, 0)
    [result] = translator.results(decoded)
    [derivation] = as_content(Explained([explanation]))["derivations"]
    return {
        "lacks": decoded.lacks,
        "no_phrase": _without_phrase(decoded),
        "adds": decoded.adds,
        "derivation": derivation | _drawn(result),
        "differences": _differences(explanation, best),
    }


def _without_phrase(decoded: PhraseDecoded) -> list[str]:
    """Missing words that no option of the sentence contains; for the other missing words, there is
    an option that does not fit."""
    options = range(len(decoded.options.table)) if decoded.lacks else ()
    known = {word for option in options for word in decoded.phrase(option)}
    return [word for word in decoded.lacks if word not in known]


def _differences(wanted: Explanation, best: Explanation) -> Differences:
    """The contribution of each part and feature to the requested derivation minus that to the best
    one: values above 0 favour the requested derivation."""
    features = wanted.contributions.sum(axis=0) - best.contributions.sum(axis=0)
    parts = wanted.part_scores - best.part_scores
    names = [part.name for part in wanted.parts]
    return {
        "score": wanted.score - best.score,
        "parts": dict(zip(names, parts.tolist(), strict=True)),
        "features": dict(zip(wanted.feature_names, features.tolist(), strict=True)),
    }


def _effects(
    search: Search, translator: Translator, asked: Mapping[str, Any]
) -> dict[str, list[Effect]]:
    def effect(**changes: int) -> Effect:
        variant = translator.with_settings(**changes)
        try:
            decoded = search(variant)
        except DataError as error:
            return {"error": error_content(error)["error"]}
        [result] = variant.results(decoded)
        return {
            "text": result.text,
            "score": result.score,
            "segmentation": result.segmentation,
            "seconds": decoded.statistics.seconds,
            "hypotheses": decoded.statistics.hypotheses,
        }

    return {
        "limits": [
            {"limit": limit} | effect(distortion_limit=parse_limit(limit))
            for limit in asked["limits"]
        ],
        "beams": [
            {"beam": size} | effect(stack_size=size, pop_limit=size) for size in asked["beams"]
        ],
    }


def warm_up(system: ServedSystem) -> None:
    """Explains a first sentence, so that no client waits for compilation or loading."""
    has_rules = isinstance(system.translator.phrases, RuleTable)
    limits = RequestLimits(pops=1 << 40)  # the system's settings may exceed the server's limit
    forced = {} if has_rules else {"force": "a b"}
    requests: list[dict[str, Any]] = [{"n_best": 1}, {"n_best": 2} | forced]
    for request in requests:
        asked = checked({"text": "a b"} | request, explain_request(limits))
        with suppress(*[DataError] * has_rules):  # they may be for other sentences only
            explain_sentence(system, asked, limits, lambda: False)
