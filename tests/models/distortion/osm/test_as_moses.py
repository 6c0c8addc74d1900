"""Derivations whose operations and counts were worked out by hand from the published algorithm of
Moses (Durrani, Schmid and Fraser 2011, section 3; the counts from Durrani et al. 2013)."""

import numpy as np
import pytest

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.foundation.coverage import cover_spans, empty_coverage
from hyperbaton.models.distortion.interface import Steps
from hyperbaton.models.distortion.osm.model import OperationSequence
from hyperbaton.models.phrases.moses_tables import read_phrase_table
from tests.decoder.systems import HAND, find_options, make_system
from tests.models.phrases.corpora import corpus_of

# Phrases in the order of their translation: source, target and links, and then the operations and
# the counts of each step: gap width, gaps, open gaps, insertions
FILLED = [  # a gap of two words is filled from its start
    ("c C 0-0", "GAP, TRANS c → C", (2, 1, 1, 0)),
    ("a A 0-0", "BACK 1, TRANS a → A", (0, 0, 0, 0)),
    ("b B 0-0", "TRANS b → B", (0, 0, 0, 0)),
    ("d D 0-0", "FORWARD, TRANS d → D", (0, 0, 0, 0)),
]
SPLIT = [  # a gap becomes two gaps; then the left one is filled, and the right one from its end
    ("e E 0-0", "GAP, TRANS e → E", (4, 1, 1, 0)),
    ("b B 0-0", "BACK 1, GAP, TRANS b → B", (1, 1, 1, 0)),
    ("f F 0-0", "GAP, FORWARD, TRANS f → F", (5, 1, 2, 0)),
    ("a A 0-0", "BACK 2, TRANS a → A", (0, 0, 1, 0)),
    ("d D 0-0", "FORWARD, BACK 1, GAP, TRANS d → D", (1, 1, 1, 0)),
    ("c C 0-0", "BACK 1, TRANS c → C", (0, 0, 0, 0)),
]
UNLINKED = [  # words without links, within and between the words of a cept
    (
        "a,b,c,d A,B,C 0-0,2-0,3-2",
        "TRANS a c → A, INS b, CONTINUE, DEL B, TRANS d → C",
        (0, 0, 0, 1),
    ),
]
WITHIN = [  # a cept with a gap, in which another one lies; its last word has no width
    ("a,b,c A,B 0-0,2-0,1-1", "TRANS a c → A, GAP, CONTINUE, BACK 1, TRANS b → B", (0, 1, 1, 0)),
]
NOTHING = [  # no links at all, after a gap
    ("c,d C,D ", "GAP, INS c, INS d, DEL C, DEL D", (2 + 3, 1, 1 + 1, 2)),
    ("a,b A,B 0-1", "DEL A, BACK 1, TRANS a → B, INS b", (0, 0, 0, 1)),
]


@pytest.mark.parametrize("case", [FILLED, SPLIT, UNLINKED, WITHIN, NOTHING])
def test_derivations_by_hand(case, write):
    phrases = [[part.split(",") for part in phrase.split(" ")] for phrase, *_ in case]
    lines = [" ||| ".join([*map(" ".join, (f, e)), "1 1 1 1", " ".join(a)]) for f, e, a in phrases]
    table, _ = read_phrase_table(write("table", "\n".join(lines) + "\n"), None, "")
    words = sorted(word for f, _, _ in phrases for word in f)
    target = [word for _, e, _ in phrases for word in e]
    links = [
        (words.index(f[int(link[0])]), target.index(e[int(link[-1])]))
        for f, e, a in phrases
        for link in filter(None, a)
    ]
    model = OperationSequence().fit(corpus_of([(words, target, links), *HAND]))
    options = find_options(words, table, make_system(HAND)[1])
    scorer = model.prepare(Sentence.parse(" ".join(words)), options)
    coverage, state = empty_coverage(1, len(words)), np.array([scorer.initial_state])
    for (f, _, _), (_, operations, counts) in zip(phrases, case, strict=True):
        [option] = np.flatnonzero(
            (options.start == words.index(f[0])) & (options.end == words.index(f[-1]) + 1)
        )
        step = Steps(np.array([-1]), np.array([option]), coverage, state)
        [events] = scorer.events(step)
        assert ", ".join(text for text, _ in events) == operations
        assert scorer.features(step)[0, 1:].tolist() == [-count for count in counts]
        state = scorer.advance(step)
        cover_spans(coverage, options.start[[option]], options.end[[option]])
