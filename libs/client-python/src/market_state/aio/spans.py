"""Spans of packets and rows as data frames."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from market_state.aio.caller import AsyncCaller
from market_state.aio.pages import AsyncRows
from market_state.aio.ranges import PAGE_ROWS_MAX, AsyncRange, page_limit
from market_state.core.instants import hours, span_ms
from market_state.core.price import Price, units_within
from market_state.errors import PartialError
from market_state.frames.polars import PolarsDecimals, history_polars, rows_polars
from market_state.frames.tables import Decimals, gaps_frame, history_frame, rows_frame
from market_state.generated.groups import HistoryOperations, ReplayOperations
from market_state.generated.operations import OPERATIONS
from market_state.types import CallOptions, Instant

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl

    from market_state.generated import schema

Channel = Literal["book", "trades", "context", "liquidations", "control", "packets"]


def _page_rows(caller: AsyncCaller, id: str, options: CallOptions | None) -> int:
    """Largest page that one call may pay for."""
    price = OPERATIONS[id].price
    asked = options.max_credits if options is not None else None
    cap = caller.settings.max_credits_per_call if asked is None else asked
    return units_within(price, cap, PAGE_ROWS_MAX) if isinstance(price, Price) else PAGE_ROWS_MAX


class AsyncHistory:
    """Packets of a symbol in one span, one per row. Nothing is sent until a method is called."""

    def __init__(self, caller: AsyncCaller, symbol: str, start: Instant, end: Instant, options: CallOptions | None) -> None:
        self._caller = caller
        self._symbol = symbol
        self._start, self._end = span_ms(start, end)
        self._options = options

    def rows(self) -> AsyncRows[schema.HistoryRow]:
        """Rows as the service sends them, oldest first."""
        return self._rows("listHistory", {"view": "packet"})

    async def to_df(self, *, decimals: Decimals = "float") -> pd.DataFrame:
        """One row per packet, oldest first. The index `window_end_utc` is the end of the window in UTC; `known_at_utc`
        is when the packet became known, so filtering by it avoids lookahead. Missing packets have no row.

        `decimals` sets the type of `mid_price`: "float", the nearest double; "str" or "decimal", exact. Missing values
        are NaN for floats and None otherwise, never 0. Needs the extra `market-state[pandas]`.
        """
        return history_frame([row async for row in self.rows()], decimals)

    async def to_polars(self, *, decimals: PolarsDecimals = "float") -> pl.DataFrame:
        """The same as a frame of polars, with the column `window_end_utc`. Needs the extra `market-state[polars]`."""
        return history_polars([row async for row in self.rows()], decimals)

    async def gaps_df(self) -> pd.DataFrame:
        """Gaps and seams that overlap the span, one per row: `start_utc`, `end_utc` (NaT while open), `channel` (None:
        all), `kind`, `reason` and `resolution`.
        """
        return gaps_frame([row async for row in self._rows("listGaps", {})])

    def _rows(self, id: str, further: Mapping[str, Any]) -> AsyncRows[Any]:
        limit = _page_rows(self._caller, id, self._options)
        given = {"symbol": self._symbol, "from": self._start, "to": self._end, "limit": limit, **further}
        return self._caller.rows(id, given, self._options)


class AsyncHistories(HistoryOperations):
    def range(
        self,
        *,
        symbol: str | None = None,
        from_: Instant,
        to: Instant | None = None,
        limit: int | None = None,
        as_of: Instant | None = None,
        options: CallOptions | None = None,
    ) -> AsyncRange[schema.HistoryRow]:
        """Packets whose windows end in a span, one row each, oldest first. `to` is now by default; `limit` is the most
        rows in total. Raises ValueError for an empty span.
        """
        given = {"symbol": symbol, "limit": page_limit(limit), "as_of": as_of}
        return AsyncRange(self._caller, "listHistory", (from_, to), limit, given, options)

    def __call__(
        self, symbol: str, start: Instant, end: Instant, *, options: CallOptions | None = None
    ) -> AsyncHistory:
        """Packets of a symbol whose windows end in [`start`, `end`): `.to_df()`, `.gaps_df()`, `.rows()`. Pages are as
        large as `max_credits_per_call` allows; each is charged as `listHistory`. Raises ValueError for an empty
        span.
        """
        return AsyncHistory(self._caller, symbol, start, end, options)


class AsyncReplay:
    """Rows of a symbol in one span of exchange time. Nothing is sent until a method is called."""

    def __init__(self, caller: AsyncCaller, symbol: str, start: Instant, end: Instant, options: CallOptions | None) -> None:
        self._caller = caller
        self._symbol = symbol
        self._start, self._end = span_ms(start, end)
        self._options = options

    async def to_frames(
        self, *channels: Channel, decimals: Decimals = "float", allow_partial: bool = False
    ) -> tuple[pd.DataFrame, ...]:
        """One frame per channel, in the given order: `book`, `trades`, `context`, `liquidations`, `control`, `packets`.
        The index `exchange_time_utc` (for packets `window_end_utc`) is in UTC; `known_at_utc` is when the row was
        received or the packet became known; `epoch` and `sequence` are its position in the log.

        `decimals` sets the type of prices, sizes and rates: "float", the nearest double; "str" or "decimal", exact.
        Missing values are NaN for floats and None otherwise, never 0. Needs the extra `market-state[pandas]`.

        Raises PartialError if part of the span is missing, unless `allow_partial`; then `frame.attrs["partial"]` has
        the reasons (empty if complete) and `frame.attrs["gap_ids"]` the gaps.
        """
        rows, reasons, gap_ids = await self._rows(channels, allow_partial)
        frames = tuple(rows_frame(channel, rows[channel], decimals) for channel in channels)
        for frame in frames:
            frame.attrs.update(partial=reasons, gap_ids=gap_ids)
        return frames

    async def to_polars(
        self, *channels: Channel, decimals: PolarsDecimals = "float", allow_partial: bool = False
    ) -> tuple[pl.DataFrame, ...]:
        """The same as frames of polars, with the time as a column. Needs the extra `market-state[polars]`."""
        rows, _reasons, _gap_ids = await self._rows(channels, allow_partial)
        return tuple(rows_polars(channel, rows[channel], decimals) for channel in channels)

    async def _rows(
        self, channels: tuple[Channel, ...], allow_partial: bool
    ) -> tuple[dict[str, list[Mapping[str, Any]]], list[str], list[str]]:
        """Rows by channel, the reasons why some are missing, and the gaps."""
        if not channels:
            raise ValueError("name at least one channel: book, trades, context, liquidations, control or packets")
        rows: dict[str, list[Mapping[str, Any]]] = {channel: [] for channel in channels}
        reasons: dict[str, None] = {}
        gap_ids: dict[str, None] = {}
        async for page in self._pages(channels):
            for row in page["rows"]:
                rows[row["channel"]].append(row)
            if page["next_cursor"] is None:
                reasons.update(dict.fromkeys(page["completeness"]["reasons"]))
                gap_ids.update(dict.fromkeys(page["completeness"]["gap_ids"]))
        if reasons and not allow_partial:
            raise PartialError(list(reasons), list(gap_ids))
        return rows, list(reasons), list(gap_ids)

    async def _pages(self, channels: tuple[Channel, ...]) -> AsyncIterator[Any]:
        """Pages of consecutive hours."""
        for start, end in hours(self._start, self._end):
            given = {"symbol": self._symbol, "start": start, "end": end, "channels": ",".join(channels)}
            async for page in self._caller.rows("getReplayWindow", given, self._options).pages():
                yield page.data


class AsyncReplays(ReplayOperations):
    def __call__(
        self, symbol: str, start: Instant, end: Instant, *, options: CallOptions | None = None
    ) -> AsyncReplay:
        """Rows of a symbol with exchange times in [`start`, `end`): `.to_frames("book", "packets")`. Each page of 5,000
        rows costs at most 7 credits. Raises ValueError for an empty span.
        """
        return AsyncReplay(self._caller, symbol, start, end, options)
