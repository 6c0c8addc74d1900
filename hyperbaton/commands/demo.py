"""`hyperbaton demo`: the embedded samples, end to end."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hyperbaton.commands.compare import run_comparison
from hyperbaton.commands.explain import explain_derivations
from hyperbaton.commands.parameters import (
    Command,
    command,
    option,
    threads_option,
)

if TYPE_CHECKING:
    from decoder.translator import Translator
    from tuning.comparison.results import Comparison

QUICK: dict[str, Any] = {"replicas": 1, "iterations": 6}  # tuning
N_SHOWN = 3  # translations that are explained
SHORT = 10  # words of a sentence that is easy to follow


@dataclass(frozen=True, kw_only=True)
class Demo(Command):
    """Compare reordering models on the two embedded samples, and explain a few translations.

    Trains, tunes and tests seven systems on each sample, prints their scores, shows how the best
    one arrives at its translations, and writes a report for the browser. The first run takes a few
    minutes on two cores.
    """

    out: Path = option(
        "Folder for all results; a second run reuses it.",
        default=Path("hyperbaton-demo"),
    )
    threads: int = threads_option()

    def run(self) -> None:
        from hyperbaton.samples import SAMPLES

        for name in SAMPLES:
            demonstrate(name, self.out / name, self.threads)
        reports = " ".join(str(self.out / name / "report.html") for name in SAMPLES)
        click.echo(f"reports for your browser: {reports}")
        click.echo(f"try it yourself: hyperbaton translate {self.out / SAMPLES[0]}/best")


demo = command(Demo)


def demonstrate(name: str, out: Path, threads: int) -> None:
    """A quick comparison on a sample, and a look at translations of the best system."""
    from decoder.translator import Translator
    from hyperbaton.samples import sample_configuration, sample_files
    from hyperbaton.views.corpus_text import describe
    from models.data.corpus_reading import read_corpus
    from models.data.corpus_statistics import statistics
    from models.system.folder import write_variant
    from tuning.report.results_folder import complete

    click.echo(f"━━ {name} " + "━" * 60)
    pairs, _ = read_corpus(sample_files(name))
    click.echo(describe(statistics(pairs)) + "\n")
    configuration = sample_configuration(name)
    configuration = replace(configuration, tune=replace(configuration.tune, **QUICK))
    comparison = run_comparison(complete(configuration, "all"), out, threads)
    best = comparison.best_cell(comparison.tests[0].name)
    [models] = [s.distortion for s in comparison.configuration.system if s.name == best.system]
    write_variant(out / "best", out / "system", models, best.best.weights, best.limit)
    click.echo(f"\nhow the best system, {best.name}, translates:\n")
    _explain(comparison, Translator.load(out / "best"))


def _explain(comparison: "Comparison", translator: "Translator") -> None:
    """The first short sentences of the test set, step by step."""
    from hyperbaton.views.explanation_text import blocks
    from hyperbaton.views.text_tables import print_blocks

    test = comparison.tests[0]
    short = [number for number, words in enumerate(test.sources) if len(words) <= SHORT]
    for number in short[:N_SHOWN]:
        decoded = translator.decode(test.sources[number])
        explained = explain_derivations(translator, decoded, test.references[number][0])
        print_blocks(blocks(explained, brief=True))
        click.echo()
