"""Linear distortion (Ni et al. 2011, eq. 1): −|jump|, the distance from the end of the last phrase
to the start of the next. The first phrase jumps from position 0."""

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from models.distortion.interface import DistortionModel, OptionTable
from models.distortion.tables import Table, TableScorer
from models.sentence import Sentence


class Linear(DistortionModel):
    name: ClassVar[str] = "linear"

    @property
    def feature_names(self) -> tuple[str, ...]:
        return ("linear",)

    def settings(self) -> Mapping[str, Any]:
        return {}

    def prepare(self, sentence: Sentence, options: OptionTable) -> TableScorer:  # noqa: ARG002
        places = np.arange(options.n_words + 1)
        jumps = places[None, :] - places[:, None]  # (previous end, start)
        rows = np.concatenate([[0], options.end]).astype(np.int32)
        return TableScorer(
            1, [Table(rows, options.start, -np.abs(jumps)[:, :, None].astype(float))]
        )
