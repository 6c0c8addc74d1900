"""`hyperbaton train`: from a parallel corpus to a translation system."""

from dataclasses import dataclass, replace
from pathlib import Path
from shlex import quote

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
    """Train a translation system from a word-aligned corpus.

    \b
    hyperbaton train --source train.ja --target train.en \\
        --alignment train.align --out system
    hyperbaton train --sample ja-en --distortion pair --out system

    Makes a phrase table with reordering scores, a language model, word classes, and whatever the
    distortion models learn (hyperbaton info lists them). Stages whose inputs have not
    changed are not run again. A run that is stopped halfway leaves the old system, or none, and the
    next run resumes after the last finished stage, in a phrase table after its last finished piece.
    --set train.memory=1GB bounds the memory of the phrase table, of counting n-grams and of the
    features of pair and sequence. The memory shown is the peak of the process so far.

    With --source-language and --target-language, text is raw: the system learns how to cut it, and
    translates raw text (docs/use/text.md). Align with the same options.
    """

    out: Path = option("Folder of the system; made if missing.", "-o", "--out", default=REQUIRED)
    lm_order: int | None = option("Order of the language model.  [default: 5]", sets="lm.order")
    lm_texts: tuple[Path, ...] = option(
        "More target text for the language model; may be given several times.",
        "--lm-text",
        default=(),
    )
    lms: tuple[str, ...] = option(
        "Use this language model, an ARPA file or KenLM binary, instead of one of the target text; "
        "with a NAME, beside it, as feature lm.NAME; may be given several times.",
        "--lm",
        default=(),
        metavar="[NAME=]FILE",
    )
    lm_classes: int | None = option(
        "Also train a language model of this many word classes, as feature lm.classes.",
        sets="lm.classes",
        type=POSITIVE,
    )
    max_phrase_length: int | None = option(
        "Words of a phrase, 1 to 8.  [default: 7]", sets="phrases.max_length"
    )
    distortion: tuple[str, ...] = option(
        "Fit this distortion model; may be given several times.  [default: linear msd]",
        default=(),
        metavar="NAME[,KEY=VALUE…]",
    )
    seed: int = option("Seed of all random steps.", default=0)
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
        training = settings.training(self.distortion, self.seed)
        if self.lms:
            training = replace(training, lm=replace(training.lm, files=self.lms))
        with far_workers(self.cluster) as workers, reporting(resumes=True) as reporter:
            given = files, self.out, training, self.lm_texts, self.threads
            train_system(*given, reporter, workers=workers)
        say(f"trained: {self.out}\ntry: {program()} translate {quote(str(self.out))}")


train = command(Train)
