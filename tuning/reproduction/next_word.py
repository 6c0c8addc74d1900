"""Evaluates models of the next source word on held-out sentences: their predictions, and the
average probability of moves by distance (Goto et al. 2013, Figure 5).

The curve of the corpus is the share of the candidates at a distance that were chosen, so that all
curves have the same candidates. The paper shows shares of all moves instead, which are also given.
The closeness of a model to the corpus is the mean of |log P − log P of the corpus| over the
distances of the paper's figure, with equal weights; rare distances are omitted. Differences are
tested by a bootstrap of sentences. In a comparison, the sentences are those of the test sets with
an alignment.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from hyperbaton.corpus.corpora.reading import CorpusFiles, read_corpus
from hyperbaton.foundation.arrays import BoolArray, FloatArray
from hyperbaton.models.distortion.catalogue import parse_model
from hyperbaton.models.distortion.next_word.distance_classes import class_names, distance_classes
from hyperbaton.models.distortion.next_word.events import NextWordEvents
from hyperbaton.models.distortion.next_word.held_out import (
    chosen_by_distance,
    share_of_moves,
    with_layers,
)
from hyperbaton.models.distortion.next_word.model import LogLinearModel, NextWordModel
from hyperbaton.models.system import folder as system_folder
from hyperbaton.tuning.evaluation.charts import Chart, Series
from hyperbaton.tuning.evaluation.data_sets import DataSet
from hyperbaton.tuning.evaluation.significance import (
    RESAMPLES,
    SEED,
    bootstrap_p_value,
    resampling_counts,
)
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.evaluation.verdicts import Case, Finding, judge_claims
from hyperbaton.tuning.reproduction.exhibit import GOTO, Exhibit, LeftOut
from hyperbaton.tuning.reproduction.material import ExhibitKind, Material
from hyperbaton.tuning.reproduction.next_word_study import (
    CORPUS,
    FARTHEST,
    NextWordStudy,
    events_of,
    study_models,
)

NEAREST = 3  # first distance of the paper's figure; the last is FARTHEST
FEWEST_MOVES = 5  # minimum moves of the corpus over a distance
BETTER, WORSE = "sequence", "pair"
NEAR_SPAN, FAR_SPAN = (4, 6), (7, FARTHEST)  # distances of one class each (footnote 16)
MOVES = "corpus, all moves"
COUNTED = (
    "0 is monotone. Moves go to every source word at its first translation, and to the end of the "
    "sentence; `hyperbaton corpus` counts every aligned target word, and not the end."
)
NAME, TITLE = "next_word", "The next source word (Goto et al. 2013, Figure 5)"
Studies = Mapping[str, NextWordStudy]  # by test set
TwoValues = tuple[FloatArray, FloatArray]  # of each resample


def next_word_exhibit(studies: Studies) -> Exhibit:
    notes = [
        "Average P of the candidates by distance. corpus: the share of candidates that are "
        f"translated next, for distances with at least {FEWEST_MOVES} moves. {MOVES}: the share of "
        "the distance among all moves, as in the paper."
    ]
    tables = [
        table
        for test, study in studies.items()
        for table in (
            _quality(test, study),
            _by_class(test, study, "log_p", "log P", ".3f"),
            _by_class(test, study, "right", "right", ".1%"),
        )
    ]
    charts = [_by_distance(test, study) for test, study in studies.items()]
    tables.append(_closeness(studies))
    classes = {test: study for test, study in studies.items() if study.outbound is not None}
    if classes:
        tables.append(_outbound(classes))
    return Exhibit(NAME, TITLE, notes, tables, charts, _findings(studies))


def _quality(test: str, study: NextWordStudy) -> Table:
    rows = []
    for name in study.predictions:
        gain = ["", ""]
        if name in study.differences:
            difference = study.differences[name]
            gain = [f"{difference.mean:+.3f}", f"{difference.low:+.3f} to {difference.high:+.3f}"]
        rows.append(
            [
                name,
                f"{study.mean(name, 'right'):.1%}",
                f"{study.mean(name, 'rank'):.2f}",
                f"{study.mean(name, 'log_p'):.3f}",
                *gain,
                f"{study.open_log_p[name]:.3f}",
            ]
        )
    notes = [
        "gain: log P minus that of the row above, with 95% interval (paired bootstrap)",
        "open log P: words already translated are not candidates",
    ]
    header = ["model", "right", "rank", "log P", "gain", "95%", "open log P"]
    title = f"{test}: {study.n_sentences:,} sentences, {len(study.events.current):,} moves"
    return Table(header, rows, notes, title)


def _by_class(test: str, study: NextWordStudy, column: str, name: str, form: str) -> Table:
    """Means over the moves of each class of distances."""
    class_ = distance_classes(study.events.distortions, "goto")
    rows = []
    for number, class_name in enumerate(class_names("goto")):
        in_class = class_ == number
        means = [
            format(getattr(predictions, column)[in_class].mean(), form) if in_class.any() else "-"
            for predictions in study.predictions.values()
        ]
        rows.append([class_name, f"{in_class.sum():,}", *means])
    header = ["distance", "moves", *study.predictions]
    return Table(header, rows, [COUNTED], f"{test}: {name} by distance")


def _curves(study: NextWordStudy) -> dict[str, FloatArray]:
    """The curves of all models and of the corpus, at the distances −FARTHEST … FARTHEST."""
    models = {name: curve.mean for name, curve in study.by_distance.items() if name != CORPUS}
    shares = np.where(_is_known(study.events), share_of_moves(study.events, FARTHEST), np.nan)
    return models | {CORPUS: corpus_curve(study.events), MOVES: shares}


def _is_known(events: NextWordEvents) -> BoolArray:
    """Whether each distance has enough moves of the corpus."""
    moves = events.distortions
    near = moves[np.abs(moves) <= FARTHEST] + FARTHEST
    return np.bincount(near, minlength=2 * FARTHEST + 1) >= FEWEST_MOVES


def corpus_curve(events: NextWordEvents) -> FloatArray:
    """The share of candidates that were chosen, by distance; NaN if there are too few moves."""
    return np.where(_is_known(events), chosen_by_distance(events, FARTHEST).mean, np.nan)


def _by_distance(test: str, study: NextWordStudy) -> Chart:
    return Chart(
        f"{test}: average probability by distance, as in Figure 5",
        list(map(str, range(-FARTHEST, FARTHEST + 1))),
        [
            Series(name, curve.tolist(), is_reference=name in (CORPUS, MOVES))
            for name, curve in _curves(study).items()
        ],
        "distance",
        "average P",
        digits=4,
        is_log=True,
        name="distances",
    )


def deviation(curve: FloatArray, corpus: FloatArray) -> FloatArray:
    """Mean |log P − log P of the corpus| along the last axis; NaN if there is nothing to
    compare."""
    curve, corpus = curve[..., FARTHEST + NEAREST :], corpus[..., FARTHEST + NEAREST :]
    known = np.isfinite(curve) & np.isfinite(corpus) & (curve > 0) & (corpus > 0)
    ratio = np.divide(curve, corpus, out=np.ones(known.shape), where=known)
    n_known = known.sum(axis=-1)
    return _mean(np.abs(np.log(ratio)).sum(axis=-1), n_known)


def _mean(total: FloatArray, count: FloatArray) -> FloatArray:
    """total / count; NaN where the count is 0."""
    means: FloatArray = np.full(np.shape(count), np.nan)
    return np.divide(total, count, out=means, where=count > 0)


def _closeness(studies: Studies) -> Table:
    names = [name for name in next(iter(studies.values())).by_distance if name != CORPUS]
    rows = []
    for test, study in studies.items():
        curves = _curves(study)
        values = [deviation(curves[name], curves[CORPUS]) for name in names]
        n_distances = np.isfinite(curves[CORPUS][FARTHEST + NEAREST :]).sum()
        texts = [f"{value:.3f}" if np.isfinite(value) else "-" for value in values]
        rows.append([test, *texts, str(n_distances)])
    title = f"mean |log P − log P of the corpus|, distances {NEAREST} to {FARTHEST}"
    return Table(["test set", *names, "distances"], rows, title=title)


def _findings(studies: Studies) -> list[Finding]:
    claims: dict[str, list[Case]] = {}
    if all({BETTER, WORSE} <= study.by_distance.keys() for study in studies.values()):
        claims[
            f"{GOTO}, Figure 5: {BETTER} follows the corpus by distance more closely than {WORSE} "
            f"(mean |log P − log P of the corpus|, distances {NEAREST} to {FARTHEST})"
        ] = [case for test, study in studies.items() for case in _closer(test, study)]
    classes = {test: study for test, study in studies.items() if study.outbound is not None}
    if classes:
        claims[
            f"{GOTO}, footnote 16: a place {FAR_SPAN[0]} to {FAR_SPAN[1]} words ahead gets more "
            f"from the outbound classes than one {NEAR_SPAN[0]} to {NEAR_SPAN[1]} ahead, and less "
            "from the corpus"
        ] = [case for test, study in classes.items() for case in _flatter(test, study)]
    return judge_claims(claims)


def _closer(test: str, study: NextWordStudy) -> list[Case]:
    """Tests whether the better model is closer to the corpus."""
    known = np.where(_is_known(study.events), 1.0, np.nan)

    def deviations(times: FloatArray) -> TwoValues:
        corpus = known * study.by_distance[CORPUS].resampled(times)
        better, worse = (study.by_distance[name].resampled(times) for name in (BETTER, WORSE))
        return deviation(better, corpus), deviation(worse, corpus)

    return _rise(study, f"{test}: {{:.3f}} against {{:.3f}}", deviations)


def _flatter(test: str, study: NextWordStudy) -> list[Case]:
    """Tests whether far words get more probability than near ones from the model, and less in the
    corpus."""
    assert study.outbound is not None
    outbound, corpus = study.outbound, study.by_distance[CORPUS]
    known = np.where(_is_known(study.events), 1.0, np.nan)
    values = "{:.3f} and {:.3f}"
    cases = [
        *_rise(
            study,
            f"{test}, outbound: {values}",
            lambda times: span_means(outbound.resampled(times)),
        ),
        *_rise(
            study,
            f"{test}, {CORPUS}: {values}",
            lambda times: span_means(known * corpus.resampled(times)),
            sign=-1,
        ),
    ]
    return cases if len(cases) == 2 else []


def _rise(
    study: NextWordStudy, text: str, values: Callable[[FloatArray], TwoValues], sign: int = 1
) -> list[Case]:
    """Tests by resampling sentences that the second of two values is higher (lower, with the sign
    −1); empty if a value is unknown."""
    low, high = values(np.ones((1, study.n_sentences)))
    if not np.isfinite([low, high]).all():
        return []
    parts = [values(times) for times in resampling_counts(study.n_sentences, RESAMPLES, SEED)]
    resampled = np.concatenate([sign * (second - first) for first, second in parts])
    gain = float(sign * (high - low)[0])
    p_value = bootstrap_p_value(gain, np.nan_to_num(resampled))
    return [Case(text.format(low[0], high[0]), gain, p_value, RESAMPLES)]


def span_means(curves: FloatArray) -> TwoValues:
    """Means of curves, along the last axis, over their finite values in NEAR_SPAN and FAR_SPAN."""

    def mean(low: int, high: int) -> FloatArray:
        span = curves[..., FARTHEST + low : FARTHEST + high + 1]
        known = np.isfinite(span)
        return _mean(np.where(known, span, 0.0).sum(axis=-1), known.sum(axis=-1))

    return mean(*NEAR_SPAN), mean(*FAR_SPAN)


def _outbound(studies: Studies) -> Table:
    rows = []
    for test, study in studies.items():
        assert study.outbound is not None
        curves = {"outbound": study.outbound.mean, CORPUS: corpus_curve(study.events)}
        for name, curve in curves.items():
            means = [f"{mean:.4f}" if np.isfinite(mean) else "-" for mean in span_means(curve)]
            rows.append([test, name, *means])
    spans = [f"{low} to {high}" for low, high in (NEAR_SPAN, FAR_SPAN)]
    notes = ["outbound: P(class of the distance | last word), the same for all words of a class"]
    title = "average P of a word by distance, nine-class (footnote 16)"
    return Table(["test set", "", *spans], rows, notes, title)


def weights_table(model: LogLinearModel, n: int) -> Table:
    """The features with the largest weights."""
    top = model.top_features(n)
    parts = any(row.part for row in top)
    rows = [[f"{row.weight:+.3f}", *[row.part] * parts, row.feature] for row in top]
    header = ["weight", *["part"] * parts, "feature"]
    left = frozenset(header[1:])
    return Table(header, rows, title=f"{model.name}: largest weights", left=left)


def _models(material: Material) -> list[str]:
    """The models of the next word that were trained on the same events as the first of them."""
    models = [(text, parse_model(text)) for text in material.models()]
    events = {text: events_of(model) for text, model in models if isinstance(model, NextWordModel)}
    if not events:
        raise LeftOut("no system has a model of the next source word (nine-class, pair, sequence)")
    first = next(iter(events.values()))
    return [text for text in events if events[text] == first]


def _tests(material: Material) -> list[DataSet]:
    tests = [test for test in material.configuration.test if test.alignment is not None]
    if not tests:
        raise LeftOut("no test set has a word alignment")
    return tests


def _depends(material: Material) -> Iterable[Any]:
    models = system_folder.model_entries(material.trained, _models(material))
    parts = system_folder.read_system(material.trained)["parts"]
    layers = [parts.get(name) for name in ("source_classes", system_folder.TAGGER)]
    tests = [item for test in _tests(material) for item in (test.name, *test.files.values())]
    return [models, layers, NEAREST, NEAR_SPAN, FAR_SPAN, FEWEST_MOVES, RESAMPLES, SEED, *tests]


def _make(material: Material) -> Exhibit:
    loaded = system_folder.load_distortion(material.trained, _models(material))
    models = [model for model in loaded if isinstance(model, NextWordModel)]
    classes = system_folder.load_source_classes(material.trained)
    tagger = system_folder.load_source_tagger(material.trained)
    studies = {}
    for test in _tests(material):
        files = CorpusFiles(
            test.source, test.references[0], test.alignment, source_tags=test.source_tags
        )
        corpus, _ = read_corpus(files, tokenise=system_folder.load_tokenisers(material.trained))
        corpus = with_layers(corpus, models, classes, tagger)
        studies[test.name] = study_models(models, corpus, progress=material.reporter.progress)
    return next_word_exhibit(studies)


KIND = ExhibitKind(NAME, TITLE, _depends, _make)
