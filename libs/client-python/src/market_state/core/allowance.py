"""The credits of a stream."""

from __future__ import annotations

_MESSAGES_A_CREDIT = 100


class Allowance:
    """The credits of a stream, over all its connections. Each connection costs one credit for every hundred messages begun."""

    def __init__(self, max_credits: int) -> None:
        self._max_credits = max_credits
        self._messages = 0
        self.spent = 0
        """Credits of messages received so far."""

    @property
    def left(self) -> int:
        return self._max_credits - self.spent

    def connect(self) -> None:
        """A connection has begun: its hundreds are its own."""
        self._messages = 0

    def take(self) -> bool:
        """Counts a message. False when it is the first of a hundred that is not paid for any more."""
        if self._messages % _MESSAGES_A_CREDIT == 0:
            if self.left <= 0:
                return False
            self.spent += 1
        self._messages += 1
        return True
