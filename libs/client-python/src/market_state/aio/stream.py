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
    """
    The messages of a stream, which survives cuts of its connection. Its connection is closed, and the meter stops, where its `with` is
    left, `aclose` is called or its last message has come: leaving a loop alone may not do that.
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
    """
    Streams go on after cuts, after silence and after a restart of the service, from the last message had, and give none twice. What each
    takes besides its own parameters:

    `resume_from` is the id of the last message had; `max_credits` the most credits of all its connections together, the client's
    `max_credits_per_call` by default; a connection that is silent for `silence_ms` milliseconds is opened again (heartbeats come every
    15 s); `on_connection` is told when a connection is open, and how long it takes until one that was lost is opened again.

    ProblemError when the first connection is refused, StreamEnded when a later one cannot be opened again.
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
        """
        Packets as they are made: of one symbol, several (20 at most), or `ALL`, those that are served later too; BTCUSD-PERP by
        default. A symbol that `resume_from` does not hold begins after the newest window that it holds. When what follows an id is no
        longer kept, `hole` says so, and stored packets of the last day come as `backfill`.

        `GET /api/public/market-state/stream`. Price: 1 credit for every 100 messages begun; heartbeats are free.
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
        """
        Rows as they are recorded: of one symbol or several, 20 at most; every channel by default. `conflate_ms` sends the rows of so
        many milliseconds, 5,000 at most, as one message `conflated` a symbol. A hole is filled with rows of the last hour.

        `GET /api/public/data/stream`. Price: 1 credit for every 100 messages begun; heartbeats are free.
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
        """
        A past window at `speed`, 1 to 100 times, or `max`, of one symbol or several, 20 at most: these are merged by when their rows were
        received. A message `plan` for each comes first, and a message `receipt` says of each whether it was whole. To pause, leave the
        `with`, and go on with `resume_from`, `start`, `end` and `as_of` as in the plan (of several, the latest `as_of`). To seek, open it
        with another `start`.

        `GET /api/public/data/stream/replay`. Price: 1 credit for every 100 messages begun; heartbeats are free.
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
            told = on_connection or (lambda _connection: None)
            following = Following(id, named, asked, resume_from, silence_ms, told, allowance, backfill)
            try:
                async with aclosing(follow_stream(self._caller, following)) as followed:
                    async for message in followed:
                        yield message
            finally:
                hold.settle(allowance.spent)

        return AsyncStream(cast("AsyncGenerator[Any, None]", messages()))
