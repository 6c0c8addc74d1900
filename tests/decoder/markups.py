"""Random marks for small sentences, and what they mean, word by word."""

from hypothesis import strategies as st

from hyperbaton.corpus.sentences.markup import MODES, Markup, Term


def span_lists(n_words):
    """Spans that cross nowhere."""
    span = st.tuples(st.integers(0, n_words - 1), st.integers(1, n_words)).filter(
        lambda span: span[0] < span[1]
    )
    return st.lists(span, max_size=3, unique=True).map(without_crossings)


def without_crossings(spans):
    kept = []
    for start, end in spans:
        if not any(a < start < b < end or start < a < end < b for a, b in kept):
            kept.append((start, end))
    return kept


@st.composite
def zones(draw, n_words):
    walls = st.lists(st.integers(0, n_words), max_size=2, unique=True)
    return Markup((), tuple(draw(span_lists(n_words))), tuple(draw(walls)))


@st.composite
def terms(draw, n_words, words):
    """Terms that share no word, with translations made of these words."""
    made, at = [], 0
    text = st.lists(st.sampled_from(words), min_size=1, max_size=2).map(" ".join)
    probability = st.sampled_from([1.0, 0.5, 0.01])
    while at < n_words:
        start = at + draw(st.integers(0, 2))
        end = start + draw(st.integers(1, 3))
        if end <= n_words:
            translations = draw(st.dictionaries(text, probability, min_size=1, max_size=2))
            made.append(Term(start, end, translations, draw(st.sampled_from(MODES))))
        at = end
    return tuple(made)


def obeys(markup, n_words, spans):
    """Whether an order of phrases keeps to zones and walls, from the order of the single words."""
    visited = [word for start, end in spans for word in range(start, end)]
    when = {word: number for number, word in enumerate(visited)}
    for start, end in markup.zones:
        times = sorted(when[word] for word in range(start, end))
        if times != list(range(times[0], times[0] + len(times))):
            return False
    for wall in markup.walls:
        around = [set(range(*zone)) for zone in markup.zones if zone[0] < wall < zone[1]]
        concerned = min(around, key=len, default=set(range(n_words)))
        before = [when[word] for word in concerned if word < wall]
        after = [when[word] for word in concerned if word >= wall]
        if before and after and max(before) > min(after):
            return False
    return True


def with_terms(marked):
    """A change of options, (start, end, entry, words), that the terms make."""

    def change(options):
        kept = []
        for option in options:
            start, end, _, words = option
            for term in marked:
                shares = set(range(start, end)) & set(range(term.start, term.end))
                contains = set(range(term.start, term.end)) <= set(range(start, end))
                said = f" {' '.join(words)} "
                says = any(f" {text} " in said for text in term.translations)
                if shares and term.mode == "exclusive":
                    break
                if shares and term.mode == "constraint" and not (contains and says):
                    break
            else:
                kept.append(option)
        for term in marked:
            for text, probability in term.translations.items():
                kept.append((term.start, term.end, probability, text.split()))
        return kept

    return change
