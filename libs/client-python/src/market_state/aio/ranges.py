"""Rows of a span, with the same names for every channel."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from market_state.aio.caller import AsyncCaller
from market_state.core.instants import hours, span_ms
from market_state.generated.groups import (
    BookOperations,
    CandlesOperations,
    ContextOperations,
    GapsOperations,
    LiquidationsOperations,
    TradesOperations,
)
from market_state.types import CallOptions, Instant

if TYPE_CHECKING:
    from market_state.generated import schema

T = TypeVar("T")

PAGE_ROWS_MAX = 1_000
_WINDOW = "getReplayWindow"
Timeframe = Literal["1m", "5m", "15m", "1h", "4h", "1d"]


class AsyncRange(Generic[T]):
    """Rows of a span, oldest first, as they are read: hours and pages not reached are not charged."""

    def __init__(
        self,
        caller: AsyncCaller,
        id: str,
        span: tuple[Instant, Instant | None],
        limit: int | None,
        given: Mapping[str, Any],
        options: CallOptions | None,
    ) -> None:
        self.partial: list[str] = []
        """Reasons why source rows are missing, of the hours read so far; empty if none are."""
        self.gap_ids: list[str] = []
        """Gaps in the hours read so far."""
        start, end = span
        self._caller = caller
        self._id = id
        self._start, self._end = span_ms(start, time.time_ns() // 1_000_000 if end is None else end)
        self._limit = limit
        self._given = given
        self._options = options

    async def __aiter__(self) -> AsyncIterator[T]:
        total = 0
        for given in self._calls():
            if self._limit is not None and total >= self._limit:
                return
            async for page in self._caller.rows(self._id, given, self._options).pages():
                for row in page.data["rows"]:
                    yield row
                    total += 1
                    # Before the next page is requested, and paid for.
                    if total == self._limit:
                        return
                if self._id == _WINDOW and page.data["next_cursor"] is None:
                    self._note(page.data["completeness"])

    def _calls(self) -> Iterator[Mapping[str, Any]]:
        """Parameters of each call, in the order of their rows."""
        if self._id != _WINDOW:
            yield {**self._given, "from": self._start, "to": self._end}
            return
        for start, end in hours(self._start, self._end):
            yield {**self._given, "start": start, "end": end}

    def _note(self, completeness: Mapping[str, Any]) -> None:
        for found, had in (("reasons", self.partial), ("gap_ids", self.gap_ids)):
            had.extend(name for name in completeness[found] if name not in had)


def page_limit(limit: int | None) -> int:
    """Rows per page of an operation whose pages have a size."""
    return PAGE_ROWS_MAX if limit is None else max(1, min(limit, PAGE_ROWS_MAX))


def _window(
    caller: AsyncCaller,
    channel: str,
    symbol: str | None,
    span: tuple[Instant, Instant | None],
    limit: int | None,
    as_of: Instant | None,
    options: CallOptions | None,
) -> AsyncRange[Any]:
    return AsyncRange(caller, _WINDOW, span, limit, {"symbol": symbol, "channels": channel, "as_of": as_of}, options)


class AsyncBook(BookOperations):
    def range(
        self,
        *,
        symbol: str | None = None,
        from_: Instant,
        to: Instant | None = None,
        limit: int | None = None,
        as_of: Instant | None = None,
        options: CallOptions | None = None,
    ) -> AsyncRange[schema.BookDataRow]:
        """Order books of a span, at most 7 credits per page of 5,000 rows. `to` is now by default; `limit` is the most
        rows in total. Raises ValueError for an empty span.
        """
        return _window(self._caller, "book", symbol, (from_, to), limit, as_of, options)


class AsyncTrades(TradesOperations):
    def range(
        self,
        *,
        symbol: str | None = None,
        from_: Instant,
        to: Instant | None = None,
        limit: int | None = None,
        as_of: Instant | None = None,
        options: CallOptions | None = None,
    ) -> AsyncRange[schema.TradeDataRow]:
        """Trades of a span, at most 7 credits per page of 5,000 rows. `to` is now by default; `limit` is the most rows
        in total. Raises ValueError for an empty span.
        """
        return _window(self._caller, "trades", symbol, (from_, to), limit, as_of, options)


class AsyncContext(ContextOperations):
    def range(
        self,
        *,
        symbol: str | None = None,
        from_: Instant,
        to: Instant | None = None,
        limit: int | None = None,
        as_of: Instant | None = None,
        options: CallOptions | None = None,
    ) -> AsyncRange[schema.ContextDataRow]:
        """Funding, open interest, mark and oracle price of a span, at most 7 credits per page of 5,000 rows. `to` is
        now by default; `limit` is the most rows in total. Raises ValueError for an empty span.
        """
        return _window(self._caller, "context", symbol, (from_, to), limit, as_of, options)


class AsyncLiquidations(LiquidationsOperations):
    def range(
        self,
        *,
        symbol: str | None = None,
        from_: Instant,
        to: Instant | None = None,
        limit: int | None = None,
        as_of: Instant | None = None,
        options: CallOptions | None = None,
    ) -> AsyncRange[schema.LiquidationDataRow]:
        """Liquidations of a span, at most 7 credits per page of 5,000 rows. `to` is now by default; `limit` is the most
        rows in total. Raises ValueError for an empty span.
        """
        return _window(self._caller, "liquidations", symbol, (from_, to), limit, as_of, options)


class AsyncCandles(CandlesOperations):
    def range(
        self,
        *,
        symbol: str | None = None,
        tf: Timeframe | None = None,
        from_: Instant,
        to: Instant | None = None,
        limit: int | None = None,
        as_of: Instant | None = None,
        options: CallOptions | None = None,
    ) -> AsyncRange[schema.Candle]:
        """Candles that open in a span, at most 3 credits per page of 1,000. `to` is now by default; `limit` is the most
        rows in total. Raises ValueError for an empty span.
        """
        return AsyncRange(self._caller, "listCandles", (from_, to), limit, {"symbol": symbol, "tf": tf, "as_of": as_of}, options)


class AsyncGaps(GapsOperations):
    def range(
        self,
        *,
        symbol: str | None = None,
        from_: Instant,
        to: Instant | None = None,
        limit: int | None = None,
        as_of: Instant | None = None,
        options: CallOptions | None = None,
    ) -> AsyncRange[schema.Gap]:
        """Gaps and seams that overlap a span. `to` is now by default; `limit` is the most rows in total. Raises
        ValueError for an empty span.
        """
        given = {"symbol": symbol, "limit": page_limit(limit), "as_of": as_of}
        return AsyncRange(self._caller, "listGaps", (from_, to), limit, given, options)
