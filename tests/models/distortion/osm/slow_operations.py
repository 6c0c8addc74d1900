"""Operations step by step, with an explicit list of gaps, and back again; slow and obvious."""

from tests.models.language_model.backoff_oracles import KneserNey, sentence_logprobs

N_COUNTS = 4  # gap width, gaps, open gaps, insertions


def cepts_of(links):
    """The sets of source and target words that links connect, by their first target word."""
    cepts = []
    for source, target in links:
        touched = [cept for cept in cepts if source in cept[0] or target in cept[1]]
        cepts = [cept for cept in cepts if cept not in touched]
        sources = {source}.union(*(cept[0] for cept in touched))
        cepts.append((sources, {target}.union(*(cept[1] for cept in touched))))
    return sorted(cepts, key=lambda cept: min(cept[1]))


class Story:
    """The operations of a derivation, phrase by phrase, in the names of Moses' generator."""

    def __init__(self):
        self.operations = []
        self.generated, self.gaps = set(), set()
        self.here = self.end = 0
        self.width = self.n_gaps = self.n_open = self.n_inserted = 0

    def say(self, *operation):
        self.operations.append(operation)

    def leave_gap(self):
        self.say("GAP")
        self.gaps.add(self.here)

    def go(self, place):
        """Moves to a source word."""
        n_before = self.operations.count(("GAP",))
        if self.here < place:
            if self.here not in self.generated:
                self.leave_gap()
            if self.here == self.end:
                self.here = place
            else:
                self.say("FORWARD")
                self.here = self.end
        if place < self.here:
            if self.here < self.end and self.here not in self.generated:
                self.leave_gap()
            nearest = max(gap for gap in self.gaps if gap <= place)
            self.say("BACK", sum(gap >= nearest for gap in self.gaps))
            self.gaps -= {place}
            self.here = nearest
        if self.here < place:
            self.leave_gap()
            self.here = place
        self.n_gaps += self.operations.count(("GAP",)) > n_before

    def generate(self, place, *operation):
        self.go(place)
        self.say(*operation)
        if operation[0] != "CONTINUE":
            self.width += place - min(set(range(place + 1)) - self.generated)
        self.generated.add(place)
        self.here = place + 1
        self.end = max(self.end, self.here)
        self.n_open += len(self.gaps)

    def phrase(self, start, source, target, links, translated=None):
        """`translated` is what a cept of source and target words is called instead of TRANS."""
        cepts = cepts_of(links)
        linked = [set().union(*(cept[side] for cept in cepts)) for side in (0, 1)]

        def insert(place):
            while place < len(source) and place not in linked[0]:
                self.generate(start + place, "INS", source[place])
                self.n_inserted += 1
                place += 1

        insert(0)
        first_words = {min(targets): (sources, targets) for sources, targets in cepts}
        for place, word in enumerate(target):
            if place not in linked[1]:
                self.say("DEL", word)
            if place in first_words:
                sources, targets = map(sorted, first_words[place])
                words = tuple(source[n] for n in sources), tuple(target[n] for n in targets)
                for number, source_place in enumerate(sources):
                    operation = ("CONTINUE",) if number else ("TRANS", *words)
                    if translated is not None and not number:
                        operation = translated(operation)
                    self.generate(start + source_place, *operation)
                    insert(source_place + 1)

    @property
    def counts(self):
        return [-self.width, -self.n_gaps, -self.n_open, -self.n_inserted]


def sentence_story(source, target, links, translated=None):
    story = Story()
    story.phrase(0, source, target, links, translated)
    return story


def perform(operations):
    """What operations generate: source words, target words, and the links within each cept.

    The source is a list of words and gaps; a word knows its number, in the order of generation.
    """
    gap = object()
    cells, here, target, links, waiting = [], 0, [], [], []
    for kind, *rest in operations:
        if kind == "GAP":
            cells.insert(here, gap)
            here += 1
        elif kind == "FORWARD":
            here = len(cells)
        elif kind == "BACK":
            here = [place for place, cell in enumerate(cells) if cell is gap][-rest[0]]
            del cells[here]
        elif kind == "DEL":
            target.append(rest[0])
        else:
            if kind == "TRANS":
                assert not waiting, "all words of a cept are generated before the next"
                sources, targets = rest
                waiting = list(sources)
                cept = [len(target) + number for number in range(len(targets))]
                target += targets
            word = rest[0] if kind == "INS" else waiting.pop(0)
            cells.insert(here, [word, [] if kind == "INS" else cept])
            here += 1
    assert gap not in cells
    links = [(place, number) for place, (_, cept) in enumerate(cells) for number in cept]
    return [word for word, _ in cells], target, links


class SlowModel:
    """The features of derivations, from a corpus of (source, target, links)."""

    def __init__(self, corpus, order, prune):
        links = [source[f] for source, _, pairs in corpus for f, _ in set(pairs)]
        self.single = {word for word in links if links.count(word) == 1}
        stories = [
            sentence_story(*pair[:2], sorted(set(pair[2])), self.named).operations
            for pair in corpus
        ]
        self.seen = {operation for story in stories for operation in story}
        self.order = order
        self.table = KneserNey([list(map(repr, story)) for story in stories], order, prune).table()

    def named(self, operation):
        """A word that has one link in all, to the same word, is copied."""
        _, source, target = operation
        is_self = source == target and len(source) == 1 and source[0] in self.single
        return ("SELF",) if is_self else operation

    def features(self, phrases):
        """Of phrases (start, source, target, links, whether it is an unknown word)."""
        story = Story()
        for start, source, target, links, is_unknown in phrases:

            def called(operation, is_unknown=is_unknown):
                _, *words = operation
                is_copy = operation not in self.seen and words[0] == words[1]
                is_self = is_unknown or (is_copy and len(words[0]) == 1)
                return ("SELF",) if is_self else operation

            story.phrase(start, source, target, links, called)
        scores = sentence_logprobs(self.table, self.order, list(map(repr, story.operations)))
        return [sum(scores[:-1]), *story.counts], story
