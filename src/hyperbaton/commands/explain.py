"""`hyperbaton explain`: why a sentence was translated as it was."""

import re
import shlex
import sys
import warnings
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hyperbaton.commands.parameters import (
    NOT_NEGATIVE,
    POSITIVE,
    MarkedCommand,
    argument,
    command,
    flag,
    option,
    output,
)
from hyperbaton.console import announce_compilation, say
from hyperbaton.foundation.errors import BadLine, DataError, SettingError, counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from hyperbaton.corpus.sentences.sentence import Sentence
    from hyperbaton.decoder.decoded import Decoded
    from hyperbaton.views.explanation_text import Explained

N_ALTERNATIVES = 5


@dataclass(frozen=True, kw_only=True)
class Explain(MarkedCommand):
    """Show how a sentence is translated, step by step, and why.

    \b
    hyperbaton explain system "kare wa hon o katta ." --steps
    hyperbaton explain system --input test.ja --line 7 --n-best 3 --plot line7.svg

    Shows the phrases in their order, with jumps and the words covered so far, and what each feature
    contributes to the score. --steps also takes every step apart: its features, and how the models
    scored the phrases that could have come instead. SENTENCE may be - for standard input.
    """

    words: tuple[str, ...] = argument(default=(), metavar="[SENTENCE]...")
    source: Path | None = option("Take the sentence from this file.", "--input")
    line: int = option("Line of the file.", default=1, type=POSITIVE)
    reference: str = option(
        "A translation to compare with, or a file with one for each line of --input.",
        default="",
        metavar="TEXT|FILE",
    )
    n_best: int = option("Derivations to compare.", default=1, type=POSITIVE)
    alternatives: int = option(
        "Other spans to show at each step.", default=N_ALTERNATIVES, type=NOT_NEGATIVE
    )
    steps: bool = flag("Also take every step apart, with what could have come instead.")
    form: str = option("", "--format", default="table", type=click.Choice(["table", "json"]))
    plot: Path | None = output("Draw the derivations (svg, png or pdf).")
    heat_map: Path | None = output("Draw the models' scores for pairs of words.")

    def run(self) -> None:
        if (self.source is None) == (not self.words):
            raise click.UsageError("give a sentence, or --input FILE")
        if self.source is None and (self.source_tags or self.source_tree):
            raise click.UsageError(
                "tags and trees of files need --input; a sentence may be --factored"
            )
        from hyperbaton.views.explanation_text import as_json, blocks, explain_derivations
        from hyperbaton.views.picture_files import check_picture
        from hyperbaton.views.text_tables import print_blocks
        from hyperbaton.views.translation_text import remarks

        announce_compilation("hyperbaton.decoder.search")
        for path in filter(None, (self.plot, self.heat_map)):
            check_picture(path)
        sentence, reference = self.sentence(), self.reference_text()
        translator = self.translator()
        reference = " ".join(translator.preparation.split(reference))
        decoded = translator.decode(sentence, self.n_best)
        explained = explain_derivations(translator, decoded, reference, self.alternatives)
        for remark in remarks(decoded):
            say(remark)
        if self.form == "json":
            print(as_json(explained))
        else:
            print_blocks(blocks(explained, steps=self.steps))
        sys.stdout.flush()
        if self.plot is not None:
            draw_derivations(explained, self.plot)
        if self.heat_map is not None:
            draw_heat_maps(decoded, self.heat_map)

    def sentence(self) -> "Sentence":
        """From the file, standard input or the command line."""
        if self.source is not None:
            sentence = self._line_of_file(self.source)
        else:
            text = _standard_input() if self.words == ("-",) else " ".join(self.words)
            marking = self.marking()
            sentence = marking.mark(self.parser()(marking.read(text)))
        if not len(sentence):
            raise SettingError(
                "there is no word to translate",
                expected="expected a sentence: hyperbaton explain "
                f'{shlex.quote(str(self.model))} "words of it"',
            )
        return sentence

    def _line_of_file(self, source: Path) -> "Sentence":
        with closing(self.read(source, self.marking())) as sentences:
            for sentence in islice(sentences, self.line - 1, None):
                if isinstance(sentence, BadLine):
                    raise sentence
                return sentence
        raise DataError(f"has no line {self.line}", where=str(source))

    def reference_text(self) -> str:
        """The text that was given, or the sentence's line in the file of that name."""
        from hyperbaton.corpus.text import parse_lines, read_lines
        from hyperbaton.tuning.evaluation.references import check_line_counts

        path = Path(self.reference)
        if not _is_file(path):
            return self.reference
        lines = [line for _, line in parse_lines(path, str)]
        if self.source is None:
            if len(lines) != 1:
                raise DataError(
                    f"has {counted(len(lines), 'line')}",
                    where=str(path),
                    expected="expected one, for the sentence that was given",
                    advice="give the sentences as a file too: --input FILE --line N",
                )
            return lines[0]
        counts = {str(path): len(lines)}
        if str(self.source) != "-":  # standard input cannot be read twice
            counts[str(self.source)] = sum(1 for _ in read_lines(self.source))
        check_line_counts(counts)
        if self.line > len(lines):
            raise DataError(f"has no line {self.line}", where=str(path))
        return lines[self.line - 1]


explain = command(Explain)


def draw_derivations(explained: "Explained", path: Path) -> None:
    from hyperbaton.decoder.drawing.derivation_svg import derivations_svg
    from hyperbaton.foundation.files.writing import open_to_write

    titles = []
    if len(explained.derivations) > 1:
        titles = [
            f"{number}: score {explanation.score:.4f}"
            for number, explanation in enumerate(explained.derivations, 1)
        ]
    svg = derivations_svg([one.derivation for one in explained.derivations], titles)
    if path.suffix.lower() == ".svg":
        with open_to_write(path) as stream:
            stream.write(svg.encode())
        return
    from hyperbaton.views.svg_painting import picture_of_svg

    _save(lambda: picture_of_svg(svg), path)


def draw_heat_maps(decoded: "Decoded", path: Path) -> None:
    from hyperbaton.tuning.evaluation.heat_map_pictures import picture_of_heat_maps

    heat_maps = [heat_map for scorer in decoded.scorers for heat_map in scorer.heat_maps()]
    if not heat_maps:
        raise DataError(
            "there is nothing to draw, because no distortion model that was used has a heat map",
            where=str(path),
            advice="leave --heat-map out, or use a model that scores pairs of words",
        )
    _save(lambda: picture_of_heat_maps(heat_maps), path)


def _save(draw: Callable[[], "Figure"], path: Path) -> None:
    from hyperbaton.tuning.evaluation.figures import MISSING_GLYPH, drawing
    from hyperbaton.views.picture_files import save_picture

    with warnings.catch_warnings(record=True) as caught, drawing():
        warnings.simplefilter("always")
        save_picture(draw(), path)
    found = [re.search(MISSING_GLYPH, str(warning.message)) for warning in caught]
    missing = {chr(int(glyph[1])) for glyph in found if glyph}
    if missing:
        say(
            f"hyperbaton: {path}: no installed font has {''.join(sorted(missing)[:20])!r}: the "
            "picture has boxes in their place\n"
            "  install a font (Noto Sans CJK has Chinese, Japanese and Korean), or draw an SVG"
        )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # a long text is no name
        return False


def _standard_input() -> str:
    """Its only line with words."""
    from hyperbaton.corpus.text import read_lines, split_words

    found = []
    for number, line in read_lines(Path("-")):
        if isinstance(line, BadLine):
            line.where = f"standard input:{number}"
            raise line
        if split_words(line):
            found.append(line)
    if len(found) > 1:
        raise DataError(
            f"has {counted(len(found), 'sentence')}",
            where="standard input",
            expected="expected one",
            advice="put them into a file and give --input FILE --line N",
        )
    return found[0] if found else ""
