"""Cleans and splits raw parallel text as a stream; memory holds only two hashes per pair.

    raw files ──clean, rules──▶ a temporary file, hashes ──divide──▶ train.* dev.* test.*
                  └──▶ counts and examples of what is dropped ──────▶ report.md report.json

The second step reads the temporary file again, because duplicates and the sets of the other pairs
are known only when all pairs are read. Output files appear together, when all are complete.
"""

import json
from array import array
from collections import Counter
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import numpy as np

from hyperbaton.corpus.preparation.reading import RawFiles, read_pairs
from hyperbaton.corpus.preparation.rules import DUPLICATE, Rules, cleaned
from hyperbaton.corpus.preparation.splitting import SETS, TWICE, divide, hash_of
from hyperbaton.foundation.errors import BadLine, DataError, SettingError
from hyperbaton.foundation.files.writing import make_folder, open_to_write, path_text, writing
from hyperbaton.foundation.progress import Progress, silent

EXAMPLES_SHOWN, MOST_SHOWN = 3, 200  # examples per reason, characters per example
PROGRESS_EVERY = 1000
REPORT = "report"


@dataclass
class Report:
    """Counts of the pairs: every pair read is either in one of the sets or dropped."""

    n_read: int = 0
    kept: Counter[str] = field(default_factory=Counter)  # pairs by set
    dropped: Counter[str] = field(default_factory=Counter)  # pairs by reason
    examples: dict[str, list[tuple[str, str, str]]] = field(default_factory=dict)

    def drop(self, why: str, where: str, source: str = "", target: str = "") -> None:
        """Counts a dropped pair; keeps the first pairs for each reason as examples."""
        self.dropped[why] += 1
        shown = self.examples.setdefault(why, [])
        if len(shown) < EXAMPLES_SHOWN:
            shown.append((where, _cut(source), _cut(target)))


@dataclass(frozen=True)
class Preparation:
    files: RawFiles
    rules: Rules
    out: Path
    n_dev: int = 1000
    n_test: int = 1000
    skip_bad: bool = False

    @property
    def outputs(self) -> dict[str, tuple[Path, Path]]:
        """The files of both languages, by set."""
        codes = self.rules.source_language, self.rules.target_language
        sizes = dict(zip(SETS, (1, self.n_dev, self.n_test), strict=True))
        return {
            name: (self.out / f"{name}.{codes[0]}", self.out / f"{name}.{codes[1]}")
            for name in SETS
            if sizes[name]
        }

    def check(self) -> None:
        """Rejects invalid settings and outputs that would overwrite an input."""
        self.files.check()
        self.rules.check()
        codes = self.rules.source_language, self.rules.target_language
        if codes[0] == codes[1]:
            raise SettingError(
                f"both languages are {codes[0]!r}", expected="expected two languages"
            )
        for code in codes:
            if not code.replace("-", "").replace("_", "").isalnum():
                raise SettingError(
                    f"{code!r} is not a language code", expected="expected ja, en, pt-BR, …"
                )
        taken = {path.resolve() for path in self.files.paths}
        for path in (path for both in self.outputs.values() for path in both):
            if path.resolve() in taken:
                raise SettingError(
                    f"{path} is an input and would be overwritten", advice="choose another --out"
                )


def prepare(job: Preparation, progress: Progress = silent) -> Report:
    job.check()
    make_folder(job.out)
    report = Report()
    with writing(job.out), TemporaryFile(dir=job.out) as kept:  # removed even after a crash
        pairs, units = _read(job, kept, report, progress)
        of_pairs, of_units = (np.frombuffer(hashes, np.uint64) for hashes in (pairs, units))
        sets = divide(of_pairs, of_units, job.n_dev, job.n_test)
        kept.seek(0)
        _write(job, kept, sets.tobytes(), report, progress)
    return report


def _read(
    job: Preparation, kept: IO[bytes], report: Report, progress: Progress
) -> "tuple[array[int], array[int]]":
    """Writes the pairs that pass all rules; returns their hashes and those of their documents."""
    pairs, units = array("Q"), array("Q")
    with closing(read_pairs(job.files)) as records:
        for record in records:
            report.n_read += 1
            if report.n_read % PROGRESS_EVERY == 0:
                progress("reading pairs", report.n_read)
            if isinstance(record, BadLine):
                if not job.skip_bad:
                    record.advice = "skip and count such pairs with --skip-bad"
                    raise record
                report.drop(record.kind, record.where)
                continue
            source, target = cleaned(record.source), cleaned(record.target)
            why = job.rules.fault(source, target)
            if why:
                report.drop(why, _where(job, record.line), source, target)
                continue
            pairs.append(hash_of(source, target))
            units.append(hash_of(record.document) if record.document else pairs[-1])
            kept.write(f"{record.line}\t{source}\t{target}\n".encode())
    if not pairs:
        raise DataError(
            f"all {report.n_read:,} pairs were dropped",
            where=str(job.files.paths[0]),
            expected=", ".join(f"{count:,} × {why}" for why, count in report.dropped.items()),
            advice="check the languages, the columns and the rules",
        )
    return pairs, units


def _write(
    job: Preparation, kept: IO[bytes], sets: bytes, report: Report, progress: Progress
) -> None:
    """Writes the pairs to the files of their sets, and the report."""
    reports = [job.out / f"{REPORT}.{ending}" for ending in ("json", "md")]
    with ExitStack() as stack:
        streams = {
            name: [stack.enter_context(open_to_write(path)) for path in paths]
            for name, paths in {**job.outputs, REPORT: reports}.items()
        }
        stack.enter_context(writing(job.out))  # reports a full disk for any of the files
        rows = (line.decode().removesuffix("\n").split("\t") for line in kept)
        for number, (part, (line, *texts)) in enumerate(zip(sets, rows, strict=True), 1):
            if part == TWICE:
                report.drop(DUPLICATE, _where(job, int(line)), *texts)
                continue
            report.kept[SETS[part]] += 1
            for stream, text in zip(streams[SETS[part]], texts, strict=True):
                stream.write(f"{text}\n".encode())
            if number % PROGRESS_EVERY == 0:
                progress("writing pairs", number)
        texts = [_json(job, report), as_markdown(report)]
        for stream, text in zip(streams[REPORT], texts, strict=True):
            stream.write(text.encode())
        for stream in chain.from_iterable(streams.values()):
            stream.flush()  # a full disk fails here, before any file gets its name


def as_markdown(report: Report) -> str:
    lines = [f"{report.n_read:,} pairs read.", "", "| set | pairs |", "|---|---:|"]
    lines += [f"| {name} | {report.kept[name]:,} |" for name in SETS if report.kept[name]]
    lines += ["", "| dropped because | pairs |", "|---|---:|"]
    lines += [f"| {why} | {count:,} |" for why, count in report.dropped.most_common()]
    for why, shown in report.examples.items():
        lines += ["", f"## Dropped: {why}", ""]
        for where, *texts in shown:
            lines += [f"- `{where}`", *(f"  - {_escaped(text)}" for text in texts if text)]
    return "\n".join(lines) + "\n"


def _json(job: Preparation, report: Report) -> str:
    content = {
        "read": report.n_read,
        "kept": dict(report.kept),
        "dropped": dict(report.dropped.most_common()),
        "examples": {
            why: [dict(zip(("where", "source", "target"), row, strict=True)) for row in shown]
            for why, shown in report.examples.items()
        },
        "files": list(map(path_text, job.files.paths)),
        "rules": asdict(job.rules),
        "dev": job.n_dev,
        "test": job.n_test,
    }
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def _escaped(text: str) -> str:
    """Escapes Markdown."""
    return "".join(f"\\{letter}" if letter in "\\`*_[]<>#|" else letter for letter in text)


def _where(job: Preparation, line: int) -> str:
    return f"{path_text(job.files.paths[0])}:{line}"


def _cut(text: str) -> str:
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
