"""Deadline of one attempt."""

from __future__ import annotations

import time

_LEAST_SECONDS = 0.001


class Deadline:
    def __init__(self, timeout_ms: float) -> None:
        self._end = time.monotonic() + timeout_ms / 1_000

    @property
    def left_seconds(self) -> float:
        """Time left, at least a millisecond."""
        return max(_LEAST_SECONDS, self._end - time.monotonic())

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self._end
