"""The features of a model: those seen in training, numbered group by group.

Feature i adds its weight to column `column[i]` of the outcomes if its group is present
(`templates.py`), so a group is a run of features that are looked up together.
"""

from typing import NamedTuple

import numpy as np

from hyperbaton.foundation.arrays import Int32Array, Int64Array, Ragged
from hyperbaton.foundation.hashing import EMPTY, KeyIndex, find_number, index_keys
from hyperbaton.foundation.kernels import inner, kernel
from hyperbaton.models.distortion.parse.events import PathEvents
from hyperbaton.models.distortion.parse.inventory import Inventory
from hyperbaton.models.distortion.parse.templates import (
    G_COLUMN,
    N_JUMPS,
    PART,
    TEMPLATE_BITS,
    outcome_column,
)


class FeatureGroups(NamedTuple):
    key: Int64Array  # (groups,) increasing
    begin: Int64Array  # (groups + 1,) features of group g are begin[g]:begin[g + 1]
    column: Int32Array  # (F,)
    of_key: KeyIndex  # from keys to groups


def select_features(
    events: PathEvents, inventory: Inventory, n_target_tags: int, min_count: int
) -> tuple[FeatureGroups, Int64Array, Ragged]:
    """The features with a count of at least `min_count` in the observed outcomes, their counts, and
    the groups of each event."""
    keys, group = np.unique(events.keys, return_inverse=True)
    event = np.repeat(np.arange(len(events.source)), np.diff(events.key_begin))
    tag = inventory.tag[inventory.begin[events.source] + events.choice]
    columns = _columns(
        PART[events.keys >> TEMPLATE_BITS], events.choice[event], tag[event], events.jump[event]
    )
    n_columns = G_COLUMN + n_target_tags * N_JUMPS
    codes, counts = np.unique(group * n_columns + columns, return_counts=True)
    codes, counts = codes[counts >= min_count], counts[counts >= min_count]
    used = np.unique(codes // n_columns)
    number = np.full(len(keys), EMPTY, np.int64)
    number[used] = np.arange(len(used))
    begin = np.searchsorted(codes // n_columns, np.append(used, len(keys)))
    columns = (codes % n_columns).astype(np.int32)
    features = FeatureGroups(keys[used], begin, columns, index_keys(keys[used]))
    groups = number[group]
    known = groups != EMPTY
    n_known = np.concatenate([[0], np.cumsum(known)])[events.key_begin]
    return features, counts, Ragged(groups[known].astype(np.int32), n_known)


@kernel
def _columns(part, choice, tag, jump):
    result = np.empty(len(part), np.int64)
    for row in range(len(part)):
        result[row] = outcome_column(part[row], choice[row], tag[row], jump[row])
    return result


@inner
def find_group(features, key):
    """The number of a group, or EMPTY."""
    return find_number(features.of_key, key)


@inner
def add_group(features, weights, group, columns):
    """Adds a group's weights to a table of all parts of outcomes."""
    for feature in range(features.begin[group], features.begin[group + 1]):
        columns[features.column[feature]] += weights[feature]
