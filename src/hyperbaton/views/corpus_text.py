"""Corpus statistics and sentence pairs as text and pictures."""

from collections.abc import Callable
from pathlib import Path

from rich.cells import cell_len

from hyperbaton.corpus.corpora.corpus import AlignedCorpus
from hyperbaton.corpus.corpora.statistics import CorpusStatistics, SideStatistics
from hyperbaton.foundation.errors import DataError, counted
from hyperbaton.tuning.evaluation.tables import Table, as_text, padded
from hyperbaton.views.picture_files import save_picture

BAR = 50  # characters of the longest bar
COUNTED = "a move to every aligned target word, none to the end of a sentence; -1 stays on a word"


def describe(statistics: CorpusStatistics) -> str:
    """Sizes of both sides, then a bar chart of the distances."""
    rows = [
        [name, form(statistics.source), form(statistics.target)]
        for name, form in _SIDE_ROWS.items()
    ]
    lines = [
        as_text(Table(["", "source", "target"], rows)),
        "",
        f"{counted(statistics.n_pairs, 'sentence pair')}, {counted(statistics.n_links, 'link')}",
        "",
        "distance from one translated source word to the next (0 is monotone)",
        COUNTED,
        *_bars(statistics.distances),
        f"{statistics.share_monotone:.1%} monotone, farthest {statistics.farthest} words",
    ]
    return "\n".join(lines)


_SIDE_ROWS: dict[str, Callable[[SideStatistics], str]] = {
    "words": lambda side: f"{side.n_words:,}",
    "types": lambda side: f"{side.n_types:,}",
    "types seen once": lambda side: f"{side.n_once:,}",
    "mean length": lambda side: f"{side.mean_length:.1f}",
    "longest": lambda side: f"{side.longest}",
    "unaligned": lambda side: f"{side.share_unaligned:.1%}",
}


def _bars(distances: tuple[tuple[str, int], ...]) -> list[str]:
    total = max(1, sum(count for _, count in distances))
    most = max(1, *(count for _, count in distances))
    return [
        f"{name:>10} {count:>9,} {count / total:>6.1%} {'█' * round(BAR * count / most)}".rstrip()
        for name, count in distances
    ]


def show_pair(corpus: AlignedCorpus, number: int) -> str:
    """Shows one pair: every source word with its tag and links, the target, the tree."""
    if not 0 <= number < len(corpus):
        numbered = f"pairs are numbered 0 to {len(corpus) - 1}"
        raise DataError(
            f"there is no pair {number}",
            expected=numbered if len(corpus) else "the corpus is empty",
        )
    source, target = corpus.source.sentence(number), corpus.target.sentence(number)
    tags = source.tags or ("",) * len(source)
    partners: list[list[str]] = [[] for _ in source.words]
    for s, t in corpus.links[number].tolist():
        partners[s].append(f"{t}:{target.words[t]}")
    word_width = max(map(cell_len, source.words))
    tag_width = max(map(cell_len, tags))
    lines = [f"pair {number}: {' '.join(source.words)}", f"  {' '.join(target.words)}"]
    for position, (word, tag, links) in enumerate(zip(source.words, tags, partners, strict=True)):
        columns = (padded(word, word_width), padded(tag, tag_width), " ".join(links) or "-")
        lines.append(f"{position:>4} {'  '.join(columns)}")
    if source.tree is not None:
        lines.append(f"  {source.tree.brackets(source.words)}")
    return "\n".join(lines)


def plot_distances(named: dict[str, CorpusStatistics], path: Path) -> None:
    """Draws the distance histograms of one or more corpora side by side."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.add_subplot()
    width = 0.8 / len(named)
    for shift, (name, statistics) in enumerate(named.items()):
        counts = [count for _, count in statistics.distances]
        places = [i + (shift - (len(named) - 1) / 2) * width for i in range(len(counts))]
        shares = [count / max(1, sum(counts)) for count in counts]
        axes.bar(places, shares, width, label=name)
    bins = [name for name, _ in next(iter(named.values())).distances]
    axes.set_xticks(range(len(bins)), bins)
    axes.set_xlabel("distance to the next source word (0 is monotone)")
    axes.set_ylabel("share of moves")
    axes.legend()
    save_picture(figure, path)
