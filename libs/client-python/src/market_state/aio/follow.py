"""Streams over as many connections as needed."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from market_state.aio.caller import AsyncCaller
from market_state.aio.connection import Opening, read_connection
from market_state.aio.pause import pause
from market_state.core.allowance import Allowance
from market_state.core.following import FAILURES_MAX, FIRST_TYPES, PASSING_ENDS, Seen
from market_state.core.following import code_of, holes_of, is_passing, message_of, wait_asked
from market_state.core.retry import wait_ms
from market_state.errors import BudgetError, GoneError, MarketStateError, ProblemError, StreamEnded, TransportError
from market_state.messages import Connection, EndMessage, StreamMessage


@dataclass(frozen=True)
class Following:

    id: str
    symbols: Sequence[str]
    """Requested symbols; may include `ALL`."""
    query: Mapping[str, Any]
    resume_from: str | None
    silence_ms: float
    on_connection: Callable[[Connection], None]
    allowance: Allowance
    backfill: Callable[[str, StreamMessage], AsyncGenerator[StreamMessage, None]] | None
    """Fills a symbol's gap before the first message after it."""


async def follow_stream(caller: AsyncCaller, following: Following) -> AsyncGenerator[StreamMessage, None]:
    """Messages of a stream; each connection resumes after the last message received. Raises StreamEnded, or the error
    that rejected the first connection.
    """
    random = caller.settings.random
    allowance = following.allowance
    seen = Seen()
    after = following.resume_from
    holes: set[str] = set()
    failures = 0

    def on_open() -> None:
        following.on_connection(Connection("open"))

    while True:
        allowance.connect()
        opening = Opening(following.id, following.query, after, allowance.left, following.silence_ms, on_open)
        try:
            async with aclosing(read_connection(caller, opening)) as events:
                async for event in events:
                    failures = 0
                    message = message_of(following.symbols, event)
                    if event.event == "heartbeat":
                        after = event.id or after
                    if message is None:
                        continue
                    if isinstance(message, EndMessage):
                        if message.code in PASSING_ENDS:
                            break
                        yield EndMessage(message.code, after if message.resume_id is None else message.resume_id)
                        return
                    if event.id != "" and not allowance.take():
                        yield EndMessage("credits_exhausted", after)
                        return
                    if event.id != "" and not seen.add(event.id):
                        continue
                    if message.type in FIRST_TYPES and message.symbol in holes:
                        holes.remove(message.symbol)
                        async with aclosing(_filling(following, message)) as stored:
                            async for each in stored:
                                yield each
                    if event.id != "":
                        after = event.id
                    yield message
            failures += 1
            if failures > FAILURES_MAX:
                raise StreamEnded("connection_lost", after, None)
            wait = wait_ms(failures, random)
        except StreamEnded:
            raise
        except MarketStateError as error:
            if isinstance(error, GoneError) and after is not None:
                for hole in holes_of(error, following.symbols, after):
                    holes.add(hole.symbol)
                    yield hole
                after = error.resume_id
                continue
            failures += 1
            if not is_passing(error):
                if after is None and failures == 1:
                    raise
                raise StreamEnded(code_of(error), after, error) from error
            if failures > FAILURES_MAX:
                raise StreamEnded(code_of(error), after, error) from error
            wait = max(wait_asked(error), wait_ms(failures, random))
        following.on_connection(Connection("waiting", wait))
        await pause(wait)


async def _filling(following: Following, first: StreamMessage) -> AsyncGenerator[StreamMessage, None]:
    """Backfills a gap; errors leave the gap as already reported."""
    if following.backfill is None or isinstance(first, EndMessage):
        return
    try:
        async with aclosing(following.backfill(first.symbol, first)) as stored:
            async for message in stored:
                yield message
    except (ProblemError, TransportError, BudgetError):
        return
