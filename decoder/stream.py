"""Translates many sentences in threads or on other machines; results come in order.

The result of a search refers to the whole system and stays in its process. The function `finish`
converts it to the caller's form, which must be small values on another machine.
"""

from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from functools import partial
from itertools import repeat
from threading import Event
from time import monotonic
from typing import Generic, TypeAlias, TypeVar

from hyperbaton.corpus.sentences.sentence import Sentence
from hyperbaton.decoder.constrained_search import Request
from hyperbaton.decoder.decode import IsStopped, Stopped, never
from hyperbaton.decoder.decoded import Decoded
from hyperbaton.decoder.recipe import Origin
from hyperbaton.decoder.translator import Translator
from hyperbaton.foundation.errors import DataError, HyperbatonError, SettingError
from hyperbaton.foundation.work.in_order import FAR_AWAY, IN_THREADS, ONE_BY_ONE, in_order
from hyperbaton.foundation.work.workers import Threads, Workers
from hyperbaton.foundation.work.workplace import Workplace, plain

Finished = TypeVar("Finished")
# An error replaces a sentence that could not be read
Asked: TypeAlias = tuple[Sentence | HyperbatonError, Request | None]


@dataclass(frozen=True)
class Failure:
    """The error of a sentence, in place of its translation."""

    sentence: Sentence
    error: HyperbatonError


@dataclass(frozen=True)
class Search(Generic[Finished]):
    """Settings for every sentence; `finish` also gets its number, from 0."""

    finish: Callable[[Translator, int, Decoded | Failure], Finished]
    n_best: int = 1
    distinct: bool = False


def decode_all(
    translator: Translator,
    sentences: Iterable[Sentence | DataError],
    *,
    threads: int = 1,
    n_best: int = 1,
    distinct: bool = False,
    requests: Iterable[Request] | None = None,
) -> Generator[Decoded | Failure, None, None]:
    """Translates sentences; yields results in order, as they are ready.

    Memory does not grow with the input: only a few sentences are read ahead. There are as many
    `requests` as sentences, or none. An error in place of a sentence becomes a `Failure`.
    """
    asked = zip(sentences, repeat(None) if requests is None else requests, strict=False)
    with Threads(threads) as workers:
        yield from search_all(translator, asked, Search(_as_it_is, n_best, distinct), workers)


def search_all(
    translator: Translator,
    asked: Iterable[Asked],
    search: Search[Finished],
    workers: Workers,
    *,
    origin: Origin | None = None,
    one_by_one: bool = False,
) -> Generator[Finished, None, None]:
    """Yields the result of `search.finish` for each sentence, wherever the workers are; remote
    workers load the translator from its origin. `one_by_one`: no sentence is read ahead, so that
    an interactive user sees each translation before typing the next sentence."""
    if workers.is_far:
        if origin is None:
            raise SettingError("only a system that was loaded from a folder can run on a cluster")
        recipe = origin.recipe(translator)
        workers.serve([origin.folder], [])
        # the scheduler cancels remote tasks
        work = partial(_search_chunk, recipe.translator, never, search)
        yield from in_order(workers, work, map(_sendable, asked), FAR_AWAY)
        return
    stopped = Event()
    work = partial(_search_chunk, lambda _: translator, stopped.is_set, search)
    try:
        yield from in_order(workers, work, iter(asked), ONE_BY_ONE if one_by_one else IN_THREADS)
    finally:
        stopped.set()


def _search_chunk(
    translator_at: Callable[[Workplace], Translator],
    is_stopped: IsStopped,
    search: Search[Finished],
    here: Workplace,
    first: int,
    chunk: list[Asked],
) -> tuple[list[Finished], float]:
    """The results of some sentences, and the seconds they took."""
    translator, finished = translator_at(here), list[Finished]()
    began = monotonic()
    for number, (sentence, request) in enumerate(chunk, first):
        result: Decoded | Failure
        if isinstance(sentence, HyperbatonError):
            result = Failure(Sentence(()), sentence)
        else:
            try:
                result = translator.decode(
                    sentence,
                    search.n_best,
                    distinct=search.distinct,
                    request=request,
                    is_stopped=is_stopped,
                )
            except DataError as error:
                result = Failure(sentence, error)
            except Stopped:
                break
        finished.append(search.finish(translator, number, result))
    return finished, monotonic() - began


def _as_it_is(_: Translator, __: int, result: Decoded | Failure) -> Decoded | Failure:
    return result


def _sendable(asked: Asked) -> Asked:
    """Makes errors picklable."""
    sentence, request = asked
    return (plain(sentence) if isinstance(sentence, HyperbatonError) else sentence), request
