"""`hyperbaton explain`: shows why a sentence was translated as it was."""

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
    from hyperbaton.decoder.chart_decoded import ChartDecoded
    from hyperbaton.decoder.decoded import Decoded
    from hyperbaton.decoder.translator import Translator
    from hyperbaton.views.explanation_text import Explained

N_ALTERNATIVES = 5


@dataclass(frozen=True, kw_only=True)
class Explain(MarkedCommand):
    """Show how a sentence is translated, step by step, and why.

    \b
    hyperbaton explain system "kare wa hon o katta ." --steps
    hyperbaton explain system --input test.ja --line 7 --n-best 3 --plot line7.svg

    Shows the phrases in translation order with jumps and coverage, and the contribution of each
    feature to the score. --steps also shows, for every step, its features and the scores of
    alternative spans. SENTENCE may be - for standard input.
    """

    words: tuple[str, ...] = argument(default=(), metavar="[SENTENCE]...")
    source: Path | None = option("Read the sentence from this file.", "--input")
    line: int = option("Line number in the file.", default=1, type=POSITIVE)
    reference: str = option(
        "Reference to compare with, or a file with one for each line of --input.",
        default="",
        metavar="TEXT|FILE",
    )
    n_best: int = option("Number of derivations to show.", default=1, type=POSITIVE)
    alternatives: int = option(
        "Number of alternative spans to show at each step.",
        default=N_ALTERNATIVES,
        type=NOT_NEGATIVE,
    )
    steps: bool = flag("Also show the features and alternatives of every step.")
    form: str = option(
        "Output format.", "--format", default="table", type=click.Choice(["table", "json"])
    )
    plot: Path | None = output("Draw the derivations (svg, png or pdf).")
    heat_map: Path | None = output("Draw the models' scores for word pairs (svg, png or pdf).")

    def run(self) -> None:
        if (self.source is None) == (not self.words):
            raise click.UsageError("give a sentence, or --input FILE")
        if self.source is None and (self.source_tags or self.source_tree):
            raise click.UsageError(
                "--source-tags and --source-tree need --input; for a sentence, use --factored"
            )
        from hyperbaton.decoder.chart_decoded import ChartDecoded
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
        if isinstance(decoded, ChartDecoded):
            self.show_trees(translator, decoded)
            return
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

    def show_trees(self, translator: "Translator", decoded: "ChartDecoded") -> None:
        """Shows derivations of hierarchical rules."""
        from hyperbaton.decoder.chart_explanation import rules_of
        from hyperbaton.views.chart_text import chart_blocks, chart_json, tree_picture
        from hyperbaton.views.text_tables import print_blocks

        if self.heat_map is not None:
            draw_heat_maps(decoded, self.heat_map)  # refused
        trees = [rules_of(translator, decoded, number) for number in range(len(decoded))]
        results = translator.results(decoded)
        if self.form == "json":
            print(chart_json(results, trees, translator.weights))
        else:
            print_blocks(chart_blocks(results, trees, translator.weights))
        sys.stdout.flush()
        if self.plot is not None:
            _save_svg(tree_picture(results[0], trees[0]), self.plot)

    def sentence(self) -> "Sentence":
        """Reads the sentence from the file, standard input or the command line."""
        if self.source is not None:
            sentence = self._line_of_file(self.source)
        else:
            text = _standard_input() if self.words == ("-",) else " ".join(self.words)
            marking = self.marking()
            sentence = marking.mark(self.parser()(marking.read(text)))
        if not len(sentence):
            raise SettingError(
                "the sentence is empty",
                expected="expected words: hyperbaton explain "
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
        """The reference text, or the line for the sentence if `--reference` is a file."""
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
                    expected="expected one line, for the one sentence on the command line",
                    advice="read the sentence from a file too: --input FILE --line N",
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

    titles = []
    if len(explained.derivations) > 1:
        titles = [
            f"{number}: score {explanation.score:.4f}"
            for number, explanation in enumerate(explained.derivations, 1)
        ]
    derivations = [explanation.derivation for explanation in explained.derivations]
    _save_svg(derivations_svg(derivations, titles), path)


def _save_svg(svg: str, path: Path) -> None:
    from hyperbaton.foundation.files.writing import open_to_write

    if path.suffix.lower() == ".svg":
        with open_to_write(path) as stream:
            stream.write(svg.encode())
        return
    from hyperbaton.views.svg_painting import picture_of_svg

    _save(lambda: picture_of_svg(svg), path)


def draw_heat_maps(decoded: "Decoded", path: Path) -> None:
    from hyperbaton.decoder.phrase_decoded import of_stack_search
    from hyperbaton.tuning.evaluation.heat_map_pictures import picture_of_heat_maps

    scorers = of_stack_search(decoded, "heat maps").scorers
    heat_maps = [heat_map for scorer in scorers for heat_map in scorer.heat_maps()]
    if not heat_maps:
        raise DataError(
            "there is nothing to draw: no distortion model in use has a heat map",
            where=str(path),
            advice="remove --heat-map, or use a model that scores word pairs, such as pair",
        )
    _save(lambda: picture_of_heat_maps(heat_maps), path)


def _save(draw: Callable[[], "Figure"], path: Path) -> None:
    from hyperbaton.tuning.evaluation.figures import MISSING_GLYPH, drawing
    from hyperbaton.views.picture_files import save_picture

    with warnings.catch_warnings(record=True) as caught, drawing():
        warnings.simplefilter("always")
        save_picture(draw(), path)
    glyphs = [re.search(MISSING_GLYPH, str(warning.message)) for warning in caught]
    missing = {chr(int(glyph[1])) for glyph in glyphs if glyph}
    if missing:
        say(
            f"hyperbaton: {path}: no installed font has {''.join(sorted(missing)[:20])!r}: the "
            "picture shows boxes instead\n"
            "  install a font (Noto Sans CJK has Chinese, Japanese and Korean), or draw an SVG"
        )


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except OSError:  # the text is too long for a file name
        return False


def _standard_input() -> str:
    """The only line of standard input that has words."""
    from hyperbaton.corpus.text import read_lines, split_words

    sentences = []
    for number, line in read_lines(Path("-")):
        if isinstance(line, BadLine):
            line.where = f"standard input:{number}"
            raise line
        if split_words(line):
            sentences.append(line)
    if len(sentences) > 1:
        raise DataError(
            f"has {counted(len(sentences), 'sentence')}",
            where="standard input",
            expected="expected one",
            advice="write them to a file and give --input FILE --line N",
        )
    return sentences[0] if sentences else ""
