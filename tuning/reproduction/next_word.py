"""Models of the next source word on held-out sentences: how well each predicts, and the average
probability of moves by distance (Goto et al. 2013, Figure 5).

The curve of the corpus is the share of the candidates at a distance that were chosen, so that all
curves are about the same candidates. The paper has shares of all moves instead, which are shown as
well. How closely a model follows the corpus is the mean of |log P − log P of the corpus| over the
distances of the paper's figure, each counting the same; distances that hardly occur in the
sentences are left out. Differences are tested by a bootstrap of sentences. In a comparison the
sentences are those of the test sets that have an alignment.
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
    ByDistance,
    chosen_by_distance,
    share_of_moves,
    with_layers,
)
from hyperbaton.models.distortion.next_word.model import NextWordModel
from hyperbaton.models.system.folder import (
    TAGGER,
    load_distortion,
    load_source_classes,
    load_source_tagger,
    load_tokenisers,
    model_entries,
    read_system,
)
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
FEWEST_MOVES = 5  # moves of the corpus over a distance that counts
BETTER, WORSE = "sequence", "pair"
NEAR_SPAN, FAR_SPAN = (4, 6), (7, FARTHEST)  # distances of one class each (footnote 16)
MOVES = "corpus, all moves"
COUNTED = (
    "0 is monotone. A move for every target word with a source word that was not visited before, "
    "and one to the end of the sentence; `hyperbaton corpus` counts every aligned target word and "
    "no end."
)
NAME, TITLE = "next_word", "The next source word (Goto et al. 2013, Figure 5)"
Studies = Mapping[str, NextWordStudy]  # by test set


def next_word_exhibit(studies: Studies) -> Exhibit:
    notes = [
        "Average P of the candidates by their distance; corpus: the share of them that was "
        f"translated next, where there are {FEWEST_MOVES} such moves or more; {MOVES}: how often "
        "the distance occurs, of all moves, as in the paper.",
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
        "gain: log P against the row above, with its 95% interval (paired bootstrap of sentences)",
        "open log P: places that were translated before are not candidates",
    ]
    header = ["model", "right", "rank", "log P", "gain", "95%", "open log P"]
    title = f"{test}: {study.n_sentences:,} sentences, {len(study.events.current):,} moves"
    return Table(header, rows, notes, title)


def _by_class(test: str, study: NextWordStudy, column: str, name: str, form: str) -> Table:
    """Means over the moves of each class of distances."""
    class_ = distance_classes(study.events.distortions, "goto")
    rows = []
    for number, class_name in enumerate(class_names("goto")):
        own = class_ == number
        means = [
            format(getattr(found, column)[own].mean(), form) if own.any() else "-"
            for found in study.predictions.values()
        ]
        rows.append([class_name, f"{own.sum():,}", *means])
    header = ["distance", "moves", *study.predictions]
    return Table(header, rows, [COUNTED], f"{test}: {name} by distance")


def _curves(study: NextWordStudy) -> dict[str, FloatArray]:
    """By model and of the corpus, at the distances −FARTHEST … FARTHEST."""
    models = {name: own.mean for name, own in study.by_distance.items() if name != CORPUS}
    shares = share_of_moves(study.events, FARTHEST)
    known = _is_known(study.events)
    return models | {
        CORPUS: corpus_curve(study.events),
        MOVES: np.where(known, shares, np.nan),
    }


def _is_known(events: NextWordEvents) -> BoolArray:
    """Distances with enough moves of the corpus."""
    moves = events.distortions
    near = moves[np.abs(moves) <= FARTHEST] + FARTHEST
    return np.bincount(near, minlength=2 * FARTHEST + 1) >= FEWEST_MOVES


def corpus_curve(events: NextWordEvents) -> FloatArray:
    """Shares of the candidates that were chosen; not a number where there are too few moves."""
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
    """Mean |log P − log P of the corpus| along the last axis; not a number if there is nothing to
    compare."""
    curve, corpus = curve[..., FARTHEST + NEAREST :], corpus[..., FARTHEST + NEAREST :]
    known = np.isfinite(curve) & np.isfinite(corpus) & (curve > 0) & (corpus > 0)
    ratio = np.divide(curve, corpus, out=np.ones(known.shape), where=known)
    n_known = known.sum(axis=-1)
    return _mean(np.abs(np.log(ratio)).sum(axis=-1), n_known)


def _mean(total: FloatArray, count: FloatArray) -> FloatArray:
    """Not a number where there is nothing."""
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
    """Whether the better model is nearer to the corpus."""

    def deviations(times: FloatArray) -> FloatArray:
        known = np.where(_is_known(study.events), 1.0, np.nan)
        corpus = known * study.by_distance[CORPUS].resampled(times)
        curves = (study.by_distance[name].resampled(times) for name in (BETTER, WORSE))
        return np.stack([deviation(curve, corpus) for curve in curves])

    near, far = deviations(np.ones((1, study.n_sentences)))[:, 0].tolist()
    if not np.isfinite([near, far]).all():
        return []
    gain = _tested(study, lambda times: np.subtract(*deviations(times)[::-1]))
    return [Case(f"{test}: {near:.3f} against {far:.3f}", *gain)]


def _flatter(test: str, study: NextWordStudy) -> list[Case]:
    """Whether far places get more than near ones from the model, and less from the corpus."""
    assert study.outbound is not None
    known = np.where(_is_known(study.events), 1.0, np.nan)
    cases = []
    for name, found, mask, sign in (
        ("outbound", study.outbound, np.ones_like(known), 1),
        (CORPUS, study.by_distance[CORPUS], known, -1),
    ):
        near, far = span_means(mask * found.mean)
        if np.isfinite([near, far]).all():

            def gain(times: FloatArray, found: ByDistance = found, mask: FloatArray = mask,
                     sign: int = sign) -> FloatArray:  # fmt: skip
                near, far = span_means(mask * found.resampled(times))
                return sign * (far - near)

            cases.append(Case(f"{test}, {name}: {near:.3f} and {far:.3f}", *_tested(study, gain)))
    return cases if len(cases) == 2 else []


def _tested(
    study: NextWordStudy, gain: Callable[[FloatArray], FloatArray]
) -> tuple[float, float, int]:
    """A gain of all sentences, its p-value by resampling them, and the number of resamples."""
    n_sentences = study.n_sentences
    found = float(gain(np.ones((1, n_sentences)))[0])
    parts = [gain(times) for times in resampling_counts(n_sentences, RESAMPLES, SEED)]
    return found, bootstrap_p_value(found, np.nan_to_num(np.concatenate(parts))), RESAMPLES


def span_means(curves: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means of curves, along the last axis, over what they know of NEAR_SPAN and FAR_SPAN."""

    def mean(low: int, high: int) -> FloatArray:
        span = curves[..., FARTHEST + low : FARTHEST + high + 1]
        known = np.isfinite(span)
        return _mean(np.where(known, span, 0.0).sum(axis=-1), known.sum(axis=-1))

    return mean(*NEAR_SPAN), mean(*FAR_SPAN)


def _span_means(study: NextWordStudy) -> dict[str, tuple[FloatArray, FloatArray]]:
    assert study.outbound is not None
    curves = {"outbound": study.outbound.mean, CORPUS: corpus_curve(study.events)}
    return {name: span_means(curve) for name, curve in curves.items()}


def _outbound(studies: Studies) -> Table:
    rows = [
        [test, name, *(f"{mean:.4f}" if np.isfinite(mean) else "-" for mean in means)]
        for test, study in studies.items()
        for name, means in _span_means(study).items()
    ]
    spans = [f"{low} to {high}" for low, high in (NEAR_SPAN, FAR_SPAN)]
    notes = ["outbound: P(class of the distance | last word), which all places of a class share"]
    title = "average P of a place by distance, nine-class (footnote 16)"
    return Table(["test set", "", *spans], rows, notes, title)


def weights_table(model: NextWordModel, n: int) -> Table:
    """The features with the largest weights."""
    top = model.top_features(n)
    parts = any(one.part for one in top)
    rows = [[f"{one.weight:+.3f}", *[one.part] * parts, one.feature] for one in top]
    header = ["weight", *["part"] * parts, "feature"]
    left = frozenset(header[1:])
    return Table(header, rows, title=f"{model.name}: largest weights", left=left)


def _models(material: Material) -> list[str]:
    """Those that estimate the next word, from the same events as the first of them."""
    found = [(text, parse_model(text)) for text in material.models()]
    own = [(text, events_of(model)) for text, model in found if isinstance(model, NextWordModel)]
    if not own:
        raise LeftOut("no system has a model of the next source word (nine-class, pair, sequence)")
    return [text for text, events in own if events == own[0][1]]


def _tests(material: Material) -> list[DataSet]:
    tests = [test for test in material.configuration.test if test.alignment is not None]
    if not tests:
        raise LeftOut("no test set has a word alignment")
    return tests


def _depends(material: Material) -> Iterable[Any]:
    models = model_entries(material.trained, _models(material))
    parts = read_system(material.trained)["parts"]
    made = [parts.get(name) for name in ("source_classes", TAGGER)]
    tests = [item for test in _tests(material) for item in (test.name, *test.files.values())]
    return [models, made, NEAREST, NEAR_SPAN, FAR_SPAN, FEWEST_MOVES, RESAMPLES, SEED, *tests]


def _make(material: Material) -> Exhibit:
    loaded = load_distortion(material.trained, _models(material))
    models = [model for model in loaded if isinstance(model, NextWordModel)]
    own = load_source_classes(material.trained), load_source_tagger(material.trained)
    studies = {}
    for test in _tests(material):
        files = CorpusFiles(
            test.source, test.references[0], test.alignment, source_tags=test.source_tags
        )
        corpus, _ = read_corpus(files, tokenise=load_tokenisers(material.trained))
        corpus = with_layers(corpus, models, *own)
        studies[test.name] = study_models(models, corpus, progress=material.reporter.progress)
    return next_word_exhibit(studies)


KIND = ExhibitKind(NAME, TITLE, _depends, _make)
