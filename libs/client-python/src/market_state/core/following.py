"""Conversion of events to stream messages."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from market_state.core.retry import PASSING_STATUSES
from market_state.core.sse import ServerEvent
from market_state.errors import GoneError, MarketStateError, ProblemError, TransportError
from market_state.messages import (
    ConflatedMessage,
    EndMessage,
    GapMessage,
    HoleMessage,
    PacketMessage,
    PlanMessage,
    ReceiptMessage,
    RowMessage,
    SkippedMessage,
    StreamMessage,
)

PASSING_ENDS = frozenset({"service_stopping", "upstream_lost", "key_unverified", "metering_unavailable"})
"""End codes after which the same stream is reopened."""
FIRST_TYPES = frozenset({"packet", "row", "conflated"})
"""Message types that trigger a backfill."""
FAILURES_MAX = 16
"""Consecutive connections without a message after which the stream fails."""
_IDS_MAX = 4_096

_PLACED: Mapping[str, Callable[..., StreamMessage]] = {
    "packet": PacketMessage,
    "row": RowMessage,
    "gap": GapMessage,
    "conflated": ConflatedMessage,
}
_WITHOUT_ID: Mapping[str, Callable[..., StreamMessage]] = {"skipped": SkippedMessage, "plan": PlanMessage, "receipt": ReceiptMessage}


class BrokenMessage(MarketStateError):
    """Message with invalid JSON, damaged in transit."""


def message_of(symbols: Sequence[str], event: ServerEvent) -> StreamMessage | None:
    """Message of an event; None for an empty or unknown one."""
    if event.event == "end":
        said = _object_of(event)
        return EndMessage(said["code"], said.get("resume_id"))
    if event.event in _PLACED:
        data = _object_of(event)
        return _PLACED[event.event](_symbol_of(symbols, data), event.id, data)
    if event.event in _WITHOUT_ID:
        data = _object_of(event)
        return _WITHOUT_ID[event.event](_symbol_of(symbols, data), data)
    return None


def _object_of(event: ServerEvent) -> dict[str, Any]:
    try:
        value = json.loads(event.data)
    except ValueError as error:
        raise BrokenMessage(f"A message of the stream is not valid JSON: {error}") from error
    if not isinstance(value, dict):
        raise BrokenMessage("A message of the stream is not an object.")
    return value


def _symbol_of(symbols: Sequence[str], data: dict[str, Any]) -> str:
    inner = data.get("row") or data.get("packet") or {}
    return data.get("symbol") or inner.get("symbol") or symbols[0]


def holes_of(error: GoneError, symbols: Sequence[str], after_id: str) -> list[HoleMessage]:
    """Symbols with permanently missing messages."""
    named = [(each.symbol, each.oldest_available_utc) for each in error.gone]
    return [HoleMessage(symbol, after_id, oldest) for symbol, oldest in named or [(symbol, error.oldest_utc) for symbol in symbols]]


def is_passing(error: MarketStateError) -> bool:
    """True for errors that a new connection may fix."""
    if isinstance(error, ProblemError):
        return error.status in PASSING_STATUSES
    return isinstance(error, (TransportError, BrokenMessage))


def wait_asked(error: MarketStateError) -> float:
    """Wait requested by the service in milliseconds."""
    return (error.retry_after_ms or 0) if isinstance(error, ProblemError) else 0


def code_of(error: MarketStateError) -> str:
    return error.code if isinstance(error, ProblemError) and error.code else "connection_lost"


class Seen:
    """Most recently seen ids."""

    def __init__(self) -> None:
        self._ids: OrderedDict[str, None] = OrderedDict()

    def add(self, id: str) -> bool:
        """Returns False if the id was already present."""
        if id in self._ids:
            return False
        self._ids[id] = None
        if len(self._ids) > _IDS_MAX:
            self._ids.popitem(last=False)
        return True
