"""Many sentences, translated by threads or on other machines; results come in order.

What a search finds refers to the whole system and stays where it was made. A function, `finish`,
turns it into what the caller wants; on another machine, that must be small values.
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

Made = TypeVar("Made")
# An error stands for a sentence that could not be read
Asked: TypeAlias = tuple[Sentence | HyperbatonError, Request | None]


@dataclass(frozen=True)
class Failure:
    """What went wrong with a sentence; it takes the place of the translation."""

    sentence: Sentence
    error: HyperbatonError


@dataclass(frozen=True)
class Search(Generic[Made]):
    """What is wanted of every sentence; `finish` gets its number too, from 0."""

    finish: Callable[[Translator, int, Decoded | Failure], Made]
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
    """Translates one sentence after the other; results come in order as they are ready.

    Memory does not grow with the input: only a few sentences are read ahead. There are as many
    `requests` as sentences, or none. An error in place of a sentence is a failure.
    """
    asked = zip(sentences, repeat(None) if requests is None else requests, strict=False)
    with Threads(threads) as workers:
        yield from search_all(translator, asked, Search(_as_it_is, n_best, distinct), workers)


def search_all(
    translator: Translator,
    asked: Iterable[Asked],
    search: Search[Made],
    workers: Workers,
    *,
    origin: Origin | None = None,
    one_by_one: bool = False,
) -> Generator[Made, None, None]:
    """What `search.finish` makes of each sentence, wherever the workers are; those of other
    machines make the translator again from its origin. `one_by_one`: no sentence is read ahead, so
    that a person typing sees each translation before typing the next sentence."""
    if workers.is_far:
        if origin is None:
            raise SettingError("a system that is in no folder cannot be used on other machines")
        recipe = origin.recipe(translator)
        workers.serve([origin.folder], [])
        # tasks on another machine are cancelled from outside
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
    search: Search[Made],
    here: Workplace,
    first: int,
    chunk: list[Asked],
) -> tuple[list[Made], float]:
    """What is made of some sentences, and the seconds that took."""
    translator, made = translator_at(here), list[Made]()
    began = monotonic()
    for number, (sentence, request) in enumerate(chunk, first):
        found: Decoded | Failure
        if isinstance(sentence, HyperbatonError):
            found = Failure(Sentence(()), sentence)
        else:
            try:
                found = translator.decode(
                    sentence,
                    search.n_best,
                    distinct=search.distinct,
                    request=request,
                    is_stopped=is_stopped,
                )
            except DataError as error:
                found = Failure(sentence, error)
            except Stopped:
                break
        made.append(search.finish(translator, number, found))
    return made, monotonic() - began


def _as_it_is(_: Translator, __: int, result: Decoded | Failure) -> Decoded | Failure:
    return result


def _sendable(asked: Asked) -> Asked:
    """The same in a form that can be sent between processes."""
    sentence, request = asked
    return (plain(sentence) if isinstance(sentence, HyperbatonError) else sentence), request
