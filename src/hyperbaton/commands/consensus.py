"""`hyperbaton consensus`: from n-best lists, the translations that are most like the others."""

from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

from hyperbaton.commands.output_files import STREAM
from hyperbaton.commands.parameters import (
    REQUIRED,
    Command,
    argument,
    command,
    option,
    output,
)


@dataclass(frozen=True, kw_only=True)
class Consensus(Command):
    """Choose from n-best lists by minimum Bayes risk.

    \b
    hyperbaton consensus one.nbest -o output.en
    hyperbaton consensus one.nbest other.nbest --scale 0.5 -o output.en

    Of all translations of a sentence, the one with the highest expected BLEU is printed, the others
    standing in for the reference, each as likely as its scores say. Lists of several systems, in
    Moses' format, count the same. A sentence that no list has gives an empty line.
    """

    lists: tuple[Path, ...] = argument(default=REQUIRED, metavar="N-BEST...")
    scale: float = option(
        "Factor of the scores: the higher, the more the best ones count. 20 suits weights whose "
        "absolute values sum to 1, as tune makes them.",
        default=20.0,
    )
    out: Path = output("Output file.  [default: stdout]", "-o", "--out", default=STREAM)

    def run(self) -> None:
        import numpy as np

        from hyperbaton.foundation.files.writing import open_to_write
        from hyperbaton.tuning.evaluation.consensus import Scored, expected_gains
        from hyperbaton.tuning.evaluation.nbest_lists import read_lists, side_by_side

        with ExitStack() as stack:
            readers = [stack.enter_context(closing(read_lists(path))) for path in self.lists]
            stream = stack.enter_context(open_to_write(self.out))
            for lists in side_by_side(readers):
                scored = [
                    Scored([e.text for e in entries], np.array([e.score for e in entries]))
                    for entries in lists
                ]
                found = expected_gains(scored, self.scale) if scored else None
                stream.write(f"{found.texts[found.best] if found else ''}\n".encode())


consensus = command(Consensus)
