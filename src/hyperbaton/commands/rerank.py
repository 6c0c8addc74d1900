"""`hyperbaton rerank`: reorders n-best lists by additional features or by consensus."""

from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hyperbaton.commands.output_files import STREAM
from hyperbaton.commands.parameters import (
    REQUIRED,
    Command,
    argument,
    command,
    config_option,
    flag,
    option,
    output,
    set_option,
    threads_option,
)
from hyperbaton.console import announce_compilation, reporting, say

if TYPE_CHECKING:
    from hyperbaton.corpus.raw_text.both_sides import TextPipelines
    from hyperbaton.tuning.evaluation.nbest_lists import FeatureLists
    from hyperbaton.tuning.evaluation.tables import Table
    from hyperbaton.tuning.weights.reranking import Reranking

MBR_SCALE = 20.0  # the same as in models/system/folder.py


@dataclass(frozen=True, kw_only=True)
class Rerank(Command):
    """Rerank n-best lists by additional features or by consensus.

    \b
    hyperbaton rerank dev.nbest --feature neural=dev.scores --reference dev.en \\
      --weights-out rerank.toml
    hyperbaton rerank test.nbest --feature neural=test.scores \\
        --weights rerank.toml -o output.en
    hyperbaton rerank --mbr one.nbest other.nbest -o output.en

    With --reference, learns weights for the features in the lists, their total score and the
    features that you add. With --weights, uses learned weights to choose the best translations of
    other lists. With --mbr, chooses the translation with the highest expected BLEU; the other
    translations serve as references, weighted by their probabilities, and lists of several systems
    count equally. A sentence without a list gives an empty line. See docs/use/reranking.md.
    """

    lists: tuple[Path, ...] = argument(default=REQUIRED, metavar="N-BEST...")
    mbr: bool = flag("Choose by minimum Bayes risk.")
    mbr_scale: float | None = option(
        "Multiplier of the scores for --mbr: the higher, the more the best translations count. 20 "
        "suits weights whose absolute values sum to 1, such as tuned weights.  [default: 20]"
    )
    features: tuple[str, ...] = option(
        "Additional feature: a file with one number per list entry, or a Python function that "
        "takes the source sentence (or None) and the list of translations and returns one number "
        "for each; may be repeated.",
        "--feature",
        default=(),
        metavar="NAME=FILE|NAME=MODULE:FUNCTION",
    )
    system: Path | None = option(
        "The system that produced the lists, if it takes raw text: references are then raw text, "
        "and so is the output."
    )
    source: Path | None = option("Source text, passed to feature functions.")
    references: tuple[Path, ...] = option(
        "Reference translations to learn from; may be repeated.",
        "--reference",
        default=(),
    )
    weights: Path | None = option("File of learned weights.")
    weights_out: Path | None = output("Write the learned weights here, as TOML.")
    method: str | None = option(
        "mira, mert, pro, or your optimiser as module:Class.  [default: mira]",
        sets="tune.method",
    )
    metric: str | None = option(
        "A metric of 'hyperbaton evaluate', or a sum: bleu-ter.  [default: bleu]",
        sets="tune.metric",
    )
    seed: int | None = option("Random seed.  [default: 1]", sets="tune.seed")
    out: Path | None = output(
        "Write the best translations here.  [default with --weights: stdout]", "-o", "--out"
    )
    n_best_file: Path | None = output("Write the reranked lists here.")
    threads: int = threads_option()
    config: Path | None = config_option()
    assignments: tuple[str, ...] = set_option()

    def run(self) -> None:
        if self.mbr:
            if self.references or self.weights or self.features or self.n_best_file:
                raise click.UsageError("--mbr takes only lists, --mbr-scale, --system and -o")
            self.choose_by_risk()
            return
        if len(self.lists) > 1 or self.mbr_scale is not None:
            raise click.UsageError("several lists and --mbr-scale need --mbr")
        if (self.weights is None) == (not self.references):
            raise click.UsageError("give either --reference, to learn weights, or --weights")
        if self.weights is not None and self.weights_out is not None:
            raise click.UsageError("--weights-out needs --reference, to learn weights")
        if self.references and STREAM in (self.out, self.n_best_file):
            raise click.UsageError("the learned weights go to stdout: name files for the lists")
        from hyperbaton.tuning.evaluation.nbest_lists import add_features, read_feature_lists
        from hyperbaton.tuning.weights.reranking import check_names, read_weights
        from hyperbaton.views.text_tables import print_blocks

        lists = read_feature_lists(self.lists[0])
        sources = self.read_sources(lists)
        lists = add_features(lists, self.features, sources)
        n_sentences = len(sources) if sources else lists.sentences[-1] + 1
        if self.weights is None:
            reranking = self.learn(lists, sources)
            self.write(lists, reranking.weights, n_sentences)
            print_blocks(result_tables(reranking))  # last, because the pipe may be closed
        else:
            weights = read_weights(self.weights)
            check_names(lists, weights, str(self.weights))
            self.write(lists, weights, n_sentences)

    def choose_by_risk(self) -> None:
        import numpy as np

        from hyperbaton.foundation.files.writing import open_to_write
        from hyperbaton.tuning.evaluation.consensus import Scored, expected_gains
        from hyperbaton.tuning.evaluation.nbest_lists import read_lists, side_by_side

        scale = MBR_SCALE if self.mbr_scale is None else self.mbr_scale
        with ExitStack() as stack:
            readers = [stack.enter_context(closing(read_lists(path))) for path in self.lists]
            stream = stack.enter_context(open_to_write(self.out or STREAM))
            for lists in side_by_side(readers):
                scored = [
                    Scored([e.text for e in entries], np.array([e.score for e in entries]))
                    for entries in lists
                ]
                gains = expected_gains(scored, scale) if scored else None
                best = gains.texts[gains.best] if gains else ""
                stream.write(f"{self.written(best)}\n".encode())

    @cached_property
    def text(self) -> "TextPipelines | None":
        from hyperbaton.models.system.folder import load_text

        return None if self.system is None else load_text(self.system)

    def written(self, tokens: str) -> str:
        """Detokenises a translation if the system takes raw text."""
        return tokens if self.text is None else self.text.target.detokenise(tokens.split(" "))

    def read_sources(self, lists: "FeatureLists") -> list[str] | None:
        from hyperbaton.corpus.text import parse_lines

        if self.source is None:
            return None
        sources = [line for _, line in parse_lines(self.source, str)]
        lists.check_sentences(len(sources), str(self.source))
        return sources

    def learn(self, lists: "FeatureLists", sources: list[str] | None) -> "Reranking":
        """Learns weights from the references, and writes them if a file was given."""
        from hyperbaton.tuning.evaluation.references import read_references
        from hyperbaton.tuning.weights.reranking import (
            RerankingTask,
            learn,
            references_for,
            write_weights,
        )

        settings = self.settings(self.assignments, ["tune"]).tune
        settings.check()
        given = read_references(self.references)
        references = references_for(lists, given, self.text, str(self.references[0]))
        if len(lists) < len(references):
            say(f"{len(references) - len(lists)} of {len(references)} sentences have no list")
        announce_compilation("hyperbaton.tuning.optimisers.line_search")
        with reporting() as reporter:
            task = RerankingTask(lists, references, sources, settings, self.threads, reporter)
            reranking = learn(task)
        if self.weights_out is not None:
            write_weights(self.weights_out, reranking, settings)
        return reranking

    def write(self, lists: "FeatureLists", weights: Mapping[str, float], n_sentences: int) -> None:
        """Writes the requested outputs; standard output is available if nothing is learned."""
        from hyperbaton.foundation.files.writing import open_to_write
        from hyperbaton.tuning.evaluation.nbest_lists import entry_line
        from hyperbaton.tuning.weights.reranking import best_translations, reranked

        is_stdout = self.out is None and self.weights is not None and self.n_best_file != STREAM
        out = STREAM if is_stdout else self.out
        if out is None and self.n_best_file is None:
            return
        groups = reranked(lists, weights)
        if self.n_best_file is not None:
            with open_to_write(self.n_best_file) as stream:
                for entries in groups:
                    stream.writelines(f"{entry_line(entry)}\n".encode() for entry in entries)
        if out is not None:
            best = best_translations(groups, self.text, n_sentences)
            with open_to_write(out) as stream:
                stream.writelines(f"{translation}\n".encode() for translation in best)


def result_tables(reranking: "Reranking") -> "list[Table]":
    from hyperbaton.tuning.evaluation.tables import Table

    rows = [
        ["original order", f"{reranking.before:.2f}"],
        ["reranked", f"{reranking.after:.2f}"],
        ["best in the lists", f"{reranking.oracle:.2f}"],
    ]
    weights = [[name, f"{weight:.4f}"] for name, weight in reranking.weights.items()]
    return [Table(["translations", reranking.metric], rows), Table(["feature", "weight"], weights)]


rerank = command(Rerank)
