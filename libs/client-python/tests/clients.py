"""Synchronous and asynchronous client behind one interface, so that a case runs on both."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from typing import Any

import httpx
from market_state import AsyncMarketState, CallOptions, MarketState


def snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda match: f"_{match[0].lower()}", name)


def snake_keys(facts: dict[str, Any]) -> dict[str, Any]:
    return {snake(name): value for name, value in facts.items()}


_KEYWORDS = {"from": "from_", "in": "in_"}


def arguments(params: dict[str, Any]) -> dict[str, Any]:
    return {_KEYWORDS.get(name, name): value for name, value in params.items()}


def method_of(ms: Any, operation: str, names: dict[str, str]) -> Callable[..., Any]:
    group, name = names[operation].split(".")
    method: Callable[..., Any] = getattr(getattr(ms, snake(group)), snake(name))
    return method


class Sync:
    """Runs work on the synchronous client."""

    name = "sync"

    def run(self, url: str, settings: dict[str, Any], budget: int | None, work: Callable[[Any, Sync], Any]) -> Any:
        with MarketState(url, **settings) as ms:
            return work(ms if budget is None else ms.with_budget(budget), self)

    def call(self, method: Callable[..., Any], **given: Any) -> Any:
        return method(**given)

    def each(self, stream: Any, take: Callable[[Any], None]) -> None:
        for message in stream:
            take(message)

    def each_row(self, rows: Any, take: Callable[[Any], None]) -> None:
        self.each(rows, take)

    def first(self, stream: Any) -> Any:
        with stream as messages:
            return next(messages)


class Async:
    """Runs work on the asynchronous client, one call at a time. Skips TLS: loading certificates would take longer than
    most tests.
    """

    name = "async"

    def run(self, url: str, settings: dict[str, Any], budget: int | None, work: Callable[[Any, Async], Any]) -> Any:
        with asyncio.Runner() as runner:
            self._run = runner.run
            http = httpx.AsyncClient(verify=False)
            ms = AsyncMarketState(url, http=http, **settings)
            try:
                return work(ms if budget is None else ms.with_budget(budget), self)
            finally:
                runner.run(http.aclose())

    def call(self, method: Callable[..., Any], **given: Any) -> Any:
        return self._run(method(**given))

    def each(self, stream: Any, take: Callable[[Any], None]) -> None:
        async def all_of() -> None:
            async with stream as messages:
                async for message in messages:
                    take(message)

        self._run(all_of())

    def each_row(self, rows: Any, take: Callable[[Any], None]) -> None:
        async def all_of() -> None:
            async for row in rows:
                take(row)

        self._run(all_of())

    def first(self, stream: Any) -> Any:
        async def one() -> Any:
            async with stream as messages:
                return await messages.__anext__()

        return self._run(one())


def options_of(facts: dict[str, Any]) -> CallOptions:
    return CallOptions(**snake_keys(facts))
