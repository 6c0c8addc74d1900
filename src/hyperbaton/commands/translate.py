"""`hyperbaton translate`: translates text line by line."""

import sys
import time
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass, replace
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

import click

from hyperbaton.commands.far_workers import workers_of
from hyperbaton.commands.output_files import STREAM
from hyperbaton.commands.parameters import (
    POSITIVE,
    MarkedCommand,
    argument,
    cluster_option,
    command,
    flag,
    option,
    output,
    threads_option,
)
from hyperbaton.console import announce_compilation, progress_line, say
from hyperbaton.foundation.errors import DataError

if TYPE_CHECKING:
    from hyperbaton.decoder.constrained_search import Request
    from hyperbaton.decoder.recipe import Origin
    from hyperbaton.decoder.stream import Search
    from hyperbaton.decoder.translator import Translator
    from hyperbaton.views.translation_text import Written


MBR_LIST = 100


@dataclass(frozen=True, kw_only=True)
class Translate(MarkedCommand):
    """Translate text with a trained system, line by line.

    \b
    hyperbaton translate system input.ja -o output.en
    echo "kare wa hon o katta ." | hyperbaton translate system --print-alignment

    Without INPUT, reads standard input; a terminal shows a prompt (type :help there). Input and
    output are tokenised text, or raw text if the system was trained on raw text
    (docs/use/text.md). Empty lines stay empty. A line that cannot be translated gives an empty line
    and a message; the other lines are still translated, and the exit code is 1.

    --force, --prefix and --order take a file with one constraint per line: the translation, its
    beginning, or the order of the source words. --oracle follows the order of a reference
    (docs/understand/oracle.md). With --markup, tags in the input set the translation of a term or
    keep words together; --glossary takes a list of terms (docs/use/constraints.md).
    """

    headings: ClassVar[Mapping[str, Sequence[str]]] = {
        "Output": [
            "out", "form", "n_best", "n_best_file", "distinct", "print_alignment", "lattice",
            "stats", "only",
        ],
        "Input": ["tokenised", "source_tags", "source_tree", "factored"],
        "Search": [
            "distortion", "distortion_limit", "stack_size", "pop_limit", "chart_span",
            "time_limit", "drop_unknown", "mbr", "mbr_lattice", "mbr_scale",
        ],
        "Constraints": [
            "glossary", "glossary_mode", "markup", "force", "prefix", "order", "oracle",
        ],
        "Machine": ["threads", "cluster", "allow_plugins", "config", "assignments"],
    }  # fmt: skip

    source: Path = argument(default=STREAM, metavar="[INPUT]")
    out: Path | None = output(
        "Output file.  [default: stdout, unless another output uses it]", "-o", "--out"
    )
    n_best: int = option("Length of n-best lists.", default=1, type=POSITIVE)
    n_best_file: Path | None = output("Write n-best lists here, in Moses format.")
    distinct: bool = flag("List each distinct translation only once.")
    only: str | None = option(
        "Do not translate: only tokenise source or target text as the system does, or detokenise "
        "target text.",
        type=click.Choice(["source-tokens", "target-tokens", "target-text"]),
    )
    print_alignment: bool = flag("Also print word alignments, after |||.")
    form: str = option(
        "json: one object per sentence.",
        "--format",
        default="text",
        type=click.Choice(["text", "json"]),
    )
    lattice: Path | None = output("Write search lattices here, as Moses search graphs.")
    stats: bool = flag("Print search statistics to stderr at the end.")
    mbr: bool = flag("Choose from the n-best list (100 by default) by minimum Bayes risk.")
    mbr_lattice: bool = flag("Choose from the search lattice by minimum Bayes risk.")
    mbr_scale: float | None = option(
        "Multiplier of the scores for both: the higher, the more the best translations count.  "
        "[default: the scale chosen by 'hyperbaton tune --choose-mbr-scale', or 20]"
    )
    force: Path | None = option(
        "File of translations to produce and score; if the system cannot produce one, it produces "
        "the closest."
    )
    prefix: Path | None = option("File of words with which each translation must begin.")
    order: Path | None = option("File of orders in which to translate the source words: 4 0-2 3.")
    oracle: Path | None = option(
        "Word alignment of the source with the reference: translate in the reference's order."
    )
    threads: int = threads_option()
    cluster: str | None = cluster_option()

    def run(self) -> None:
        from hyperbaton.decoder.constrained_search import check_used_up
        from hyperbaton.decoder.stream import search_all

        if self.is_prompt():
            from hyperbaton.commands.prompt import prompt

            prompt(self, self.n_best)
            return
        self.check()
        if self.only is not None:
            self.convert(self.only)
            return
        marking = self.marking()  # first, to report errors in the glossary early
        sentences = self.read(self.source, marking, self.oracle)
        announce_compilation("hyperbaton.decoder.search")
        translator = self.translator(lattice=self.lattice is not None or self.mbr_lattice)
        report = _Report(translator)
        is_typed = self.source == STREAM and sys.stdin.isatty()
        with ExitStack() as stack:
            files = _Files(self, stack)
            lines = stack.enter_context(closing(sentences))
            requests = self.requests(stack, translator)
            silent = is_typed or files.is_on_terminal  # a progress line would garble the text
            progress = stack.enter_context(nullcontext() if silent else progress_line())
            workers = stack.enter_context(
                workers_of(None if is_typed else self.cluster, self.threads)
            )
            results = search_all(
                translator,
                zip(lines, requests or repeat(None), strict=False),
                self.search(translator, files),
                workers,
                origin=self.origin(),
                one_by_one=is_typed,
            )
            for result in stack.enter_context(closing(results)):
                report.add(result)
                files.write(result)
                if progress:
                    progress("translating", report.n)
            if requests is not None:
                check_used_up(requests, report.n)
        report.end(stats=self.stats)
        if marking.glossary is not None and marking.glossary.unmatched:
            say(marking.glossary.unmatched)
        if report.failures:
            raise SystemExit(1)

    def convert(self, wanted: str) -> None:
        """Tokenises or detokenises the input line by line."""
        from hyperbaton.corpus.text import parse_lines
        from hyperbaton.foundation.files.writing import open_to_write

        text = self.text()
        if text is None:
            raise DataError(
                "the system takes tokenised text and has no tokeniser",
                where=str(self.model),
                advice="leave out --only",
            )
        side = text.source if wanted == "source-tokens" else text.target
        with open_to_write(self.out or STREAM) as stream:
            for _, line in parse_lines(self.source, str):
                is_text = wanted == "target-text"
                words = side.detokenise(line.split()) if is_text else " ".join(side.tokenise(line))
                stream.write(f"{words}\n".encode())

    @property
    def is_json(self) -> bool:
        return self.form == "json"

    def check(self) -> None:
        """Raises if options contradict each other."""
        if self.n_best > 1 and not (self.n_best_file or self.is_json or self.mbr):
            raise click.UsageError("--n-best needs --n-best-file or --format json")
        if self.is_json and self.out is None and STREAM in (self.n_best_file, self.lattice):
            raise click.UsageError(
                "--format json also writes to stdout: give -o FILE, or remove --format"
            )
        if len(self.requested()) > 1:
            raise click.UsageError(f"{' and '.join(self.requested())} exclude each other")

    def is_prompt(self) -> bool:
        """Whether to show a prompt: standard input and output are a terminal, and no option asks
        for other output."""
        others = (
            "out", "n_best_file", "print_alignment", "is_json", "lattice", "stats", "mbr",
            "mbr_lattice", "force", "prefix", "order", "oracle", "source_tags", "source_tree",
            "only",
        )  # fmt: skip
        is_plain = self.source == STREAM and not any(getattr(self, name) for name in others)
        return is_plain and sys.stdin.isatty() and sys.stdout.isatty()

    def origin(self) -> "Origin":
        return replace(super().origin(), oracle=self.oracle is not None)

    def relative_scale(self, translator: "Translator") -> float:
        """The score multiplier for minimum Bayes risk, divided by the size of the weights."""
        from hyperbaton.models.system.folder import MBR_SCALE, read_system
        from hyperbaton.tuning.evaluation.consensus import size_of_weights

        tuned: float = read_system(self.model)["search"].get("mbr_scale", MBR_SCALE)
        scale = tuned if self.mbr_scale is None else self.mbr_scale
        return scale / size_of_weights(translator.weights)

    def requested(self) -> dict[str, Path]:
        """The options given that constrain the search, with their files."""
        names = ("force", "prefix", "order")
        files = {f"--{name}": getattr(self, name) for name in names}
        return {name: path for name, path in files.items() if path is not None}

    def requests(
        self, stack: ExitStack, translator: "Translator"
    ) -> "Generator[Request, None, None] | None":
        """One constraint per sentence; None without a constraint option."""
        from hyperbaton.decoder.constrained_search import read_requests

        for name, path in self.requested().items():  # at most one
            read = read_requests(path, name.lstrip("-"), translator.preparation.split)
            return stack.enter_context(closing(read))
        return None

    def search(self, translator: "Translator", files: "_Files") -> "Search[Written]":
        """The outputs to compute for every sentence."""
        from hyperbaton.decoder.stream import Search
        from hyperbaton.views.translation_text import WantedOutputs

        scale = self.relative_scale(translator) if self.mbr or self.mbr_lattice else None
        text, n_best_lists, lattices = (stream is not None for stream in files.streams)
        outputs = WantedOutputs(
            text=text,
            n_best=n_best_lists,
            lattice=lattices,
            as_json=self.is_json,
            alignment=self.print_alignment,
            list_scale=None if self.mbr_lattice else scale,
            lattice_scale=scale if self.mbr_lattice else None,
            most=self.n_best,
        )
        n_best = self.n_best if self.n_best > 1 or not self.mbr else MBR_LIST
        return Search(outputs, n_best, self.distinct)


translate = command(Translate)


def users_of_layers(translator: "Translator") -> dict[str, list[str]]:
    """Maps each optional layer to the models of a system that use it."""
    users: dict[str, list[str]] = {}
    for model in translator.distortion:
        for layer in sorted(model.wants):
            users.setdefault(layer, []).append(model.name)
    return users


def missing_lines(
    users: Mapping[str, list[str]], missing: Counter[str], n_sentences: int, *, every: bool
) -> list[str]:
    """Reports how many sentences lacked each layer; with `every`, also layers that none lacked."""
    return [
        f"{missing[layer]} of {n_sentences} sentences had no {layer}: "
        f"{' and '.join(names)} scored them with the other features"
        if missing[layer]
        else f"all sentences had a {layer} for {' and '.join(names)}"
        for layer, names in users.items()
        if missing[layer] or every
    ]


class _Report:
    """Messages during translation and at its end."""

    def __init__(self, translator: "Translator") -> None:
        from hyperbaton.corpus.words.unknown_words import UnknownWords
        from hyperbaton.decoder.statistics import SearchStatistics

        self.n = self.failures = 0
        self._began = time.monotonic()
        self._statistics = SearchStatistics()
        self._missing: Counter[str] = Counter()  # sentences without a layer
        phrases = translator.phrases
        self._unknown = UnknownWords(phrases.source_vocabulary, (), phrases.target_vocabulary)
        self._users = users_of_layers(translator)

    def add(self, result: "Written") -> None:
        self.n += 1
        for hint in self._unknown.add(result.words, result.copied):
            say(hint)
        if result.failure:
            self.failures += 1
            say(f"hyperbaton: sentence {self.n}: {result.failure}")
            return
        for remark in result.remarks:
            say(f"sentence {self.n}: {remark}")
        self._statistics = self._statistics.add(result.statistics)
        self._missing.update(self._users.keys() - result.layers if result.words else ())

    def end(self, *, stats: bool) -> None:
        from hyperbaton.decoder.statistics import statistics_lines

        missing = missing_lines(self._users, self._missing, self.n, every=stats)
        for line in filter(None, [str(self._unknown), self._unknown.hint, *missing]):
            say(line)
        if stats:
            seconds = time.monotonic() - self._began
            rate = self.n / max(seconds, 1e-9)
            say(f"{self.n} sentences in {seconds:.2f} s, {rate:.1f} per second")
            for line in statistics_lines(self._statistics):
                say(line)


class _Files:
    """The requested output files."""

    def __init__(self, job: Translate, stack: ExitStack) -> None:
        from hyperbaton.foundation.files.writing import open_to_write

        others = job.n_best_file, job.lattice
        out = STREAM if job.out is None and STREAM not in others else job.out
        self.streams = [
            None if path is None else stack.enter_context(open_to_write(path))
            for path in (out, *others)
        ]  # of translations, n-best lists, lattices

    @property
    def is_on_terminal(self) -> bool:
        return sys.stdout.buffer in self.streams and sys.stdout.isatty()

    def write(self, result: "Written") -> None:
        outputs = result.text, result.n_best, result.lattice
        for stream, lines in zip(self.streams, outputs, strict=True):
            if stream is not None and lines:
                stream.write(lines)
                if stream is sys.stdout.buffer:
                    stream.flush()
