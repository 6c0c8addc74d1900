import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hyperbaton.models.phrases.building import train_phrases
from hyperbaton.models.phrases.moses_tables import source_texts, target_texts
from hyperbaton.models.phrases.smaller_tables import sentence_table
from tests.models.phrases.corpora import corpus_of, small_corpora


@given(small_corpora, st.lists(st.sampled_from("abcz"), min_size=1, max_size=4), st.data())
def test_a_sentence_keeps_the_entries_that_it_wants(sentences, words, data):
    table = train_phrases(corpus_of(sentences))
    wanted = data.draw(st.sets(st.sampled_from(target_texts(table))))
    best = data.draw(st.sets(st.integers(0, len(table) - 1)))
    spans = {" ".join(words[i:j]) for j in range(len(words) + 1) for i in range(j)}
    vocabulary = table.target_vocabulary

    def is_wanted(targets):
        texts = [" ".join(vocabulary.decode(targets[row].tolist())) for row in range(len(targets))]
        return np.array([text in wanted for text in texts], bool)

    ids = table.source_vocabulary.encode(words)
    own = sentence_table(table, ids, is_wanted, np.array(sorted(best), np.int64))
    every = zip(source_texts(table), target_texts(table), table.scores_of().tolist(), strict=True)
    expected = [
        (source, target, scores)
        for entry, (source, target, scores) in enumerate(every)
        if source in spans and (target in wanted or entry in best)
    ]
    found = zip(source_texts(own), target_texts(own), own.scores_of().tolist(), strict=True)
    left = [one for one in found if one[0] in spans]
    assert sorted(left) == sorted(expected)
    assert len(own) == max(1, len(expected))  # never empty: then there is one of no sentence
