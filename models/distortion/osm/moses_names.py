"""The names of operations in Moses' files.

    TRANS f → e   _TRANS_e_TO_f, with ^_^ between words     GAP       _INS_GAP_
    INS f         _INS_f                                    FORWARD   _JMP_FWD_
    DEL e         _DEL_e                                    CONTINUE  _CONT_CEPT_
    BACK k        _JMP_BCK_k                                SELF      _TRANS_SLF_

Names are ambiguous if words contain _TO_ or ^_^. A name is divided at its middle _TO_, which is
right if such a word is copied. A side that would have an empty word is one word, for instance ^_^
itself. A name in another form is an OTHER operation, which no step performs. So each name has one
operation, no two names have the same one, and the operation has that name again.
"""

import re

from hyperbaton.foundation.arrays import Int32Array
from hyperbaton.foundation.files.vocabulary import SPECIAL, Vocabulary
from hyperbaton.foundation.hashing import DistinctRows
from hyperbaton.models.distortion.osm.operations import (
    N_PLAIN,
    Kind,
    finished,
    first_operations,
    with_operation,
)
from hyperbaton.models.distortion.osm.texts import OperationTexts

NAMES = {
    Kind.GAP: "_INS_GAP_", Kind.FORWARD: "_JMP_FWD_", Kind.CONTINUE: "_CONT_CEPT_",
    Kind.SELF: "_TRANS_SLF_", Kind.TRANS: "_TRANS_", Kind.INS: "_INS_", Kind.DEL: "_DEL_",
    Kind.BACK: "_JMP_BCK_", Kind.OTHER: "",
}  # fmt: skip
PLAIN = tuple(name for kind, name in NAMES.items() if kind < N_PLAIN)  # in the order of numbers
TO, JOIN = "_TO_", "^_^"
JUMP = re.compile(rf"{NAMES[Kind.BACK]}([1-9][0-9]{{0,4}})")


def moses_names(texts: OperationTexts) -> Vocabulary:
    """The names of all operations. The first of several operations with the same name has it; the
    others get names that mean no operation."""
    names = Vocabulary()
    for number in range(len(SPECIAL), int(texts.operations.total[0])):
        name = moses_name(texts, number)
        names.extend([name if name not in names else f"{number}{name}"])
    return names


def moses_name(texts: OperationTexts, number: int) -> str:
    kind, source, target = texts.parts(number)
    if kind == Kind.TRANS:
        return NAMES[Kind.TRANS] + JOIN.join(target) + TO + JOIN.join(source)
    return NAMES[Kind(kind)] + "".join([*source, *target])


def parse_names(
    names: Vocabulary, source: Vocabulary, target: Vocabulary
) -> tuple[DistinctRows, Int32Array]:
    """The operations of all names, of which the first are `PLAIN`, and the numbers of BACK k at k;
    adds their words to the vocabularies."""
    operations = first_operations()
    for name in names.words[N_PLAIN:]:
        operations = with_operation(operations, _row(name, source, target))
    return finished(operations)


def _row(name: str, source: Vocabulary, target: Vocabulary) -> list[int]:
    if match := JUMP.fullmatch(name):
        return [Kind.BACK, int(match[1])]
    if name.startswith(NAMES[Kind.TRANS]):
        parts = name.removeprefix(NAMES[Kind.TRANS]).split(TO)
        middle = len(parts) // 2
        english, foreign = _words(parts[:middle]), _words(parts[middle:])
        if _are_words([*english, *foreign]):
            return [Kind.TRANS, len(foreign), *source.extend(foreign), *target.extend(english)]
    for kind, vocabulary in ((Kind.INS, source), (Kind.DEL, target)):
        word = name.removeprefix(NAMES[kind])
        if word != name and _are_words([word]):
            return [kind, *vocabulary.extend([word])]
    return [Kind.OTHER, *target.extend([name])]


def _words(parts: list[str]) -> list[str]:
    side = TO.join(parts)
    words = side.split(JOIN)
    return words if all(words) else [side]


def _are_words(words: list[str]) -> bool:
    """Whether no word is empty or a symbol of language models, which stands for unknown words."""
    return all(word and word not in SPECIAL for word in words)
