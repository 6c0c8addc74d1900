"""Commands as records: what a command takes is declared once, as the fields of a dataclass.

    @dataclass(frozen=True, kw_only=True)
    class Count(Command):
        '''Count the words of a file.'''

        text: Path = argument(default=REQUIRED)
        lowercase: bool = flag("Ignore case.")

        def run(self) -> None: ...

    count = command(Count)

A field's name is the name of its option, and its type says what the option takes. The docstring of
the class is the help text.
"""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any, ClassVar, get_args, get_origin, get_type_hints

import click

from hyperbaton.console import say
from hyperbaton.foundation.settings_text import NO_LIMIT, parse_limit

if TYPE_CHECKING:
    from hyperbaton.corpus.corpora.reading import CorpusFiles
    from hyperbaton.corpus.raw_text.both_sides import TextPipelines
    from hyperbaton.corpus.sentences.marking import Marking
    from hyperbaton.corpus.sentences.markup_text import Marked
    from hyperbaton.corpus.sentences.sentence import Sentence
    from hyperbaton.decoder.recipe import Origin
    from hyperbaton.decoder.translator import Translator
    from hyperbaton.foundation.errors import BadLine
    from hyperbaton.settings import Settings


class _File(click.Path):
    """A path. Whoever opens the file checks that it exists, and suggests similar names."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("an empty name is not a file", param, ctx)
        return super().convert(value, param, ctx)


class _Limit(click.ParamType[int]):
    """A distortion limit: a whole number, or inf for none."""

    name = "N|inf"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> int:
        try:
            number = parse_limit(str(value))
        except ValueError:
            number = NO_LIMIT - 1
        if number < NO_LIMIT:
            self.fail(f"{value!r} is not a number of words or inf", param, ctx)
        return number


REQUIRED = MISSING  # as a default
TERM_MODES = ("exclusive", "inclusive", "constraint")
FILE = _File(path_type=Path)
NOT_NEGATIVE, POSITIVE = click.IntRange(min=0), click.IntRange(min=1)


def option(
    text: str = "", *names: str, default: Any = None, sets: str = "", **attributes: Any
) -> Any:
    """A field that is an option: its help text, names other than the field's, click's attributes.

    `sets` is the setting, `section.key`, that the option is a shortcut for.
    """
    return field(
        default=default,
        metadata={"names": names, "setting": sets, "attributes": {"help": text} | attributes},
    )


def flag(text: str, *names: str, sets: str = "") -> Any:
    """A field that is an option without a value."""
    return option(text, *names, default=False, sets=sets)


def output(text: str, *names: str, default: Any = None) -> Any:
    """A field that is an option for a file to write."""
    made = option(text, *names, default=default)
    return field(default=default, metadata={**made.metadata, "is_output": True})


def argument(default: Any = None, **attributes: Any) -> Any:
    """A field that is given by its position on the command line."""
    return field(default=default, metadata={"setting": "", "attributes": attributes})


class Command(ABC):
    """What all commands share. They are frozen dataclasses with keyword-only fields."""

    headings: ClassVar[Mapping[str, Sequence[str]]] = {}  # of options in help, if there are many

    @abstractmethod
    def run(self) -> None:
        """Does the work: data on standard output, messages on standard error."""

    def check_outputs(self) -> None:
        """Refuses, before the work begins, outputs that cannot be written or would be mixed up."""
        from hyperbaton.commands.output_files import check_outputs

        outputs: list[Path] = []
        inputs: list[Path] = []
        for declared in fields(self):  # type: ignore[arg-type]
            value = getattr(self, declared.name)
            values = value if isinstance(value, tuple) else (value,)
            kind = outputs if "is_output" in declared.metadata else inputs
            kind += [one for one in values if isinstance(one, Path)]
        check_outputs(outputs, inputs)

    def settings(
        self,
        assignments: tuple[str, ...],
        sections: Sequence[str],
        base: "Settings | None" = None,
    ) -> "Settings":
        """`base` under a TOML file, the options that stand for settings, and `--set`, which may
        only change the sections that the command uses."""
        from hyperbaton.settings import Settings, load_settings

        shortcuts = [
            f"{declared.metadata['setting']}={value}"
            for declared in fields(self)  # type: ignore[arg-type]
            if declared.metadata["setting"]
            and (value := getattr(self, declared.name)) is not None
            and value is not False
        ]
        config: Path | None = getattr(self, "config", None)
        return load_settings([*shortcuts, *assignments], config, base or Settings(), sections)


def command(record: type[Command], name: str = "") -> click.Command:
    """The command that makes a record from its options and arguments, and runs it."""

    def call(**given: Any) -> None:
        made = record(**{key: value for key, value in given.items() if value is not None})
        made.check_outputs()
        made.run()

    made = _CommandWithHeadings(
        name or record.__name__.lower(),
        callback=call,
        params=parameters(record),
        help=inspect.cleandoc(record.__doc__ or ""),
    )
    made.headings = record.headings
    return made


class _CommandWithHeadings(click.Command):
    """A command whose options stand under headings in its help; the others come last."""

    headings: Mapping[str, Sequence[str]]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = [one for one in self.get_params(ctx) if isinstance(one, click.Option)]
        left = {one.name: one.get_help_record(ctx) for one in options}
        for heading, names in [*self.headings.items(), ("Options", list(left))]:
            rows = [row for row in (left.pop(name, None) for name in names) if row]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


def parameters(record: type) -> list[click.Parameter]:
    """The options and arguments that the fields of a record declare."""
    types = get_type_hints(record)
    return [_parameter(declared, types[declared.name]) for declared in fields(record)]


def _parameter(declared: Field[Any], taken: Any) -> click.Parameter:
    """click's parameter for a field of some type; the field's own attributes win."""
    several, default = get_origin(taken) is tuple, declared.default
    attributes: dict[str, Any] = {"required": default is REQUIRED}
    if taken is bool:
        attributes["is_flag"] = True
    else:
        kinds = [kind for kind in get_args(taken) if kind not in (NoneType, ...)] or [taken]
        attributes["type"] = FILE if kinds[0] is Path else kinds[0]
    if default is not REQUIRED and default is not False and default not in (None, (), ""):
        attributes["default"] = default
    if "names" not in declared.metadata:
        attributes["nargs"] = -1 if several else 1
        return click.Argument([declared.name], **attributes | declared.metadata["attributes"])
    names = declared.metadata["names"] or [f"--{declared.name.replace('_', '-')}"]
    attributes |= {"multiple": several, "show_default": "default" in attributes}
    return click.Option([*names, declared.name], **attributes | declared.metadata["attributes"])


# Options that several commands share; a field is made by calling them
threads_option = partial(
    option, "Threads to use; results do not depend on it.", default=2, type=POSITIVE
)
cluster_option = partial(
    option,
    "Do the work on a cluster: tcp://HOST:8786, local:N, or a file with a table [cluster] "
    "(docs/use/cluster.md).",
    metavar="ADDRESS",
    envvar="HYPERBATON_CLUSTER",
)
set_option = partial(
    option,
    "Change a setting; may be given several times.",
    "--set",
    default=(),
    metavar="SECTION.KEY=VALUE",
)
config_option = partial(option, "TOML file with settings, by section.")
plugins_option = partial(
    flag,
    "Also load distortion models that the system names and that are not part of hyperbaton. They "
    "are programs: allow them only in systems that you trust.",
)
language_options = tuple(
    partial(
        option,
        f"Language of the {side}, which is raw text: en, ja, …; without it, text is tokens.",
        sets=f"text.{side}_language",
        metavar="CODE",
    )
    for side in ("source", "target")
)
limit_option = partial(
    option, "Longest jump in words, or inf.", sets="search.distortion_limit", type=_Limit()
)


@dataclass(frozen=True, kw_only=True)
class SearchCommand(Command):
    """A command that translates with a trained system."""

    model: Path = argument(default=REQUIRED, metavar="SYSTEM")
    source_tags: Path | None = option("Tags of the input, or CoNLL-U.")
    source_tree: Path | None = option("Trees of the input: PTB brackets, or CoNLL-U.")
    factored: bool = flag("The input is written word|tag.")
    tokenised: bool = flag("Text is tokens, though the system takes raw text.")
    distortion: tuple[str, ...] = option(
        "Use this distortion model (a name or module:Class) instead of all that the system has; "
        "may be given several times.",
        default=(),
        metavar="NAME[,KEY=VALUE…]",
    )
    allow_plugins: bool = plugins_option()
    distortion_limit: int | None = limit_option()
    stack_size: int | None = option(
        "Hypotheses per stack; 0: all.", sets="search.stack_size", type=NOT_NEGATIVE
    )
    pop_limit: int | None = option(
        "Steps tried per stack; 0: all.", sets="search.pop_limit", type=NOT_NEGATIVE
    )
    time_limit: float | None = option(
        "Time for the search of each sentence; when it is up, few steps are tried for the rest of "
        "the sentence. 0: no limit.",
        sets="search.time_limit",
        type=click.FloatRange(min=0),
        metavar="SECONDS",
    )
    drop_unknown: bool = flag("Leave unknown words out.", sets="search.drop_unknown")
    config: Path | None = config_option()
    assignments: tuple[str, ...] = set_option()

    def text(self) -> "TextPipelines | None":
        """What makes tokens of text, unless it is tokens already; a missing package is an error."""
        from hyperbaton.models.system.folder import load_text

        if self.tokenised or self.factored:
            return None
        text = load_text(self.model)
        if text is not None:
            text.source.tokeniser.load()
        return text

    def origin(self) -> "Origin":
        from hyperbaton.decoder.recipe import Origin

        return Origin(self.model, self.distortion, self.allow_plugins)

    def translator(self, *, lattice: bool = False) -> "Translator":
        """The system; `lattice`: with search lattices."""
        from hyperbaton.settings import settings_of_system

        own = settings_of_system(self.model)
        search = self.settings(self.assignments, ["search"], own).search
        search = replace(search, lattice=search.lattice or lattice)
        translator = self.origin().load(search)
        if self.tokenised or self.factored:
            translator = translator.for_tokens()
        for difference in translator.preparation.differences():
            say(difference)
        tagger = translator.own_tagger
        if tagger is not None and self.source_tags is None and not self.factored:
            say(tagger.notice())
        return translator


@dataclass(frozen=True, kw_only=True)
class MarkedCommand(SearchCommand):
    """A command that translates text in which terms, zones and walls may be marked."""

    markup: str = option(
        "What to do with markup in the input: how the translations of its terms go with those of "
        "the phrase table, or ignore it, or take it for text.",
        default="pass-through",
        type=click.Choice([*TERM_MODES, "ignore", "pass-through"]),
    )
    glossary: Path | None = option(
        "Translate terms as this file says; its lines have a term, its translation and perhaps a "
        "probability, with tabs between them."
    )
    glossary_mode: str = option(
        "How the translations of the glossary go with those of the phrase table.",
        default="exclusive",
        type=click.Choice(TERM_MODES),
    )

    def marking(self) -> "Marking":
        """How the input is marked; a glossary that cannot be read is an error."""
        from hyperbaton.corpus.sentences.glossary import read_glossary
        from hyperbaton.corpus.sentences.marking import Marking

        if self.glossary is None:
            return Marking(self.markup)
        glossary, text = read_glossary(self.glossary, self.glossary_mode), self.text()
        return Marking(self.markup, glossary if text is None else text.glossary(glossary))

    def read(
        self, source: Path, marking: "Marking", alignment: Path | None = None
    ) -> "Generator[Sentence | BadLine, None, None]":
        """The sentences of a file with their marks, or what is wrong with a line; the `alignment`
        is that with the reference."""
        from hyperbaton.corpus.corpora.reading import SourceFiles, read_marked_sentences

        files = SourceFiles(source, self.source_tags, self.source_tree, alignment)
        return read_marked_sentences(files, marking, self.parser())

    def parser(self) -> "Callable[[Marked], Sentence]":
        """Makes the sentence of a line, whose markup was read."""
        from hyperbaton.corpus.sentences.marking import marked_sentence

        text = self.text()
        return partial(marked_sentence, factored=self.factored) if text is None else text.marked


@dataclass(frozen=True, kw_only=True)
class CorpusCommand(Command):
    """A command that reads a parallel corpus, or a sample in its place."""

    source: Path | None = option("Source text, one sentence a line.")
    target: Path | None = option("Target text, as many lines.")
    alignment: Path | None = option("Word alignment in Pharaoh format (0-0 1-2).")
    source_tags: Path | None = option("One tag per source word, or CoNLL-U.")
    target_tags: Path | None = option("One tag per target word, or CoNLL-U.")
    source_tree: Path | None = option("Source trees: PTB brackets, or CoNLL-U.")
    sample: str | None = option("Use an embedded sample instead: ja-en or zh-en.")
    skip_bad: bool = flag(
        "Leave bad pairs out and count them, instead of stopping.", sets="corpus.skip_bad"
    )

    def files(self, split: str = "train", *, aligned: bool = True) -> "CorpusFiles":
        """The files that were given, or those of the sample."""
        from hyperbaton.corpus.corpora.reading import CorpusFiles
        from hyperbaton.samples import sample_files

        given = {file.name: getattr(self, file.name) for file in fields(CorpusFiles)}
        if self.sample is not None:
            if any(given.values()):
                raise click.UsageError("give either --sample or files of your own, not both")
            return sample_files(self.sample, split)
        if self.source is None or self.target is None or (aligned and self.alignment is None):
            wanted = "--source, --target and --alignment" if aligned else "--source and --target"
            raise click.UsageError(f"give {wanted}, or --sample")
        return CorpusFiles(**given)


@dataclass(frozen=True, kw_only=True)
class TextCommand(CorpusCommand):
    """A command whose corpus may be raw text."""

    source_language: str | None = language_options[0]()
    target_language: str | None = language_options[1]()
