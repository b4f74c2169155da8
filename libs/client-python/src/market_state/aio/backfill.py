"""Stored packets and rows that fill gaps of a stream."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from typing import Any

from market_state.aio.caller import AsyncCaller
from market_state.core.instants import epoch_ms
from market_state.messages import BackfillMessage, ConflatedMessage, PacketMessage, RowMessage, StreamMessage

_PACKETS_SECONDS_MAX = 86_400
"""Longest window of packets per request."""
_ROWS_MS_MAX = 3_600_000
"""Longest window of rows."""
_DISORDER_MS = 1_000
"""Rows of different channels can be out of time order by this much."""
_PAGE_ROWS = 100


async def packets_before(
    caller: AsyncCaller, symbol: str, view: str | None, first: StreamMessage
) -> AsyncGenerator[StreamMessage, None]:
    """Stored packets of up to a day before a packet, oldest first. Charged as pages of `replay`."""
    until = first.data["event_id"] if isinstance(first, PacketMessage) else None
    given = {"symbol": symbol, "limit": _PAGE_ROWS, "replay_window_seconds": _PACKETS_SECONDS_MAX, "view": view}
    async for row in caller.rows("replayPackets", given, None):
        if row["event_id"] == until:
            return
        yield BackfillMessage(symbol, row)


async def rows_before(
    caller: AsyncCaller, symbol: str, channels: str | None, first: StreamMessage
) -> AsyncGenerator[StreamMessage, None]:
    """Stored rows of up to an hour before a row, in log order. Charged as pages of `replay/window`."""
    until = _row_of(first)
    if until is None:
        return
    end = epoch_ms(until["exchange_time_utc"]) + _DISORDER_MS
    given = {"symbol": symbol, "start": str(end - _ROWS_MS_MAX), "end": str(end), "channels": channels}
    async for row in caller.rows("getReplayWindow", given, None):
        if (row["epoch"], row["sequence"]) < (until["epoch"], until["sequence"]):
            yield BackfillMessage(symbol, row)


def _row_of(first: StreamMessage) -> Mapping[str, Any] | None:
    if isinstance(first, RowMessage):
        return first.data
    rows = first.data["rows"] if isinstance(first, ConflatedMessage) else []
    return rows[0] if rows else None
