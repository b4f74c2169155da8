"""Retry rules."""

from __future__ import annotations

from collections.abc import Callable

from market_state.errors import MarketStateError, ProblemError, TransportError

_ATTEMPTS_MAX = 3
_FIRST_WAIT_MS_MAX = 250
"""Maximum first wait; each later one doubles."""
_RETRY_AFTER_MS_MAX = 30_000
"""Calls are not retried if the service asks for a longer wait."""
PASSING_STATUSES = frozenset({429, 503, 504})

Random = Callable[[], float]


def wait_before(error: MarketStateError, attempts: int, is_repeatable: bool, random: Random) -> float | None:
    """Time before the next attempt in milliseconds, with full jitter and at least what the service asks for; None if
    the call must not be retried. `attempts` counts the times sent; `random` returns numbers from 0 to 1.
    """
    if not is_repeatable or attempts >= _ATTEMPTS_MAX:
        return None
    wait = wait_ms(attempts, random)
    if isinstance(error, TransportError):
        return wait
    if not isinstance(error, ProblemError) or error.status not in PASSING_STATUSES:
        return None
    asked = error.retry_after_ms or 0
    return None if asked > _RETRY_AFTER_MS_MAX else max(asked, wait)


def wait_ms(failures: int, random: Random) -> float:
    """Full jitter: from 0 to a bound that doubles, at most 30 s."""
    return random() * min(_RETRY_AFTER_MS_MAX, _FIRST_WAIT_MS_MAX * 2.0 ** (failures - 1))
