"""The asynchronous client."""

from __future__ import annotations

import copy
import random as random_numbers
from collections.abc import Callable
from dataclasses import replace
from types import TracebackType
from typing import Any

from market_state.aio.alerts import AsyncAlerts
from market_state.aio.caller import AsyncCaller
from market_state.aio.exports import AsyncExports
from market_state.aio.quote import AsyncQuote
from market_state.aio.ranges import AsyncBook, AsyncCandles, AsyncContext, AsyncGaps, AsyncLiquidations, AsyncTrades
from market_state.aio.spans import AsyncHistories, AsyncReplays
from market_state.aio.stream import AsyncStreams
from market_state.aio.transport import AsyncHttpClient, new_http_client
from market_state.core.budget import Budget
from market_state.core.price import bound_of
from market_state.core.request import wire_names
from market_state.core.settings import Settings, settings_of
from market_state.generated.groups import Groups
from market_state.generated.operations import OPERATIONS, OperationId
from market_state.types import Answer, CallOptions

_TIMEOUT_MS = 30_000
_CREDITS_PER_CALL = 100


class AsyncMarketState(Groups):
    """Client of one service. Each group has a method per operation; nothing is sent until one is called. The client
    keeps connections open: close it, or use it in a `with` block.

    `base_url` is the address of the service, `https://…`. `api_key` is sent in the header `x-market-state-api-key`, and
    only with operations that need it. `max_credits_per_call` is sent as `X-Max-Credits` with every metered call; the
    service rejects calls that could cost more without charging them. `timeout_ms` limits the time until an attempt is
    answered and each silence within the answer; a slow answer is cut at the first chunk after the deadline. `http` is
    an `httpx.AsyncClient` to use instead, for example with your own certificates; you close it. `random` returns
    numbers from 0 to 1, for the jitter of retries.

    Raises ValueError with every invalid argument.
    """

    alerts: AsyncAlerts
    book: AsyncBook
    candles: AsyncCandles
    context: AsyncContext
    exports: AsyncExports
    gaps: AsyncGaps
    history: AsyncHistories
    liquidations: AsyncLiquidations
    replay: AsyncReplays
    stream: AsyncStreams
    trades: AsyncTrades

    def __init__(
        self,
        base_url: str,
        *,
        api_key: str | None = None,
        max_credits_per_call: int = _CREDITS_PER_CALL,
        timeout_ms: float = _TIMEOUT_MS,
        http: AsyncHttpClient | None = None,
        random: Callable[[], float] = random_numbers.random,
    ) -> None:
        settings = settings_of(base_url, api_key, max_credits_per_call, timeout_ms, None, random)
        self._closes_http = http is None
        self._bind(settings, http or new_http_client())

    def _bind(self, settings: Settings, http: AsyncHttpClient) -> None:
        self._settings = settings
        self._http = http
        self._caller = AsyncCaller(settings, http)
        super().__init__(self._caller)
        self.alerts = AsyncAlerts(self._caller)
        self.book = AsyncBook(self._caller)
        self.candles = AsyncCandles(self._caller)
        self.context = AsyncContext(self._caller)
        self.exports = AsyncExports(self._caller)
        self.gaps = AsyncGaps(self._caller)
        self.history = AsyncHistories(self._caller)
        self.liquidations = AsyncLiquidations(self._caller)
        self.replay = AsyncReplays(self._caller)
        self.stream = AsyncStreams(self._caller)
        self.trades = AsyncTrades(self._caller)

    def with_budget(self, credits: int) -> AsyncMarketState:
        """Returns a client whose calls may cost at most `credits` in total, also counted against this client's own
        budget. A call that could exceed it raises BudgetError without being sent. The maximum cost of running calls
        is reserved; an attempt without a response counts in full. The new client shares this client's connections
        and closes with it.
        """
        client = copy.copy(self)
        client._closes_http = False
        client._bind(replace(self._settings, budget=Budget(credits, self._settings.budget)), self._http)
        return client

    @property
    def budget_left(self) -> int | None:
        """Credits left of the budget; None without one."""
        return None if self._settings.budget is None else self._settings.budget.remaining

    def credits_at_most(self, operation: OperationId, **parameters: Any) -> int | None:
        """Most that a call can cost, in credits of its kind, from the price table of this version; sends nothing. 0 if
        free. None if only the service knows: exports, streams, `symbol="ALL"`.
        """
        return bound_of(OPERATIONS[operation].price, wire_names(parameters), self._settings.api_key)

    async def quote(self, operation: OperationId, **parameters: Any) -> AsyncQuote:
        """Quotes the maximum cost of a call; the quote is binding for five minutes. Free."""
        facts = OPERATIONS[operation]
        if facts.kind not in ("json", "text"):
            raise ValueError(f"{operation} cannot be quoted: it returns a {facts.kind}")
        given = wire_names(parameters)
        estimate = (await self._caller.call("estimateUsage", {**given, "route": facts.path, "method": facts.method}, None)).data
        most = estimate["estimated_market_state_credit_cost"] + estimate["estimated_export_credit_cost"]

        async def run() -> Answer[Any]:
            return await self._caller.call(operation, given, CallOptions(quote_id=estimate["quote_id"], max_credits=most))

        return AsyncQuote(estimate, run)

    async def aclose(self) -> None:
        """Closes all connections."""
        if self._closes_http:
            await self._http.aclose()

    async def __aenter__(self) -> AsyncMarketState:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()
