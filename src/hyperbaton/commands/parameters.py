"""Commands as dataclasses: each field declares an option or an argument.

    @dataclass(frozen=True, kw_only=True)
    class Count(Command):
        '''Count the words of a file.'''

        text: Path = argument(default=REQUIRED)
        lowercase: bool = flag("Ignore case.")

        def run(self) -> None: ...

    count = command(Count)

The name of a field is the name of its option, and the type of the field is the type of the value.
The docstring of the class is the help text.
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
    """A path. The code that opens the file reports a missing one and suggests similar names."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("the file name is empty", param, ctx)
        return super().convert(value, param, ctx)


class _Limit(click.ParamType[int]):
    """A distortion limit: a whole number of words, or inf."""

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
    """Declares an option: its help text, names other than the field's, attributes for click.

    `sets` names the setting, `section.key`, for which the option is a shortcut.
    """
    return field(
        default=default,
        metadata={"names": names, "setting": sets, "attributes": {"help": text} | attributes},
    )


def flag(text: str, *names: str, sets: str = "") -> Any:
    """Declares an option without a value."""
    return option(text, *names, default=False, sets=sets)


def output(text: str, *names: str, default: Any = None) -> Any:
    """Declares an option that names a file to write."""
    declared = option(text, *names, default=default)
    return field(default=default, metadata={**declared.metadata, "is_output": True})


def argument(default: Any = None, **attributes: Any) -> Any:
    """Declares a positional argument."""
    return field(default=default, metadata={"setting": "", "attributes": attributes})


class Command(ABC):
    """Base class of all commands, which are frozen dataclasses with keyword-only fields."""

    headings: ClassVar[Mapping[str, Sequence[str]]] = {}  # heading in the help -> options

    @abstractmethod
    def run(self) -> None:
        """Runs the command: data on standard output, messages on standard error."""

    def check_outputs(self) -> None:
        """Checks before the work starts that all outputs are writable and distinct."""
        from hyperbaton.commands.output_files import check_outputs

        outputs: list[Path] = []
        inputs: list[Path] = []
        for declared in fields(self):  # type: ignore[arg-type]
            value = getattr(self, declared.name)
            values = value if isinstance(value, tuple) else (value,)
            kind = outputs if "is_output" in declared.metadata else inputs
            kind += [path for path in values if isinstance(path, Path)]
        check_outputs(outputs, inputs)

    def settings(
        self,
        assignments: tuple[str, ...],
        sections: Sequence[str],
        base: "Settings | None" = None,
    ) -> "Settings":
        """Settings: `base`, overridden by a TOML file, by shortcut options, and by `--set`, which
        may only change the sections that the command uses."""
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
    """The click command that fills a record from options and arguments, and runs it."""

    def call(**given: Any) -> None:
        filled = record(**{key: value for key, value in given.items() if value is not None})
        filled.check_outputs()
        filled.run()

    result = _CommandWithHeadings(
        name or record.__name__.lower(),
        callback=call,
        params=parameters(record),
        help=inspect.cleandoc(record.__doc__ or ""),
    )
    result.headings = record.headings
    return result


class _CommandWithHeadings(click.Command):
    """A command whose help groups options under headings; ungrouped options come last."""

    headings: Mapping[str, Sequence[str]]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        options = [param for param in self.get_params(ctx) if isinstance(param, click.Option)]
        records = {option.name: option.get_help_record(ctx) for option in options}
        for heading, names in [*self.headings.items(), ("Options", list(records))]:
            rows = [row for row in (records.pop(name, None) for name in names) if row]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)


def parameters(record: type) -> list[click.Parameter]:
    """The options and arguments declared by the fields of a record."""
    types = get_type_hints(record)
    return [_parameter(declared, types[declared.name]) for declared in fields(record)]


def _parameter(declared: Field[Any], taken: Any) -> click.Parameter:
    """The click parameter for a field; attributes given in the field take precedence."""
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


# Options shared by several commands; call one to declare a field
threads_option = partial(
    option, "Number of threads; it does not change the results.", default=2, type=POSITIVE
)
cluster_option = partial(
    option,
    "Run on a cluster: tcp://HOST:8786, local:N, or a file with a table [cluster] "
    "(docs/use/cluster.md).",
    metavar="ADDRESS",
    envvar="HYPERBATON_CLUSTER",
)
set_option = partial(
    option,
    "Change a setting; may be repeated.",
    "--set",
    default=(),
    metavar="SECTION.KEY=VALUE",
)
config_option = partial(option, "TOML file of settings, one table per section.")
plugins_option = partial(
    flag,
    "Load distortion models from other packages if the system names them. They run as code: allow "
    "this only for systems that you trust.",
)
language_options = tuple(
    partial(
        option,
        f"Language of the raw {side} text (en, ja, …); without it, the text must be tokenised.",
        sets=f"text.{side}_language",
        metavar="CODE",
    )
    for side in ("source", "target")
)
limit_option = partial(
    option, "Maximum jump in words, or inf.", sets="search.distortion_limit", type=_Limit()
)


@dataclass(frozen=True, kw_only=True)
class SearchCommand(Command):
    """A command that translates with a trained system."""

    model: Path = argument(default=REQUIRED, metavar="SYSTEM")
    source_tags: Path | None = option("Tags of the input, or CoNLL-U.")
    source_tree: Path | None = option("Trees of the input: PTB brackets, or CoNLL-U.")
    factored: bool = flag("Input words have the form word|tag.")
    tokenised: bool = flag("The text is already tokenised, although the system takes raw text.")
    distortion: tuple[str, ...] = option(
        "Use this distortion model (a name or module:Class) instead of those of the system; may be "
        "repeated.",
        default=(),
        metavar="NAME[,KEY=VALUE…]",
    )
    allow_plugins: bool = plugins_option()
    distortion_limit: int | None = limit_option()
    stack_size: int | None = option(
        "Maximum hypotheses per stack; 0: no limit.", sets="search.stack_size", type=NOT_NEGATIVE
    )
    pop_limit: int | None = option(
        "Effort per stack, two for each step taken; 0: no limit.",
        sets="search.pop_limit",
        type=NOT_NEGATIVE,
    )
    chart_span: int | None = option(
        "Most words that a hierarchical rule may cover; 0: all.",
        sets="search.chart_span",
        type=NOT_NEGATIVE,
    )
    time_limit: float | None = option(
        "Seconds of search per sentence; afterwards the beam narrows. 0: no limit.",
        sets="search.time_limit",
        type=click.FloatRange(min=0),
        metavar="SECONDS",
    )
    drop_unknown: bool = flag(
        "Omit unknown words from the translation.", sets="search.drop_unknown"
    )
    config: Path | None = config_option()
    assignments: tuple[str, ...] = set_option()

    def text(self) -> "TextPipelines | None":
        """The tokenisers of the system; None if the text is tokenised. Raises if one is missing."""
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
        """Loads the system; with `lattice`, its search records lattices."""
        from hyperbaton.settings import settings_of_system

        saved = settings_of_system(self.model)
        search = self.settings(self.assignments, ["search"], saved).search
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
    """A command that translates text with marked terms, zones and walls."""

    markup: str = option(
        "How to treat markup: the translation of a marked term replaces those of the phrase table "
        "(exclusive), competes with them (inclusive) or restricts them (constraint); or remove "
        "the tags (ignore), or translate them as text (pass-through).",
        default="pass-through",
        type=click.Choice([*TERM_MODES, "ignore", "pass-through"]),
    )
    glossary: Path | None = option(
        "File of terms and their translations, one per line: term, translation and optional "
        "probability, separated by tabs."
    )
    glossary_mode: str = option(
        "How glossary translations combine with the phrase table; see --markup.",
        default="exclusive",
        type=click.Choice(TERM_MODES),
    )

    def marking(self) -> "Marking":
        """How the input is marked. Raises if the glossary cannot be read."""
        from hyperbaton.corpus.sentences.glossary import read_glossary
        from hyperbaton.corpus.sentences.marking import Marking

        if self.glossary is None:
            return Marking(self.markup)
        glossary, text = read_glossary(self.glossary, self.glossary_mode), self.text()
        return Marking(self.markup, glossary if text is None else text.glossary(glossary))

    def read(
        self, source: Path, marking: "Marking", alignment: Path | None = None
    ) -> "Generator[Sentence | BadLine, None, None]":
        """Yields each sentence of a file with its marks, or the error in its line; `alignment` is
        the word alignment with the reference."""
        from hyperbaton.corpus.corpora.reading import SourceFiles, read_marked_sentences

        files = SourceFiles(source, self.source_tags, self.source_tree, alignment)
        return read_marked_sentences(files, marking, self.parser())

    def parser(self) -> "Callable[[Marked], Sentence]":
        """Returns a function that turns a line with parsed markup into a sentence."""
        from hyperbaton.corpus.sentences.marking import marked_sentence

        text = self.text()
        return partial(marked_sentence, factored=self.factored) if text is None else text.marked


@dataclass(frozen=True, kw_only=True)
class CorpusCommand(Command):
    """A command that reads a parallel corpus or an embedded sample."""

    source: Path | None = option("Source text, one sentence per line.")
    target: Path | None = option("Target text, with the same number of lines.")
    alignment: Path | None = option("Word alignment in Pharaoh format (0-0 1-2).")
    source_tags: Path | None = option("One tag per source word, or CoNLL-U.")
    target_tags: Path | None = option("One tag per target word, or CoNLL-U.")
    source_tree: Path | None = option("Source trees: PTB brackets, or CoNLL-U.")
    sample: str | None = option("Use an embedded sample instead: ja-en or zh-en.")
    skip_bad: bool = flag(
        "Skip and count bad sentence pairs instead of stopping.", sets="corpus.skip_bad"
    )

    def files(self, split: str = "train", *, aligned: bool = True) -> "CorpusFiles":
        """The files given as options, or those of the sample."""
        from hyperbaton.corpus.corpora.reading import CorpusFiles
        from hyperbaton.samples import sample_files

        given = {file.name: getattr(self, file.name) for file in fields(CorpusFiles)}
        if self.sample is not None:
            if any(given.values()):
                raise click.UsageError("give either --sample or corpus files, not both")
            return sample_files(self.sample, split)
        if self.source is None or self.target is None or (aligned and self.alignment is None):
            wanted = "--source, --target and --alignment" if aligned else "--source and --target"
            raise click.UsageError(f"give {wanted}, or --sample")
        return CorpusFiles(**given)


@dataclass(frozen=True, kw_only=True)
class TextCommand(CorpusCommand):
    """A command that accepts a corpus of raw text."""

    source_language: str | None = language_options[0]()
    target_language: str | None = language_options[1]()
