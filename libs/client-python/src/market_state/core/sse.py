"""Server-sent events."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_LINE_END = re.compile(r"\r\n|\n|\r(?!\Z)")
"""A CR at the end may be half of a CRLF."""


@dataclass(frozen=True)
class ServerEvent:
    event: str
    id: str
    """Empty if the event has none."""
    data: str


class EventParser:
    """Splits chunks of bytes into events; lines may end in CR, LF or both. Skips comments and unknown fields."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._clear()

    def _clear(self) -> None:
        self._event = ""
        self._id = ""
        self._data: list[str] = []

    def feed(self, piece: bytes) -> list[ServerEvent]:
        """Events completed by this chunk."""
        events: list[ServerEvent] = []
        lines = _LINE_END.split(self._rest + self._decoder.decode(piece))
        self._rest = lines.pop()
        for line in lines:
            self._take(line, events)
        return events

    def _take(self, line: str, events: list[ServerEvent]) -> None:
        if line == "":
            if self._data:
                events.append(ServerEvent(self._event or "message", self._id, "\n".join(self._data)))
            self._clear()
            return
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "event":
            self._event = value
        elif name == "id":
            self._id = value
        elif name == "data":
            self._data.append(value)
