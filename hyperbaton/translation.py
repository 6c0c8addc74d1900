"""The work behind `hyperbaton translate`: streams lines through a translator."""

import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from decoder.decode import SearchSettings
from decoder.decoded import Decoded
from decoder.output import json_line, lattice_lines, nbest_lines, pharaoh
from decoder.statistics import SearchStatistics, statistics_lines
from decoder.translator import Failure, Translator
from hyperbaton.console import progress_line, say
from hyperbaton.settings import Settings
from models.data.source_reading import SourceFiles, read_sentences
from models.system.folder import read_system
from models.writing import open_to_write


@dataclass(frozen=True)
class Run:
    model: Path
    source: Path
    out: Path
    n_best: int
    n_best_file: Path | None
    distinct: bool
    alignment: bool
    as_json: bool
    stats: bool
    threads: int
    distortion: tuple[str, ...] = ()
    source_tags: Path | None = None
    source_tree: Path | None = None
    factored: bool = False
    lattice: Path | None = None


def translate_file(run: Run, settings_over: Callable[[Settings], Settings]) -> int:
    """Translates a file; the number of sentences that failed."""
    limit = read_system(run.model)["search"]["distortion_limit"]
    base = Settings(search=replace(SearchSettings(), distortion_limit=limit))
    search = settings_over(base).search
    search = replace(search, lattice=search.lattice or run.lattice is not None)
    translator = Translator.load(run.model, search, run.distortion)
    began = time.monotonic()
    failures = number = 0
    statistics = SearchStatistics()
    missing: Counter[str] = Counter()  # sentences without a layer
    users = users_of_layers(translator)
    files = SourceFiles(run.source, run.source_tags, run.source_tree)
    with ExitStack() as stack:
        out = stack.enter_context(open_to_write(run.out))
        n_best_out = None
        if run.n_best_file is not None:
            n_best_out = stack.enter_context(open_to_write(run.n_best_file))
        lattice_out = None
        if run.lattice is not None:
            lattice_out = stack.enter_context(open_to_write(run.lattice))
        lines = stack.enter_context(closing(read_sentences(files, factored=run.factored)))
        progress = stack.enter_context(progress_line())
        results = translator.stream(
            lines, threads=run.threads, n_best=run.n_best, distinct=run.distinct
        )
        for number, result in enumerate(stack.enter_context(closing(results)), 1):
            if isinstance(result, Failure):
                failures += 1
                say(f"hyperbaton: sentence {number}: {result.error}")
                _write(out, "")
            else:
                _write_result(run, translator, number - 1, result, out, n_best_out)
                statistics = statistics.add(result.statistics)
                missing.update(users.keys() - result.sentence.layers if result.sentence else ())
                if lattice_out is not None:
                    for line in lattice_lines(number - 1, result):
                        _write(lattice_out, line)
            if progress:
                progress("translating", number)
    for line in missing_lines(users, missing, number, every=run.stats):
        say(line)
    if run.stats:
        seconds = time.monotonic() - began
        say(f"{number} sentences in {seconds:.2f} s, {number / max(seconds, 1e-9):.1f} per second")
        for line in statistics_lines(statistics):
            say(line)
    return failures


def users_of_layers(translator: Translator) -> dict[str, list[str]]:
    """The layers that models of a system use where a sentence has them, and which models."""
    users: dict[str, list[str]] = {}
    for model in translator.distortion:
        for layer in sorted(model.wants):
            users.setdefault(layer, []).append(model.name)
    return users


def missing_lines(
    users: Mapping[str, list[str]], missing: Counter[str], n_sentences: int, *, every: bool
) -> list[str]:
    """What to tell of sentences without such layers; `every`: also that there are none."""
    return [
        f"{missing[layer]} of {n_sentences} sentences had no {layer}: "
        f"{' and '.join(names)} scored them by other features"
        if missing[layer]
        else f"all sentences had a {layer} for {' and '.join(names)}"
        for layer, names in users.items()
        if missing[layer] or every
    ]


def _write_result(
    run: Run,
    translator: Translator,
    number: int,
    decoded: Decoded,
    out: BinaryIO,
    n_best_out: BinaryIO | None,
) -> None:
    if run.as_json:
        _write(out, json_line(number, decoded, translator.results(decoded)))
    elif run.alignment:
        [best] = translator.results(decoded)[:1]
        _write(out, f"{best.text} ||| {pharaoh(best)}")
    else:
        _write(out, " ".join(decoded.words()))
    if n_best_out is not None:
        for line in nbest_lines(number, translator, decoded, alignment=run.alignment):
            _write(n_best_out, line)


def _write(stream: BinaryIO, line: str) -> None:
    stream.write(line.encode() + b"\n")
    if stream is sys.stdout.buffer:
        stream.flush()
