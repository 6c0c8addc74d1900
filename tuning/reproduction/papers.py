"""The four papers' results on translation: their tables, and claims to test on our data."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from hyperbaton.tuning.comparison.configuration import limit_name
from hyperbaton.tuning.comparison.result_tables import runs_text
from hyperbaton.tuning.comparison.results import Comparison
from hyperbaton.tuning.evaluation.data_sets import Sentences
from hyperbaton.tuning.evaluation.significance import find_test
from hyperbaton.tuning.evaluation.tables import Table
from hyperbaton.tuning.evaluation.verdicts import Case, Finding, judge_claims
from hyperbaton.tuning.metrics.base import Metric
from hyperbaton.tuning.metrics.catalogue import make_metrics
from hyperbaton.tuning.reproduction import paper_tables as tables
from hyperbaton.tuning.reproduction.paper_tables import ALRAJEH, GOTO, NI, XIANG

PAPER_RESAMPLES = 10_000  # Holm's correction multiplies p-values by the number of tests
EQUAL_BLEU = 0.5  # systems that differ by less are called equal


@dataclass(frozen=True)
class Claim:
    """That one system beats another; with a margin, that it is not worse by more than that."""

    better: str
    worse: str
    source: str
    metric: str = "bleu"
    margin: float = 0.0
    both_ways: bool = False  # and the other is not worse either: they are equal
    limits: tuple[tuple[int, int], ...] = ()  # of both; none: each limit, the same for both


@dataclass(frozen=True)
class Paper:
    tables: tuple[Table, ...]
    claims: tuple[Claim, ...]
    exhibits: Mapping[str, tuple[Table, ...]] = field(default_factory=dict)  # by name


def _chain(names: Sequence[str], source: str) -> tuple[Claim, ...]:
    """Each beats the one before it."""
    return tuple(Claim(better, worse, source) for worse, better in pairwise(names))


_GOTO_CHAIN = _chain(["LINEAR", "LINEAR+LEX", "9-CLASS", "PAIR", "SEQUENCE"], f"{GOTO}, Table 3")
_WIDER = ((20, 10), (30, 10))
_GOTO_LIMITS = (
    Claim("SEQUENCE", "SEQUENCE", f"{GOTO}, section 4.4", limits=_WIDER),
    *(
        Claim(name, name, f"{GOTO}, section 4.4", margin=EQUAL_BLEU, limits=((10, 20), (10, 30)))
        for name in ("LINEAR", "LINEAR+LEX", "9-CLASS")
    ),
)
_GOTO_FEWER = tuple(  # a model of a tenth of the sentences, with the weights of SEQUENCE
    Claim("SEQUENCE-TENTH", worse, f"{GOTO}, section 4.4 and footnote 15")
    for worse in ("LINEAR", "LINEAR+LEX", "9-CLASS")
)
METEOR = "meteor-exact-stem"
_PARSE_ROWS = ("ME+PRIOR", "ME+COV", "ME+SIB", "ME+COV+SIB", "ME+PRIOR+COV+SIB")
# "All the MT results above are statistically significant": what each part adds to the rows above
_PARSE_STEPS = (
    ("ME", "PBT"),
    ("ME+PRIOR", "ME"),
    ("ME+COV", "ME"),
    ("ME+SIB", "ME"),
    ("ME+COV+SIB", "ME+COV"),
    ("ME+COV+SIB", "ME+SIB"),
    ("ME+PRIOR+COV+SIB", "ME+COV+SIB"),
    ("ME+PRIOR+COV+SIB", "ME"),
)

PAPERS = {
    "goto": Paper((tables.GOTO_3,), (*_GOTO_CHAIN, *_GOTO_LIMITS, *_GOTO_FEWER)),
    "ni": Paper(
        (tables.NI_7,),
        (
            *(
                Claim(better, worse, f"{NI}, Table 7", metric)
                for better, worse, metrics in (
                    # WER and METEOR where the table has a gain
                    ("DPR-3", "MOSES", ("bleu", "nist", METEOR)),
                    ("DPR-5", "MOSES", ("bleu", "nist")),
                    ("DPR-3", "ME-3", ("wer", "bleu", "nist", METEOR)),
                    ("DPR-5", "ME-5", ("wer", "bleu", "nist", METEOR)),
                )
                for metric in metrics
            ),
            # "no difference between three-class setup and five-class setup" (section 4.2)
            Claim("DPR-5", "DPR-3", f"{NI}, Table 7", margin=EQUAL_BLEU, both_ways=True),
        ),
        dict.fromkeys(("ni_classification", "ni_classification_paper"), (tables.NI_5, tables.NI_6)),
    ),
    "xiang": Paper(
        (tables.XIANG_2, tables.XIANG_3_4),
        (
            *(Claim(name, "ME", f"{XIANG}, Table 2", "pdscore") for name in _PARSE_ROWS),
            *(
                Claim(*rows, f"{XIANG}, Tables 3 and 4", metric)
                for metric in ("bleu", "ter")
                for rows in _PARSE_STEPS
            ),
        ),
        {"siblings": (tables.XIANG_5, tables.XIANG_1, tables.XIANG_SIZES)},
    ),
    "alrajeh": Paper(
        (tables.ALRAJEH_3,),
        (
            *(Claim(better, "LEXICAL", f"{ALRAJEH}, Table 3") for better in ("PRIMAL", "DUAL")),
            Claim("DUAL", "PRIMAL", f"{ALRAJEH}, Table 3", margin=EQUAL_BLEU, both_ways=True),
        ),
        {"alrajeh_classification": (tables.ALRAJEH_2,)},
    ),
    "all": Paper(
        (),
        (
            *_GOTO_CHAIN,
            Claim("DPR-3", "LINEAR+LEX", f"{NI}, Table 7"),
            Claim("PARSE", "LINEAR", f"{XIANG}, Table 3"),
        ),
    ),
}


def findings(comparison: Comparison, claims: Iterable[Claim]) -> list[Finding]:
    """Verdicts on the claims whose systems, limits and metrics are there, from all tuning runs."""
    cells = {(cell.system, cell.limit) for cell in comparison.cells}
    cases: dict[str, list[Case]] = {}
    for claim in claims:
        for test in comparison.tests:
            metric = _metric(comparison, test, claim.metric)
            for limits in claim.limits or [(limit, limit) for limit in comparison.limits]:
                pair = (claim.better, limits[0]), (claim.worse, limits[1])
                if metric is not None and cells.issuperset(pair):
                    own = cases.setdefault(_statement(claim, metric), [])
                    own += _cases(comparison, claim, test.name, metric, limits)
    caveats = runs_text(comparison), comparison.configuration.note
    shown = tuple(filter(None, caveats))
    return judge_claims(cases, comparison.configuration.significant, shown)


def _metric(comparison: Comparison, test: Sentences, name: str) -> Metric | None:
    [wanted] = make_metrics([name], test.references, comparison.configuration.text_options)
    known = comparison.metrics[test.name]
    return next((metric for metric in known if metric.name == wanted.name), None)


def _statement(claim: Claim, metric: Metric) -> str:
    better, worse = claim.better, claim.worse
    if claim.limits:
        better, worse = (
            f"{name} at limit {' and '.join(dict.fromkeys(map(limit_name, own)))}"
            for name, own in zip((better, worse), zip(*claim.limits, strict=True), strict=True)
        )
    if not claim.margin:
        return f"{claim.source}: {better} beats {worse} in {metric.name}"
    how = "equals" if claim.both_ways else "is as good as"
    return f"{claim.source}: {better} {how} {worse} in {metric.name} to within {claim.margin:g}"


def _cases(
    comparison: Comparison, claim: Claim, test: str, metric: Metric, limits: tuple[int, int]
) -> list[Case]:
    """One, or one for each direction."""
    better, worse = (
        comparison.cell(system, limit).statistics(test, metric)
        for system, limit in zip((claim.better, claim.worse), limits, strict=True)
    )
    sign = 1 if metric.higher_is_better else -1
    where = f"{test}, limit {' and '.join(dict.fromkeys(map(limit_name, limits)))}"
    cases = []
    for direction in (1, -1) if claim.both_ways else (1,):
        shift = {"shift": sign * direction * claim.margin} if claim.margin else {}
        # a margin needs the bootstrap: exchanges only know whether there is no difference at all
        test_two = find_test("bootstrap" if shift else comparison.configuration.significance)
        found = test_two(metric, worse, better, n_resamples=PAPER_RESAMPLES, **shift)
        gain = sign * direction * found.difference + claim.margin
        text = f"{where}: {found.difference:+.2f}"
        cases.append(Case(text, gain, found.p_value, PAPER_RESAMPLES))
    return cases
