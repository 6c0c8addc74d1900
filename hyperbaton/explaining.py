"""The work behind `hyperbaton explain`: one sentence, its derivations, what is shown of them."""

import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from decoder.decode import SearchSettings
from decoder.decoded import Decoded
from decoder.explanation import N_ALTERNATIVES, explain
from decoder.translator import Translator
from hyperbaton.console import say
from hyperbaton.settings import Settings
from hyperbaton.views.explanation_text import Explained, as_json, blocks
from hyperbaton.views.picture_files import check_picture
from hyperbaton.views.text_tables import print_blocks
from models.data.sentence import Sentence
from models.data.source_reading import SourceFiles, read_sentences
from models.data.text import read_lines, split_words
from models.errors import BadLine, DataError, SettingError, counted
from models.system.folder import read_system
from tuning.metrics.base import Outputs
from tuning.metrics.bleu import Bleu
from tuning.metrics.chrf import Chrf


@dataclass(frozen=True)
class Run:
    model: Path
    words: Sequence[str]  # as they were typed; `-` alone is standard input
    files: SourceFiles | None = None  # instead of words: where the sentence is ...
    line: int = 1  # ... and in which line
    factored: bool = False
    reference: str = ""
    n_best: int = 1
    n_alternatives: int = N_ALTERNATIVES
    distortion: tuple[str, ...] = ()
    brief: bool = False
    as_json: bool = False
    picture: Path | None = None
    heat_map: Path | None = None


def explain_sentence(run: Run, settings_over: Callable[[Settings], Settings]) -> None:
    """Translates a sentence and prints, and draws if wanted, how that came about."""
    for path in filter(None, (run.picture, run.heat_map)):
        check_picture(path)
    sentence = _sentence(run)
    limit = read_system(run.model)["search"]["distortion_limit"]
    base = Settings(search=replace(SearchSettings(), distortion_limit=limit))
    translator = Translator.load(run.model, settings_over(base).search, run.distortion)
    decoded = translator.decode(sentence, run.n_best)
    explained = explain_derivations(translator, decoded, run.reference, run.n_alternatives)
    if run.as_json:
        print(as_json(explained))
    else:
        print_blocks(blocks(explained, brief=run.brief))
    sys.stdout.flush()
    if run.picture is not None:
        draw_derivations(explained, run.picture)
    if run.heat_map is not None:
        draw_heat_maps(decoded, run.heat_map)


def explain_derivations(
    translator: Translator,
    decoded: Decoded,
    reference: str = "",
    n_alternatives: int = N_ALTERNATIVES,
) -> Explained:
    """All derivations of a sentence, judged by a reference if there is one."""
    derivations = [
        explain(translator, decoded, number, n_alternatives) for number in range(len(decoded))
    ]
    if not reference:
        return Explained(derivations)
    texts = [" ".join(explanation.target_words) for explanation in derivations]
    outputs = Outputs(texts, [[reference]] * len(texts))
    metrics = {
        metric.name: metric.sentence_scores(metric.statistics(outputs)).tolist()
        for metric in (Bleu(), Chrf())
    }
    return Explained(derivations, reference, metrics)


def draw_derivations(explained: Explained, path: Path) -> None:
    from hyperbaton.views.explanation_picture import fonts_for, picture_of
    from hyperbaton.views.picture_files import save_picture

    fonts = fonts_for(explained.derivations, path)
    if fonts.missing:
        say(f"hyperbaton: {path}: {fonts.message()}")
    titles = []
    if len(explained.derivations) > 1:
        titles = [
            f"{number}: score {explanation.score:.4f}"
            for number, explanation in enumerate(explained.derivations, 1)
        ]
    save_picture(picture_of(explained.derivations, titles, fonts), path)


def draw_heat_maps(decoded: Decoded, path: Path) -> None:
    from hyperbaton.views.heat_map_picture import heat_map_fonts, picture_of_heat_maps
    from hyperbaton.views.picture_files import save_picture

    heat_maps = [heat_map for scorer in decoded.scorers for heat_map in scorer.heat_maps()]
    if not heat_maps:
        raise DataError(
            "there is nothing to draw, because no distortion model that was used has a heat map",
            where=str(path),
            advice="leave --heat-map out, or use a model that scores pairs of words",
        )
    fonts = heat_map_fonts(heat_maps, path)
    if fonts.missing:
        say(f"hyperbaton: {path}: {fonts.message()}")
    save_picture(picture_of_heat_maps(heat_maps, fonts), path)


def _sentence(run: Run) -> Sentence:
    if run.files is not None:
        sentence = _line_of(run.files, run.line, factored=run.factored)
    elif list(run.words) == ["-"]:
        sentence = Sentence.parse(_standard_input(), factored=run.factored)
    else:
        sentence = Sentence.parse(" ".join(run.words), factored=run.factored)
    if not len(sentence):
        raise SettingError(
            "there is no word to translate",
            expected='expected a sentence: hyperbaton explain MODEL "kare wa hon o katta ."',
        )
    return sentence


def _line_of(files: SourceFiles, line: int, *, factored: bool) -> Sentence:
    with closing(read_sentences(files, factored=factored)) as sentences:
        for sentence in islice(sentences, line - 1, None):
            return sentence
    raise DataError(f"has no line {line}", where=str(files.source))


def _standard_input() -> str:
    """The one line of it that has words."""
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
