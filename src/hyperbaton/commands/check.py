"""`hyperbaton check`: is a system whole?"""

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

    Reads every byte of the system's parts, compares it with the fingerprints from its training,
    checks the structure that translating relies on, and translates a sentence. With --repair, what
    is damaged is trained again from the files that model.toml names, if they are still the same;
    weights stay as they are. The exit code is 1 if the system is damaged.
    """

    model: Path = argument(default=REQUIRED, metavar="SYSTEM")
    repair: bool = flag("Train again what is damaged.")
    allow_plugins: bool = flag("Trust the system to name models that are not part of hyperbaton.")
    threads: int = threads_option()

    def run(self) -> None:
        announce_compilation("hyperbaton.decoder.search")
        is_whole = self.is_whole()
        if not is_whole and self.repair:
            say("making again what is damaged")
            train_again(self.model, self.threads)
            is_whole = self.is_whole()
        if not is_whole:
            advice = "" if self.repair else "; hyperbaton check --repair may mend it"
            say(f"{self.model} is damaged{advice}")
            raise click.exceptions.Exit(1)
        words = translate_something(self.model, allow_plugins=self.allow_plugins)
        print(f"{self.model} is whole; {words} words were translated")

    def is_whole(self) -> bool:
        from hyperbaton.models.system.checking import check_parts

        problems = 0
        for part in check_parts(self.model, allow_plugins=self.allow_plugins):
            print(f"{part.name}: {part.problem or 'whole'}")
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
    """Translates some of the words that the system knows; how many."""
    from hyperbaton.corpus.sentences.sentence import Sentence
    from hyperbaton.decoder.translator import Translator
    from hyperbaton.foundation.files.vocabulary import SPECIAL

    translator = Translator.load(model, allow_plugins=allow_plugins)
    known = translator.phrases.source_vocabulary.words[len(SPECIAL) :]
    words = known[:N_WORDS]
    if words:
        translator.translate(Sentence(words))
    return len(words)
