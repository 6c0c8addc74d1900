"""Systems that train in seconds and have a bit of everything."""

from hyperbaton.corpus.corpora.reading import CorpusFiles
from hyperbaton.corpus.raw_text.settings import TextSettings
from hyperbaton.models.system.settings import TrainingSettings
from hyperbaton.models.system.training import train_system

SOURCE = "hon o katta\nkare wa hon o yonda\nkare wa katta\n"
TARGET = "bought a book\nhe read a book\nhe bought\n"
ALIGNMENT = "0-2 2-0\n0-0 2-3 4-1\n0-0 2-1\n"
TAGS = "N P V\nN P N P V\nN P V\n"
TWO_PAIRS = {
    "source": "hon o katta\nkare wa hon o yonda\n",
    "target": "bought a book\nhe read a book\n",
    "alignment": "0-2 2-0\n0-0 2-3 4-1\n",
}
ALL_MODELS = (
    "linear",
    "msd",
    "nine-class,prior=8,passes=3",
    "pair,prior=8,passes=3",
    "sequence,prior=8,passes=3",
    "attention,size=8,layers=1,passes=1",
    "dpr,min_examples=2",
    "dpr,features=alrajeh,classes=5",
    "osm",
    "osm,units=classes",
    "parse,iterations=3",
)


def train_all_models(folder):
    """A system with every kind of distortion model, and a tagger."""
    files = write_corpus(
        folder, source=SOURCE, target=TARGET, alignment=ALIGNMENT, source_tags=TAGS
    )
    train_system(files, folder / "model", TrainingSettings(distortion=ALL_MODELS))
    return folder / "model"


def train_for_text(folder):
    """A system that takes raw text and learns the case of words."""
    text = TextSettings("fr", "en", source_case="true", target_case="true", numbers="copy")
    files = write_corpus(folder, source=SOURCE, target=TARGET, alignment=ALIGNMENT)
    train_system(files, folder / "model", TrainingSettings(text=text))
    return folder / "model"


def write_corpus(folder, times=8, **texts):
    """Every sentence eight times, so that models have something to count."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (folder / name).write_text(text * times)
    return CorpusFiles(**{name: folder / name for name in texts})
