from hyperbaton.corpus.corpora.builder import CorpusBuilder
from hyperbaton.foundation.files.vocabulary import BEGIN
from hyperbaton.models.distortion.parse.events import layers_of, make_events
from hyperbaton.models.distortion.parse.fitting import visit
from hyperbaton.models.distortion.parse.inventory import no_pairs
from hyperbaton.models.distortion.parse.path import TO_FIRST
from hyperbaton.models.distortion.parse.templates import (
    BEFORE_LAST,
    COMPONENT,
    HISTORY,
    LAST,
    TEMPLATE_BITS,
)


def test_histories_are_the_two_target_words_before():
    builder = CorpusBuilder()
    builder.add(list("abcd"), list("wxyz"), [0, 0, 1, 1, 2, 2, 3, 3])
    corpus = builder.finish()
    vocabulary = corpus.target.vocabulary
    _, visits = visit(corpus, no_pairs(), len(vocabulary), TO_FIRST)
    events = make_events(layers_of(corpus, None), visits, HISTORY, 2, 1)
    w, x, y = vocabulary.encode(list("wxy")).tolist()
    expected = [(BEGIN, BEGIN), (w, BEGIN), (x, w), (y, x)]
    for event, words in enumerate(expected):
        keys = events.keys[events.key_begin[event] : events.key_begin[event + 1]].tolist()
        found = {key >> TEMPLATE_BITS: key & COMPONENT for key in keys}
        assert (found[LAST], found[BEFORE_LAST]) == words
