"""A language of sixty-four sentences whose verbs stand last, and a system for it."""

from itertools import product

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.decode import SearchSettings
from hyperbaton.decoder.translator import Translator
from hyperbaton.models.distortion.linear import Linear
from hyperbaton.models.system.folder import default_weights
from tests.decoder.systems import make_system

SUBJECTS = {"kare": "he", "ane": "the sister", "inu": "a dog", "sensei": "the teacher"}
OBJECTS = {"hon": "a book", "mizu": "water", "tegami": "the letter", "niku": "meat"}
VERBS = {"katta": "bought", "mita": "saw", "motta": "had", "sagashita": "looked for"}


def pair(subject, thing, verb):
    """A source sentence, its translation and their alignment."""
    parts = [SUBJECTS[subject].split(), VERBS[verb].split(), OBJECTS[thing].split()]
    ends = [sum(map(len, parts[: k + 1])) for k in range(3)]
    spans = [range(end - len(part), end) for end, part in zip(ends, parts, strict=True)]
    links = [(source, t) for source, span in ((0, 0), (4, 1), (2, 2)) for t in spans[span]]
    words = [word for part in parts for word in part]
    return [subject, "wa", thing, "o", verb], words, links


def all_pairs():
    pairs = [pair(*words) for words in product(SUBJECTS, OBJECTS, VERBS)]
    return pairs[::3], pairs[1::3]


def make_translator(**weights):
    """Trained on a third of the language, with weights that prefer the order of the source."""
    table, lm = make_system(all_pairs()[0])
    own = default_weights("") | {"linear": 1.0, "word_penalty": 0.5, "lm": 0.2} | weights
    return Translator(table, lm, [Linear()], own, SearchSettings(distortion_limit=-1))


def development_set(n=None):
    """Sentences and references that the system was not trained on."""
    pairs = all_pairs()[1][:n]
    return [Sentence(tuple(s)) for s, _, _ in pairs], [[" ".join(t)] for _, t, _ in pairs]
