"""`hyperbaton demo`: trains and compares systems on the embedded samples."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hyperbaton.commands.compare import run_comparison
from hyperbaton.commands.compile import NOT_IN_DEMO, compile_code
from hyperbaton.commands.parameters import Command, command, option, threads_option
from hyperbaton.console import announce_compilation, program, reporting

if TYPE_CHECKING:
    from hyperbaton.decoder.translator import Translator
    from hyperbaton.tuning.evaluation.data_sets import DataSet

# Tuning settings, and the part of a sample that suffices to rank the models
QUICK: dict[str, Any] = {"replicas": 1, "iterations": 4}
FULL: dict[str, Any] = {"replicas": 1, "iterations": 6}
LINES = "1-2000"
QUICK_METRICS = "bleu", "ribes", "pdscore"  # two of three judge the word order
N_SHOWN = 3  # translations
SHORT = 10  # maximum words of a sentence that is easy to follow


@dataclass(frozen=True, kw_only=True)
class Demo(Command):
    """Train a first system and compare reordering models.

    Trains a small system on an embedded sample and translates a few sentences. Then trains, tunes
    and tests eight systems, prints their scores, and translates the same sentences with the best
    one. Also writes a report for the browser. Takes two or three minutes on two cores; a second
    run takes seconds.
    """

    out: Path = option(
        "Folder for all results; a second run reuses it.",
        "-o",
        "--out",
        default=Path("hyperbaton-demo"),
    )
    full: bool = option(
        "Use both samples in full and all metrics, and tune longer; takes several times as long.",
        default=False,
    )
    threads: int = threads_option()

    def run(self) -> None:
        from hyperbaton.samples import SAMPLES

        samples = SAMPLES if self.full else SAMPLES[:1]
        for name in samples:
            demonstrate(name, self.out / name, self.threads, full=self.full)
        reports = " ".join(str(self.out / name / "report.html") for name in samples)
        best = self.out / samples[0] / "best"
        click.echo(f"open in a browser: {reports}")
        click.echo("try it yourself:")
        click.echo(f"  echo 'kare wa hon o katta .' | {program()} translate {best}")
        click.echo(f"  {program()} explain {best} 'kare wa hon o katta .' --plot jumps.svg")
        click.echo(f"  {program()} serve --demo --open")


demo = command(Demo)


def demonstrate(name: str, out: Path, threads: int, *, full: bool = False) -> None:
    """Trains a first system on a sample, compares many, and prints translations of both."""
    from hyperbaton.decoder.translator import Translator
    from hyperbaton.foundation.kernels import is_compiled
    from hyperbaton.models.system.folder import write_variant
    from hyperbaton.samples import sample_configuration
    from hyperbaton.tuning.report.results_folder import complete

    configuration = sample_configuration(name)
    test = configuration.test[0]
    click.echo(f"━━ {name}: a first system, with linear and lexicalised reordering\n")
    _show(_first_system(name, out / "first", threads), test)

    if not is_compiled("hyperbaton.models.distortion.next_word.lanes"):
        compile_code(but=NOT_IN_DEMO)  # on all cores; the comparison would compile on one
    click.echo(f"━━ {name}: systems with other reordering models, tuned and compared\n")
    configuration = replace(configuration, tune=replace(configuration.tune, **FULL))
    if not full:
        configuration = replace(
            configuration,
            tune=replace(configuration.tune, **QUICK),
            train=replace(configuration.train, lines=LINES),
            metrics=QUICK_METRICS,
        )
    comparison = run_comparison(complete(configuration, "all"), out, threads)
    best = comparison.best_cell(comparison.tests[0].name)
    [models] = [s.distortion for s in comparison.configuration.system if s.name == best.system]
    write_variant(out / "best", out / "system", models, best.best.weights, best.limit)
    click.echo(f"\n━━ {name}: the same sentences, translated by the best system, {best.name}\n")
    _show(Translator.load(out / "best"), test)


def _first_system(name: str, folder: Path, threads: int) -> "Translator":
    from hyperbaton.decoder.translator import Translator
    from hyperbaton.models.system.training import train_system
    from hyperbaton.samples import sample_files

    announce_compilation("hyperbaton.decoder.search")
    with reporting() as reporter:
        train_system(sample_files(name), folder, threads=threads, reporter=reporter)
    return Translator.load(folder)


def _show(translator: "Translator", test: "DataSet") -> None:
    """Prints translations of the first short test sentences, with their jumps."""
    from hyperbaton.tuning.evaluation.data_sets import load
    from hyperbaton.views.jumps_text import jump_lines

    data = load(test)
    short = (number for number, words in enumerate(data.sources) if len(words) <= SHORT)
    for number, _ in zip(short, range(N_SHOWN), strict=False):
        translation = translator.translate(data.sources[number])
        for line in jump_lines(translation.derivation):
            click.echo(f"  {line}")
        click.echo(f"  translation  {translation.text}")
        click.echo(f"  reference    {data.references[number][0]}\n")
