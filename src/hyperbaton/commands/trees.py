"""`hyperbaton trees`: parses tokenised text into dependency trees."""

from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import click

from hyperbaton.commands.output_files import STREAM
from hyperbaton.commands.parameters import REQUIRED, Command, argument, command, option, output
from hyperbaton.console import progress_line, say
from hyperbaton.foundation.errors import counted

LANGUAGES = (
    "ja",
)  # as hyperbaton.corpus.trees.parser.LOADERS, which is too heavy to import for --help


@dataclass(frozen=True, kw_only=True)
class Trees(Command):
    """Parse text into dependency trees (CoNLL-U).

    \b
    hyperbaton trees train.ja.gz --language ja --out train.ja.conllu.gz

    Other commands take the file as --source-tree and as --source-tags.

    The text must be tokenised; the parser keeps its tokens. Every line becomes one block, even an
    empty line. The output file appears only when it is complete.

    Japanese needs GiNZA: pip install 'hyperbaton[parse]'.
    """

    text: Path = argument(default=REQUIRED)
    language: str = option("Language of the text.", default=REQUIRED, type=click.Choice(LANGUAGES))
    out: Path = output("Write the trees here.", "-o", "--out", default=STREAM)

    def run(self) -> None:
        from hyperbaton.corpus.trees.parser import conllu_blocks, load_parser
        from hyperbaton.foundation.files.writing import open_to_write

        parser = load_parser(self.language)  # reports its absence before anything is read
        done = 0
        with (
            progress_line() as progress,
            closing(self._sentences()) as sentences,
            open_to_write(self.out) as stream,
        ):
            for done, block in enumerate(conllu_blocks(parser, sentences), 1):
                stream.write(block.encode())
                progress("parsing sentences", done)
        say(f"{counted(done, 'sentence')} parsed")

    def _sentences(self) -> Generator[list[str], None, None]:
        from hyperbaton.corpus.text import parse_lines, split_words

        for _, words in parse_lines(self.text, split_words):
            yield words


trees = command(Trees)
