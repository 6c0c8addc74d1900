"""The names of operations in Moses' files: what they mean, and that nothing is lost."""

import numpy as np
import pytest

from hyperbaton.foundation.files.vocabulary import Vocabulary
from hyperbaton.models.distortion.osm.moses_names import PLAIN, moses_names, parse_names
from hyperbaton.models.distortion.osm.operations import Kind
from hyperbaton.models.distortion.osm.texts import OperationTexts


def parsed(*names):
    source, target = Vocabulary(), Vocabulary()
    rows, jumps = parse_names(Vocabulary([*PLAIN, *names]), source, target)
    return OperationTexts(rows, source.decode, target.decode), jumps


MEANINGS = {
    "_INS_GAP_": (Kind.GAP, [], []),
    "_JMP_FWD_": (Kind.FORWARD, [], []),
    "_CONT_CEPT_": (Kind.CONTINUE, [], []),
    "_TRANS_SLF_": (Kind.SELF, [], []),
    "_TRANS_bought_TO_katta": (Kind.TRANS, ["katta"], ["bought"]),
    "_TRANS_went^_^away_TO_itte^_^shimatta": (Kind.TRANS, ["itte", "shimatta"], ["went", "away"]),
    "_INS_wa": (Kind.INS, ["wa"], []),
    "_DEL_the": (Kind.DEL, [], ["the"]),
    "_JMP_BCK_12": (Kind.BACK, ["12"], []),
    # ambiguous
    "_TRANS_a_TO_b_TO_a_TO_b": (Kind.TRANS, ["a_TO_b"], ["a_TO_b"]),
    "_TRANS_a_TO_b_TO_c": (Kind.TRANS, ["b_TO_c"], ["a"]),
    "_TRANS_^_^_TO_^_^": (Kind.TRANS, ["^_^"], ["^_^"]),
    "_TRANS_a^_^b_TO_^_^": (Kind.TRANS, ["^_^"], ["a", "b"]),
    "_INS_^_^": (Kind.INS, ["^_^"], []),
    "_DEL_x_TO_y": (Kind.DEL, [], ["x_TO_y"]),
    # of no known form, or of a word that would stand for all unknown words
    "_TRANS_x": (Kind.OTHER, [], ["_TRANS_x"]),
    "_TRANS__TO_x": (Kind.OTHER, [], ["_TRANS__TO_x"]),
    "_TRANS_x_TO_<unk>": (Kind.OTHER, [], ["_TRANS_x_TO_<unk>"]),
    "_INS_": (Kind.OTHER, [], ["_INS_"]),
    "_INS_<s>": (Kind.OTHER, [], ["_INS_<s>"]),
    "_JMP_BCK_01": (Kind.OTHER, [], ["_JMP_BCK_01"]),
    "_JMP_BCK_x": (Kind.OTHER, [], ["_JMP_BCK_x"]),
    "word": (Kind.OTHER, [], ["word"]),
}


@pytest.mark.parametrize("name", MEANINGS)
def test_a_name_means_one_operation(name):
    texts, _ = parsed(name)
    numbers = range(3, int(texts.operations.total[0]))
    number = 3 + PLAIN.index(name) if name in PLAIN else numbers[-1]
    assert texts.parts(number) == MEANINGS[name]


def test_names_come_back():
    texts, jumps = parsed(*MEANINGS, "_JMP_BCK_2")
    names = [*dict.fromkeys([*PLAIN, *MEANINGS]), "_JMP_BCK_2"]
    assert moses_names(texts).words[3:] == tuple(names)
    assert {k: names[number - 3] for k, number in enumerate(jumps) if number} == {
        2: "_JMP_BCK_2",
        12: "_JMP_BCK_12",
    }


def test_operations_of_the_same_name_keep_their_numbers():
    """x → y_TO_z and x_TO_y → z have the same name, and a gap that of inserting GAP_."""
    source, target = Vocabulary(["y_TO_z", "z", "GAP_"]), Vocabulary(["x", "x_TO_y"])
    rows, _ = parse_names(Vocabulary([*PLAIN, *("_INS_a", "_INS_b", "_INS_c")]), source, target)
    given = {7: [Kind.TRANS, 1, 3, 3], 8: [Kind.TRANS, 1, 4, 4], 9: [Kind.INS, 5]}
    values = [*range(7), *given[7], *given[8], *given[9]]
    begin = [*range(8), 11, 15, 17]
    rows = rows._replace(values=np.array(values, np.int32), begin=np.array(begin))
    names = moses_names(OperationTexts(rows, source.decode, target.decode))
    assert names.words[7:] == ("_TRANS_x_TO_y_TO_z", "8_TRANS_x_TO_y_TO_z", "9_INS_GAP_")
