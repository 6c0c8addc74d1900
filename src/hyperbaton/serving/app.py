"""The service as an application: paths, and what answers them."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from dataclasses import asdict, dataclass
from functools import partial
from importlib.metadata import version
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from hyperbaton.foundation.errors import HyperbatonError, nearest
from hyperbaton.serving.answer_bounds import json_text
from hyperbaton.serving.answers import (
    JSON_LINES,
    NOT_FOUND,
    UNKEPT,
    Refused,
    answer,
    error_answer,
    json_answer,
    read_json,
)
from hyperbaton.serving.explaining import explain_sentence
from hyperbaton.serving.limits import RequestLimits
from hyperbaton.serving.openapi import describe_api
from hyperbaton.serving.page_files import page_routes
from hyperbaton.serving.protection import Hosts, Protection
from hyperbaton.serving.request_threads import Deadline, RequestThreads
from hyperbaton.serving.request_types import checked, explain_request, translate_request
from hyperbaton.serving.systems import ServedSystem
from hyperbaton.serving.translating import SentenceJob, sentence_jobs


@dataclass(frozen=True)
class Service:
    systems: Mapping[str, ServedSystem]
    workers: RequestThreads
    limits: RequestLimits

    async def health(self, _: Request) -> Response:
        under_way = self.workers.n_requests + self.workers.n_given_up
        return json_answer({"status": "ok", "requests": under_way})

    async def models(self, _: Request) -> Response:
        return json_answer(
            {
                "hyperbaton": version("hyperbaton"),
                "models": [system.describe() for system in self.systems.values()],
                "limits": asdict(self.limits),
            }
        )

    async def openapi(self, _: Request) -> Response:
        return json_answer(describe_api(self.limits))

    async def translate(self, request: Request) -> Response:
        asked = checked(await read_json(request, self.limits), translate_request(self.limits))
        jobs = sentence_jobs(self._system(asked), asked, self.limits)
        if isinstance(asked["text"], list) or JSON_LINES in request.headers.get("accept", ""):
            place = ExitStack()
            deadline = place.enter_context(self.workers.admitted())
            return _Lines(self._lines(deadline, jobs), place)
        with self.workers.admitted() as deadline:
            translated = partial(jobs[0].translated, deadline.is_over)
            return answer(await self._while_connected(request, deadline, translated))

    async def explain(self, request: Request) -> Response:
        asked = checked(await read_json(request, self.limits), explain_request(self.limits))
        system = self._system(asked)
        with self.workers.admitted() as deadline:

            def explained() -> str:
                content = explain_sentence(system, asked, self.limits, deadline.is_over)
                return json_text(content, self.limits)

            return answer(await self._while_connected(request, deadline, explained))

    def _system(self, asked: Mapping[str, Any]) -> ServedSystem:
        name = asked.get("model", next(iter(self.systems)))
        if name not in self.systems:
            raise Refused(
                NOT_FOUND,
                f"there is no system {name!r}",
                where="model",
                expected=nearest(name, list(self.systems)),
            )
        return self.systems[name]

    async def _while_connected(
        self, request: Request, deadline: Deadline, job: Callable[[], str]
    ) -> str:
        """The result of a job, which is stopped if the client goes away."""

        async def watch() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass
            deadline.cancel()

        watching = asyncio.create_task(watch())
        try:
            return await self.workers.run(deadline, job)
        finally:
            watching.cancel()

    async def _lines(
        self, deadline: Deadline, jobs: Iterable[SentenceJob]
    ) -> AsyncGenerator[str, None]:
        """A line for each sentence, in order, as soon as it is ready. Keeps all threads busy, and
        leaves their queue to the requests of others."""
        under_way: deque[asyncio.Task[str]] = deque()

        async def run(job: SentenceJob) -> str:
            try:
                made = partial(job.translated_or_failed, deadline.is_over)
                return await self.workers.run(deadline, made)
            except HyperbatonError as error:
                return job.failed(error)

        try:
            for job in jobs:
                under_way.append(asyncio.create_task(run(job)))
                if len(under_way) >= self.workers.threads:
                    yield f"{await under_way.popleft()}\n"
            while under_way:
                yield f"{await under_way.popleft()}\n"
        finally:
            for task in under_way:
                task.cancel()


class _Lines(StreamingResponse):
    """JSON lines; when they end, or the client has gone, the place of the request is free."""

    def __init__(self, lines: AsyncGenerator[str, None], place: ExitStack) -> None:
        super().__init__(lines, headers=UNKEPT, media_type=JSON_LINES)
        self._made, self._place = lines, place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._place:
            try:
                await super().__call__(scope, receive, send)
            finally:
                await self._made.aclose()


def make_app(
    systems: Sequence[ServedSystem],
    workers: RequestThreads,
    limits: RequestLimits = RequestLimits(),
    hosts: Hosts = Hosts(),
    origins: Sequence[str] = (),
) -> ASGIApp:
    """`hosts` are the names that the server answers to, `origins` the pages elsewhere that may use
    it."""
    service = Service({system.name: system for system in systems}, workers, limits)
    routes = [
        Route("/translate", service.translate, methods=["POST"]),
        Route("/explain", service.explain, methods=["POST"]),
        Route("/models", service.models),
        Route("/health", service.health),
        Route("/openapi.json", service.openapi),
        *page_routes(),
    ]
    elsewhere = Middleware(
        CORSMiddleware,
        allow_origins=origins,
        allow_methods=["GET", "POST"],
        allow_headers=["Content-Type"],
    )

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        yield
        workers.close()

    app = Starlette(
        routes=routes,
        middleware=[elsewhere] if origins else [],
        exception_handlers={
            HyperbatonError: _refuse,
            HTTPException: _refuse_path,
            Exception: _refuse,
        },
        lifespan=lifespan,
    )
    return Protection(app, hosts)


async def _refuse(_: Request, error: Exception) -> Response:
    return error_answer(error)


async def _refuse_path(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    what = f"{request.method} {request.url.path}: {error.detail}"
    made = error_answer(Refused(error.status_code, what, advice="see /openapi.json"))
    made.headers.update(error.headers or {})
    return made
