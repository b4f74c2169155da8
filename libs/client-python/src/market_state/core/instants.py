"""Points in time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

from market_state.core.request import utc_text
from market_state.types import Instant

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MILLISECOND = timedelta(milliseconds=1)
_HOUR_MS = 3_600_000


def epoch_ms(instant: Instant) -> int:
    """Epoch milliseconds. Raises ValueError for anything that is not an instant or has no time zone."""
    if isinstance(instant, bool):
        raise ValueError(f"{instant!r} is not an instant")
    if isinstance(instant, int):
        return instant
    if isinstance(instant, datetime):
        return epoch_ms(utc_text(instant))
    if instant.isascii() and instant.isdigit():
        return int(instant)
    try:
        moment = datetime.fromisoformat(instant.replace("Z", "+00:00").replace("z", "+00:00"))
    except ValueError:
        raise ValueError(f"{instant!r} is not an instant: use RFC 3339, epoch milliseconds or a datetime") from None
    if moment.tzinfo is None:
        raise ValueError(f"{instant!r} has no time zone: end it with Z for UTC")
    return (moment - _EPOCH) // _MILLISECOND


def utc_of(ms: int) -> str:
    """RFC 3339 in UTC, to the millisecond."""
    return utc_text(_EPOCH + timedelta(milliseconds=ms))


def span_ms(start: Instant, end: Instant) -> tuple[int, int]:
    """Epoch milliseconds of both ends. Raises ValueError for an empty span."""
    first, last = epoch_ms(start), epoch_ms(end)
    if first >= last:
        raise ValueError(f"the span is empty: it starts at {utc_of(first)} and ends at {utc_of(last)}")
    return first, last


def hours(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Consecutive spans of an hour; the last one may be shorter."""
    for first in range(start, end, _HOUR_MS):
        yield first, min(first + _HOUR_MS, end)
