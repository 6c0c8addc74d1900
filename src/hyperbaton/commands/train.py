"""`hyperbaton train`: trains a translation system on a parallel corpus."""

from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

import click

from hyperbaton.commands.far_workers import far_workers
from hyperbaton.commands.parameters import (
    POSITIVE,
    REQUIRED,
    TextCommand,
    cluster_option,
    command,
    config_option,
    option,
    set_option,
    threads_option,
)
from hyperbaton.console import announce_compilation, program, reporting, say


@dataclass(frozen=True, kw_only=True)
class Train(TextCommand):
    """Train a translation system on a word-aligned corpus.

    \b
    hyperbaton train --source train.ja --target train.en \\
        --alignment train.align --out system
    hyperbaton train --sample ja-en --distortion pair --out system

    Trains a phrase table with reordering scores, a language model, word classes and distortion
    models (hyperbaton info lists them). Stages with unchanged inputs are not run again. If you stop
    a run, the old system stays as it was; the next run resumes after the last finished stage or
    piece of the phrase table. --set train.memory=1GB limits the memory for the phrase table, for
    counting n-grams and for the features of pair and sequence. Progress shows the peak memory of
    the process so far.

    With --source-language and --target-language, the text is raw: it is tokenised, and the system
    translates raw text (docs/use/text.md). Align with the same options.
    """

    out: Path = option("Folder of the system; created if missing.", "-o", "--out", default=REQUIRED)
    lm_order: int | None = option("Order of the language model.  [default: 5]", sets="lm.order")
    lm_texts: tuple[Path, ...] = option(
        "More target text for the language model; may be repeated.",
        "--lm-text",
        default=(),
    )
    lms: tuple[str, ...] = option(
        "Use this language model (ARPA or KenLM binary) instead of training one; with a NAME, in "
        "addition to the trained one, as feature lm.NAME; may be repeated.",
        "--lm",
        default=(),
        metavar="[NAME=]FILE",
    )
    lm_classes: int | None = option(
        "Also train a language model over this many word classes, as feature lm.classes.",
        sets="lm.classes",
        type=POSITIVE,
    )
    max_phrase_length: int | None = option(
        "Maximum words of a phrase, 1 to 8.  [default: 7]", sets="phrases.max_length"
    )
    grammar: str = option(
        "phrases, or hierarchical: rules with gaps, which decide the order of words "
        "(docs/understand/hierarchical.md).",
        default="phrases",
        type=click.Choice(["phrases", "hierarchical"]),
    )
    rules_for: tuple[Path, ...] = option(
        "Extract only the hierarchical rules for this source text; may be repeated. Needed for "
        "large corpora, whose rules are too many.",
        "--rules-for",
        default=(),
    )
    distortion: tuple[str, ...] = option(
        "Train this distortion model; may be repeated.  [default: linear msd]",
        default=(),
        metavar="NAME[,KEY=VALUE…]",
    )
    seed: int = option("Random seed.", default=0)
    config: Path | None = config_option()
    threads: int = threads_option()
    cluster: str | None = cluster_option()
    assignments: tuple[str, ...] = set_option()

    def run(self) -> None:
        from hyperbaton.models.system.training import train_system
        from hyperbaton.settings import TRAINING

        announce_compilation("hyperbaton.models.phrases.extraction")
        files = self.files()
        settings = self.settings(self.assignments, TRAINING)
        training = settings.training(self.distortion, self.seed, self.grammar)
        training = replace(training, rules_for=tuple(map(str, self.rules_for)))
        if self.lms:
            training = replace(training, lm=replace(training.lm, files=self.lms))
        with far_workers(self.cluster) as workers, reporting(resumes=True) as reporter:
            given = files, self.out, training, self.lm_texts, self.threads
            train_system(*given, reporter, workers=workers)
        say(f"trained: {self.out}\ntry: {program()} translate {quote(str(self.out))}")


train = command(Train)
