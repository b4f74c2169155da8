"""Credits of a stream."""

from __future__ import annotations

_MESSAGES_A_CREDIT = 100


class Allowance:
    """Credits of a stream over all its connections. Each connection costs one credit per started hundred messages."""

    def __init__(self, max_credits: int) -> None:
        self._max_credits = max_credits
        self._messages = 0
        self.spent = 0
        """Credits for the messages received so far."""

    @property
    def left(self) -> int:
        return self._max_credits - self.spent

    def connect(self) -> None:
        """Starts a connection: hundreds are counted per connection."""
        self._messages = 0

    def take(self) -> bool:
        """Counts a message. Returns False if it starts a hundred that is not covered."""
        if self._messages % _MESSAGES_A_CREDIT == 0:
            if self.left <= 0:
                return False
            self.spent += 1
        self._messages += 1
        return True
