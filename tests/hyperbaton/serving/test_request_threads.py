import asyncio
from contextlib import closing

import pytest

from hyperbaton.serving.answers import Refused
from hyperbaton.serving.limits import RequestLimits
from hyperbaton.serving.request_threads import Deadline, RequestThreads


def test_a_job_that_has_waited_for_too_long_is_not_started():
    started = []
    with closing(RequestThreads(1, RequestLimits(seconds=7.0))) as workers:
        with pytest.raises(Refused, match="the request took more than 7 seconds"):
            asyncio.run(workers.run(Deadline(seconds=0.0), lambda: started.append(1)))
        assert started == []
        assert asyncio.run(workers.run(Deadline(seconds=100.0), lambda: "done")) == "done"
