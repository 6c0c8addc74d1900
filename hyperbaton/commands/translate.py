"""`hyperbaton translate`: text in, translations out."""

import sys
import time
from collections import Counter
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import click

from hyperbaton.commands.output_files import STREAM
from hyperbaton.commands.parameters import (
    POSITIVE,
    MarkedCommand,
    argument,
    command,
    flag,
    option,
    output,
    threads_option,
)
from hyperbaton.console import announce_compilation, progress_line, say

if TYPE_CHECKING:
    from decoder.decoded import Decoded
    from decoder.requests import Request
    from decoder.translator import Translator
    from models.data.sentence import Sentence
    from models.errors import BadLine


MBR_LIST = 100


@dataclass(frozen=True, kw_only=True)
class Translate(MarkedCommand):
    """Translate text with a trained system, line by line.

    \b
    hyperbaton translate model input.ja -o output.en
    echo "kare wa hon o katta ." | hyperbaton translate model --n-best 5 --n-best-file -

    INPUT defaults to standard input, which is a prompt in a terminal (:help lists what it can do).
    It is tokens, unless the system was trained on raw text: then it is raw text too, and so are the
    translations (docs/text.md). Empty lines stay empty. A line that cannot be translated gives an
    empty line and a message; the others are unaffected, and the exit code is 1.

    With --force, --prefix or --order, a file with a line for each sentence says what to search for,
    with --oracle in which order (docs/oracle.md). With --markup, the input itself says how to
    translate terms, and which words to keep together; with --glossary, a list of terms does
    (docs/constraints.md).
    """

    source: Path = argument(default=STREAM, metavar="[INPUT]")
    out: Path | None = output(
        "Output file.  [default: stdout, unless another output goes there]", "-o", "--out"
    )
    n_best: int = option("Length of n-best lists.", default=1, type=POSITIVE)
    n_best_file: Path | None = output("Write n-best lists here, in Moses' format.")
    distinct: bool = flag("Keep each translation only once in an n-best list.")
    alignment: bool = flag("Also print word alignments, behind |||.")
    as_json: bool = flag("Print a JSON object for each sentence.", "--json")
    lattice: Path | None = output("Write search lattices here, as Moses' search graphs.")
    stats: bool = flag("Print search statistics to stderr at the end.")
    mbr: bool = flag("Choose among the n-best (100 by default) by minimum Bayes risk.")
    mbr_lattice: bool = flag("Choose among all translations of the search lattice instead.")
    mbr_scale: float | None = option(
        "Factor of the scores for both: the higher, the more the best ones count.  [default: what "
        "'hyperbaton tune --mbr-scale' has chosen for the system, or 20]"
    )
    force: Path | None = option(
        "Translate into these lines, or the nearest that the system can say, and score them."
    )
    prefix: Path | None = option("Begin each translation with the words of a line of this file.")
    order: Path | None = option(
        "Translate source words in the order that a line of this file says: 4 0-2 3."
    )
    oracle: Path | None = option(
        "Translate in the order of the reference, whose word alignment with the source this is."
    )
    threads: int = threads_option()

    def run(self) -> None:
        if self.is_prompt():
            from hyperbaton.commands.prompt import prompt

            prompt(self, self.n_best)
            return
        if self.n_best > 1 and not (self.n_best_file or self.as_json or self.mbr):
            raise click.UsageError("--n-best needs --n-best-file or --json")
        if self.as_json and self.out is None and STREAM in (self.n_best_file, self.lattice):
            raise click.UsageError("--json goes to stdout as well: give -o, or leave it out")
        if len(self.requested()) > 1:
            raise click.UsageError(f"{' and '.join(self.requested())} exclude each other")
        sentences = self.read(self.source, self.oracle)  # first of all: a glossary may be wrong
        announce_compilation("decoder.search")
        translator = self.translator(lattice=self.lattice is not None or self.mbr_lattice)
        translator = self.with_oracle(translator) if self.oracle else translator
        if self.translate(translator, sentences):
            raise SystemExit(1)

    def is_prompt(self) -> bool:
        """Whether somebody types sentences, and wants nothing but their translations."""
        others = (
            "out", "n_best_file", "alignment", "as_json", "lattice", "stats", "mbr", "mbr_lattice",
            "force", "prefix", "order", "oracle", "source_tags", "source_tree",
        )  # fmt: skip
        is_plain = self.source == STREAM and not any(getattr(self, name) for name in others)
        return is_plain and sys.stdin.isatty() and sys.stdout.isatty()

    def with_oracle(self, translator: "Translator") -> "Translator":
        from models.distortion.oracle import Oracle

        has_one = any(isinstance(model, Oracle) for model in translator.distortion)
        return translator if has_one else translator.with_model(Oracle())

    def relative_scale(self, translator: "Translator") -> float:
        """The factor of scores for minimum Bayes risk, for the size that the weights have."""
        from models.system.folder import MBR_SCALE, read_system
        from tuning.evaluation.consensus import size_of_weights

        own: float = read_system(self.model)["search"].get("mbr_scale", MBR_SCALE)
        scale = own if self.mbr_scale is None else self.mbr_scale
        return scale / size_of_weights(translator.weights)

    def requested(self) -> dict[str, Path]:
        """The options that say what to search for."""
        names = ("force", "prefix", "order")
        files = {f"--{name}": getattr(self, name) for name in names}
        return {name: path for name, path in files.items() if path is not None}

    def requests(
        self, stack: ExitStack, translator: "Translator"
    ) -> "Generator[Request, None, None] | None":
        """One for each sentence, if there are any."""
        from decoder.request_files import read_requests

        for name, path in self.requested().items():  # at most one
            read = read_requests(path, name.lstrip("-"), translator.preparation.split)
            return stack.enter_context(closing(read))
        return None

    def translate(
        self, translator: "Translator", sentences: "Generator[Sentence | BadLine, None, None]"
    ) -> int:
        """Translates the input; the number of sentences that failed."""
        from decoder.request_files import check_used_up
        from decoder.statistics import SearchStatistics, statistics_lines
        from decoder.translator import Failure
        from models.data.unknown_words import UnknownWords

        began = time.monotonic()
        failures = number = 0
        statistics = SearchStatistics()
        missing: Counter[str] = Counter()  # sentences without a layer
        unknown = UnknownWords(translator.phrases.source_vocabulary)
        users = users_of_layers(translator)
        is_typed = self.source == STREAM and sys.stdin.isatty()
        with ExitStack() as stack:
            writer = _Writer(self, translator, stack)
            lines = stack.enter_context(closing(sentences))
            requests = self.requests(stack, translator)
            silent = is_typed or writer.is_on_terminal  # text is no place for a moving line
            progress = stack.enter_context(nullcontext() if silent else progress_line())
            results = translator.stream(
                lines,
                threads=self.threads,
                n_best=self.n_best if self.n_best > 1 or not self.mbr else MBR_LIST,
                distinct=self.distinct,
                at_once=is_typed,
                requests=requests,
            )
            for number, result in enumerate(stack.enter_context(closing(results)), 1):
                for hint in unknown.add(result.sentence.words):
                    say(hint)
                if isinstance(result, Failure):
                    failures += 1
                    say(f"hyperbaton: sentence {number}: {result.error}")
                    writer.write_nothing()
                else:
                    for remark in remarks(result):
                        say(f"sentence {number}: {remark}")
                    writer.write(number - 1, result)
                    statistics = statistics.add(result.statistics)
                    missing.update(users.keys() - result.sentence.layers if result.sentence else ())
                if progress:
                    progress("translating", number)
            if requests is not None:
                check_used_up(requests, number)
        missing_layers = missing_lines(users, missing, number, every=self.stats)
        for line in filter(None, [str(unknown), *missing_layers]):
            say(line)
        if self.stats:
            seconds = time.monotonic() - began
            rate = number / max(seconds, 1e-9)
            say(f"{number} sentences in {seconds:.2f} s, {rate:.1f} per second")
            for line in statistics_lines(statistics):
                say(line)
        return failures


translate = command(Translate)


def remarks(decoded: "Decoded") -> Iterator[str]:
    """What a user should know about a translation."""
    if decoded.n_pieces > len(decoded.sentence.breaks) + 1:
        yield f"{len(decoded.sentence)} words, translated in {decoded.n_pieces} pieces"
    if narrowed := decoded.statistics.narrowed:
        n_words = len(decoded.sentence)
        yield f"the time was up, so few steps were tried for {narrowed} of {n_words} words"
    if decoded.lacks or decoded.adds:
        parts = ("lacks", decoded.lacks), ("adds", decoded.adds)
        named = [f"{what} {' '.join(words)}" for what, words in parts if words]
        yield f"the system cannot say this; what is nearest {' and '.join(named)}"


def users_of_layers(translator: "Translator") -> dict[str, list[str]]:
    """The optional layers that the models of a system use, with the names of those models."""
    users: dict[str, list[str]] = {}
    for model in translator.distortion:
        for layer in sorted(model.wants):
            users.setdefault(layer, []).append(model.name)
    return users


def missing_lines(
    users: Mapping[str, list[str]], missing: Counter[str], n_sentences: int, *, every: bool
) -> list[str]:
    """How many sentences lacked each layer; `every`: also layers that none lacked."""
    return [
        f"{missing[layer]} of {n_sentences} sentences had no {layer}: "
        f"{' and '.join(names)} scored them by other features"
        if missing[layer]
        else f"all sentences had a {layer} for {' and '.join(names)}"
        for layer, names in users.items()
        if missing[layer] or every
    ]


class _Writer:
    """Writes the outputs that were requested."""

    def __init__(self, job: Translate, translator: "Translator", stack: ExitStack) -> None:
        from models.writing import open_to_write

        self._job, self._translator = job, translator
        self._scale = job.relative_scale(translator) if job.mbr or job.mbr_lattice else 0.0
        others = job.n_best_file, job.lattice
        out = STREAM if job.out is None and STREAM not in others else job.out
        self._out, self._n_best, self._lattice = (
            None if path is None else stack.enter_context(open_to_write(path))
            for path in (out, *others)
        )

    @property
    def is_on_terminal(self) -> bool:
        outputs = self._out, self._n_best, self._lattice
        return sys.stdout.buffer in outputs and sys.stdout.isatty()

    def write_nothing(self) -> None:
        """An empty line in place of a translation."""
        _write(self._out, "")

    def write(self, number: int, decoded: "Decoded") -> None:
        from decoder.output import aligned_line, json_line, lattice_lines, nbest_lines

        job, translator = self._job, self._translator
        if job.mbr_lattice:
            from tuning.evaluation.consensus import lattice_consensus

            decoded = lattice_consensus(decoded, self._scale)
        elif job.mbr:
            decoded = chosen_by_risk(decoded, self._scale, job.n_best)
        if job.as_json:
            _write(self._out, json_line(number, decoded, translator))
        elif job.alignment:
            [best] = translator.results(decoded)[:1]
            _write(self._out, aligned_line(best))
        else:
            _write(self._out, translator.preparation.joined(decoded.words()))
        if self._n_best is not None:
            for line in nbest_lines(number, translator, decoded, alignment=job.alignment):
                _write(self._n_best, line)
        if self._lattice is not None:
            for line in lattice_lines(number, decoded):
                _write(self._lattice, line)


def chosen_by_risk(decoded: "Decoded", scale: float, n_best: int) -> "Decoded":
    """The translations by falling expected gain, each with its best derivation."""
    import numpy as np

    from tuning.evaluation.consensus import Scored, expected_gains

    texts = [" ".join(decoded.words(number)) for number in range(len(decoded))]
    found = expected_gains([Scored(texts, decoded.scores)], scale)
    order = np.argsort(-found.gain, kind="stable")[:n_best]
    return decoded.take(decoded.first_of_each_translation()[order])


def _write(stream: BinaryIO | None, line: str) -> None:
    if stream is None:
        return
    stream.write(line.encode() + b"\n")
    if stream is sys.stdout.buffer:
        stream.flush()
