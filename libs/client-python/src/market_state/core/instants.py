"""Points in time."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from market_state.core.request import utc_text
from market_state.types import Instant

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
_MILLISECOND = timedelta(milliseconds=1)


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
