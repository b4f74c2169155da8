"""Streams."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from types import TracebackType
from typing import Any, Generic, Literal, TypeVar, cast

from market_state.aio.backfill import packets_before, rows_before
from market_state.aio.follow import Following, follow_stream
from market_state.core.allowance import Allowance
from market_state.core.budget import hold_for
from market_state.generated.groups import StreamOperations
from market_state.messages import Connection, DataStreamMessage, PacketStreamMessage, ReplayStreamMessage, StreamMessage
from market_state.types import Instant

M = TypeVar("M")

_SILENCE_MS = 30_000
_DEFAULT_SYMBOL = "BTCUSD-PERP"

Channel = Literal["book", "trades", "context", "liquidations", "control", "packets"]
OnConnection = Callable[[Connection], None]


class AsyncStream(Generic[M]):
    """Messages of a stream that reconnects after interruptions. The connection closes and metering stops when its
    `with` block is left, `aclose` is called or the last message has arrived; leaving a loop may not close it.
    """

    def __init__(self, messages: AsyncGenerator[M, None]) -> None:
        self._messages = messages

    def __aiter__(self) -> AsyncStream[M]:
        return self

    async def __anext__(self) -> M:
        return await self._messages.__anext__()

    async def aclose(self) -> None:
        await self._messages.aclose()

    async def __aenter__(self) -> AsyncStream[M]:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()


class AsyncStreams(StreamOperations):
    """Streams resume after interruptions, silence and restarts of the service from the last message, without
    duplicates. Common parameters:

    `resume_from` is the id of the last message received; `max_credits` limits the credits of all connections together,
    the client's `max_credits_per_call` by default; a connection silent for `silence_ms` milliseconds is reopened
    (heartbeats arrive every 15 s); `on_connection` is called when a connection opens, and with the delay before a lost
    one is reopened.

    Raises ProblemError if the first connection is rejected, StreamEnded if a later one cannot be reopened.
    """

    def packets(
        self,
        symbols: str | Sequence[str] | None = None,
        *,
        view: Literal["packet", "compact"] | None = None,
        resume_from: str | None = None,
        max_credits: int | None = None,
        silence_ms: float = _SILENCE_MS,
        on_connection: OnConnection | None = None,
    ) -> AsyncStream[PacketStreamMessage]:
        """Packets as they are made, of one symbol, up to 20, or `ALL`, which includes symbols added later; BTCUSD-PERP
        by default. A symbol missing from `resume_from` starts after the newest window in it. If the messages after
        an id are past retention, a `hole` message reports it and stored packets of the last day follow as
        `backfill`.

        `GET /api/public/market-state/stream`. Price: 1 credit for every 100 messages, rounded up; heartbeats are free.
        """

        def backfill(symbol: str, first: StreamMessage) -> AsyncGenerator[StreamMessage, None]:
            return packets_before(self._caller, symbol, view, first)

        query = {"view": view}
        return self._open("streamPackets", symbols, query, resume_from, max_credits, silence_ms, on_connection, backfill)

    def data(
        self,
        symbols: str | Sequence[str] | None = None,
        *,
        channels: Sequence[Channel] | None = None,
        conflate_ms: int | None = None,
        resume_from: str | None = None,
        max_credits: int | None = None,
        silence_ms: float = _SILENCE_MS,
        on_connection: OnConnection | None = None,
    ) -> AsyncStream[DataStreamMessage]:
        """Rows as they are recorded, of one symbol or up to 20; all channels by default. `conflate_ms`, up to 5,000,
        combines the rows of each interval into one `conflated` message per symbol. Gaps are filled with rows of the
        last hour.

        `GET /api/public/data/stream`. Price: 1 credit for every 100 messages, rounded up; heartbeats are free.
        """
        names = None if channels is None else ",".join(channels)

        def backfill(symbol: str, first: StreamMessage) -> AsyncGenerator[StreamMessage, None]:
            return rows_before(self._caller, symbol, names, first)

        query = {"channels": names, "conflate_ms": conflate_ms}
        return self._open("streamData", symbols, query, resume_from, max_credits, silence_ms, on_connection, backfill)

    def replay(
        self,
        symbols: str | Sequence[str] | None = None,
        start: Instant | None = None,
        end: Instant | None = None,
        *,
        channels: Sequence[Channel] | None = None,
        speed: float | Literal["max"] | None = None,
        as_of: Instant | None = None,
        resume_from: str | None = None,
        max_credits: int | None = None,
        silence_ms: float = _SILENCE_MS,
        on_connection: OnConnection | None = None,
    ) -> AsyncStream[ReplayStreamMessage]:
        """Replays a past window at `speed`, 1 to 100 times or `max`, of one symbol or up to 20, merged by receive time.
        Starts with a `plan` message and ends with a `receipt` message per symbol that reports whether it was
        complete. To pause, leave the `with` block and resume with `resume_from`, and `start`, `end` and `as_of` from
        the plan (with several, the latest `as_of`). To seek, open it with another `start`.

        `GET /api/public/data/stream/replay`. Price: 1 credit for every 100 messages, rounded up; heartbeats are free.
        """
        names = None if channels is None else ",".join(channels)
        query = {"start": start, "end": end, "channels": names, "speed": speed, "as_of": as_of}
        return self._open("streamDataReplay", symbols, query, resume_from, max_credits, silence_ms, on_connection, None)

    def _open(
        self,
        id: str,
        symbols: str | Sequence[str] | None,
        query: dict[str, Any],
        resume_from: str | None,
        max_credits: int | None,
        silence_ms: float,
        on_connection: OnConnection | None,
        backfill: Callable[[str, StreamMessage], AsyncGenerator[StreamMessage, None]] | None,
    ) -> AsyncStream[Any]:
        wanted = [symbols] if isinstance(symbols, str) else symbols or [_DEFAULT_SYMBOL]
        named = list(dict.fromkeys(wanted))
        asked = {**query, "symbol": ",".join(named)}
        settings = self._caller.settings

        async def messages() -> AsyncGenerator[StreamMessage, None]:
            hold = hold_for(None, settings.max_credits_per_call if max_credits is None else max_credits, settings.budget)
            allowance = Allowance(hold.max_credits or 0)
            notify = on_connection or (lambda _connection: None)
            following = Following(id, named, asked, resume_from, silence_ms, notify, allowance, backfill)
            try:
                async with aclosing(follow_stream(self._caller, following)) as followed:
                    async for message in followed:
                        yield message
            finally:
                hold.settle(allowance.spent)

        return AsyncStream(cast("AsyncGenerator[Any, None]", messages()))
