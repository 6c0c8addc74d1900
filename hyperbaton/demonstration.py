"""The work behind `hyperbaton demo`: a quick comparison on a sample, and a look at translations."""

from dataclasses import replace
from pathlib import Path

import click

from decoder.translator import Translator
from hyperbaton.comparison import run_comparison, sample_configuration
from hyperbaton.explaining import explain_derivations
from hyperbaton.samples import sample_files
from hyperbaton.views.corpus_text import describe
from hyperbaton.views.explanation_text import blocks
from hyperbaton.views.text_tables import print_blocks
from models.data.corpus_reading import read_corpus
from models.data.corpus_statistics import statistics
from models.system.folder import write_variant
from tuning.comparison.results import Cell, Comparison
from tuning.weights.settings import COMPARE_SETTINGS

QUICK = replace(COMPARE_SETTINGS, replicas=1, iterations=6)
N_SHOWN = 3  # translations that are explained
SHORT = 10  # words of a sentence that is easy to follow


def demonstrate(name: str, out: Path, threads: int) -> None:
    click.echo(f"━━ {name} " + "━" * 60)
    pairs, _ = read_corpus(sample_files(name))
    click.echo(describe(statistics(pairs)) + "\n")
    configuration = replace(sample_configuration(name), tune=QUICK)
    comparison = run_comparison(configuration, out, threads, "all")
    best = best_cell(comparison)
    [models] = [s.distortion for s in comparison.configuration.system if s.name == best.system]
    write_variant(out / "best", out / "system", models, best.best.weights, best.limit)
    click.echo(f"\nhow the best system, {best.name}, translates:\n")
    _explain(comparison, Translator.load(out / "best"))


def best_cell(comparison: Comparison) -> Cell:
    """The cell with the best score by the first metric on the first test set."""
    test = comparison.tests[0].name
    sign = 1 if comparison.metrics[test][0].higher_is_better else -1
    return max(
        comparison.cells, key=lambda cell: sign * comparison.scores[test][cell.name][0].score
    )


def _explain(comparison: Comparison, translator: Translator) -> None:
    """The first short sentences of the test set, step by step."""
    test = comparison.tests[0]
    short = [number for number, words in enumerate(test.sources) if len(words) <= SHORT]
    for number in short[:N_SHOWN]:
        decoded = translator.decode(test.sources[number])
        explained = explain_derivations(translator, decoded, test.references[number][0])
        print_blocks(blocks(explained, brief=True))
        click.echo()
