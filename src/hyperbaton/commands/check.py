"""`hyperbaton check`: verifies the files of a system."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from hyperbaton.commands.parameters import (
    REQUIRED,
    Command,
    argument,
    command,
    flag,
    threads_option,
)
from hyperbaton.console import announce_compilation, say

N_WORDS = 20  # of the sentence that is translated


@dataclass(frozen=True, kw_only=True)
class Check(Command):
    """Verify that no file of a system is damaged.

    \b
    hyperbaton check system
    hyperbaton check system --repair

    Compares the hash of every file with the one recorded in training, checks the structure of the
    data, and translates a sentence. With --repair, retrains damaged parts from the files that
    model.toml names, if those are unchanged; the weights are kept. The exit code is 1 if the system
    is damaged.
    """

    model: Path = argument(default=REQUIRED, metavar="SYSTEM")
    repair: bool = flag("Retrain damaged parts.")
    allow_plugins: bool = flag("Load distortion models from other packages; see translate --help.")
    threads: int = threads_option()

    def run(self) -> None:
        announce_compilation("hyperbaton.decoder.search")
        is_whole = self.is_whole()
        if not is_whole and self.repair:
            say("retraining damaged parts")
            train_again(self.model, self.threads)
            is_whole = self.is_whole()
        if not is_whole:
            advice = "" if self.repair else "; hyperbaton check --repair may repair it"
            say(f"{self.model} is damaged{advice}")
            raise click.exceptions.Exit(1)
        words = translate_something(self.model, allow_plugins=self.allow_plugins)
        print(f"{self.model} is intact; translated {words} words")

    def is_whole(self) -> bool:
        from hyperbaton.models.system.checking import check_parts

        problems = 0
        for part in check_parts(self.model, allow_plugins=self.allow_plugins):
            print(f"{part.name}: {part.problem or 'intact'}")
            problems += bool(part.problem)
        return not problems


check = command(Check)


def train_again(model: Path, threads: int) -> None:
    import hyperbaton
    from hyperbaton.models.system.checking import recorded_files
    from hyperbaton.models.system.folder import read_system

    files: dict[str, Any] = recorded_files(model)
    content = read_system(model)
    settings = dict(content["settings"])
    text = content.get("text", {})
    if text:
        settings["text"] = {"split": text["split"]} | {
            f"{side}_{key}": text[side][key]
            for side in ("source", "target")
            for key in ("language", "tokeniser", "case")
        }
    hyperbaton.train(
        **files,
        out=model,
        lm_texts=content.get("training", {}).get("lm_texts", ()),
        threads=threads,
        verbose=say,
        **settings,
    )


def translate_something(model: Path, *, allow_plugins: bool) -> int:
    """Translates some words that the system knows and returns their number."""
    from hyperbaton.corpus.sentences.sentence import Sentence
    from hyperbaton.decoder.translator import Translator
    from hyperbaton.foundation.files.vocabulary import SPECIAL
    from hyperbaton.models.rules.table import RuleTable

    translator = Translator.load(model, allow_plugins=allow_plugins)
    if isinstance(translator.phrases, RuleTable) and len(translator.phrases.sentences):
        return 0  # it has rules for other sentences
    known = translator.phrases.source_vocabulary.words[len(SPECIAL) :]
    words = known[:N_WORDS]
    if words:
        translator.translate(Sentence(words))
    return len(words)
