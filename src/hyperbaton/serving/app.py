"""The ASGI application: its routes and their handlers."""

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
        n_running = self.workers.n_requests + self.workers.n_given_up
        return json_answer({"status": "ok", "requests": n_running})

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
                f"unknown system {name!r}",
                where="model",
                expected=nearest(name, list(self.systems)),
            )
        return self.systems[name]

    async def _while_connected(
        self, request: Request, deadline: Deadline, job: Callable[[], str]
    ) -> str:
        """Runs a job, and stops it if the client disconnects."""

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
        """Yields one line per sentence, in order, as soon as it is ready. Keeps all threads busy
        but never fills their queue, so that other requests are served too."""
        running: deque[asyncio.Task[str]] = deque()

        async def run(job: SentenceJob) -> str:
            try:
                translate = partial(job.translated_or_failed, deadline.is_over)
                return await self.workers.run(deadline, translate)
            except HyperbatonError as error:
                return job.failed(error)

        try:
            for job in jobs:
                running.append(asyncio.create_task(run(job)))
                if len(running) >= self.workers.threads:
                    yield f"{await running.popleft()}\n"
            while running:
                yield f"{await running.popleft()}\n"
        finally:
            for task in running:
                task.cancel()


class _Lines(StreamingResponse):
    """JSON lines; frees the slot of the request when they end or the client disconnects."""

    def __init__(self, lines: AsyncGenerator[str, None], place: ExitStack) -> None:
        super().__init__(lines, headers=UNKEPT, media_type=JSON_LINES)
        self._lines, self._place = lines, place

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._place:
            try:
                await super().__call__(scope, receive, send)
            finally:
                await self._lines.aclose()


def make_app(
    systems: Sequence[ServedSystem],
    workers: RequestThreads,
    limits: RequestLimits = RequestLimits(),
    hosts: Hosts = Hosts(),
    origins: Sequence[str] = (),
) -> ASGIApp:
    """Builds the application; `hosts` are the host names it accepts, `origins` the sites whose
    pages may use it."""
    service = Service({system.name: system for system in systems}, workers, limits)
    routes = [
        Route("/translate", service.translate, methods=["POST"]),
        Route("/explain", service.explain, methods=["POST"]),
        Route("/models", service.models),
        Route("/health", service.health),
        Route("/openapi.json", service.openapi),
        *page_routes(),
    ]
    cors = Middleware(
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
        middleware=[cors] if origins else [],
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
    response = error_answer(Refused(error.status_code, what, advice="see /openapi.json"))
    response.headers.update(error.headers or {})
    return response
