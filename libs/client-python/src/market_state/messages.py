"""Messages of streams, distinguished by `type`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Union

if TYPE_CHECKING:
    from market_state.generated import schema


@dataclass(frozen=True)
class PacketMessage:
    symbol: str
    id: str
    """Position after this message: store it and pass it as `resume_from`."""
    data: schema.StreamPacket | schema.CompactPacket
    type: Literal["packet"] = "packet"


@dataclass(frozen=True)
class AlertMessage:
    id: str
    """Store it to resume with `resume_from`. Alerts that arrived together are repeated unless it is the id of the last."""
    data: schema.AlertTriggeredMessage


@dataclass(frozen=True)
class RowMessage:
    symbol: str
    id: str
    data: schema.DataRow
    type: Literal["row"] = "row"


@dataclass(frozen=True)
class ConflatedMessage:
    """With `conflate_ms`: rows of a symbol in one interval, and the number of books and clock ticks dropped in favour
    of newer ones.
    """

    symbol: str
    id: str
    data: schema.StreamConflated
    type: Literal["conflated"] = "conflated"


@dataclass(frozen=True)
class GapMessage:
    """Entry of the gap ledger: rows are missing here."""

    symbol: str
    id: str
    data: schema.Gap
    type: Literal["gap"] = "gap"


@dataclass(frozen=True)
class BackfillMessage:
    """Stored data that fills a gap: a packet from `replay`, or a row of the last hour. The stream's own ids start again
    after it.
    """

    symbol: str
    data: Any
    type: Literal["backfill"] = "backfill"


@dataclass(frozen=True)
class SkippedMessage:
    """Messages dropped because this reader was too slow. Pass `resume_from=data["from_id"]` to receive them."""

    symbol: str
    data: schema.StreamSkipped
    type: Literal["skipped"] = "skipped"


@dataclass(frozen=True)
class HoleMessage:
    """Messages after `after_id` are past retention and permanently missing, except those that follow as `backfill`."""

    symbol: str
    after_id: str
    """Last message before the gap, of any symbol."""
    oldest_utc: str | None
    """Oldest instant still available; None if the service does not report it."""
    type: Literal["hole"] = "hole"


@dataclass(frozen=True)
class PlanMessage:
    symbol: str
    data: schema.StreamPlan
    type: Literal["plan"] = "plan"


@dataclass(frozen=True)
class ReceiptMessage:
    """Completeness of a replay."""

    symbol: str
    data: schema.Completeness
    type: Literal["receipt"] = "receipt"


@dataclass(frozen=True)
class EndMessage:
    """Last message."""

    code: str
    """Reason from the service, such as `complete`, `partial`, `key_revoked` or `credits_exhausted`. The last is also
    used if `max_credits` is reached.
    """
    resume_id: str | None
    """Id to resume from; None if nothing was received."""
    type: Literal["end"] = "end"


PacketStreamMessage = Union[PacketMessage, SkippedMessage, HoleMessage, BackfillMessage, EndMessage]
DataStreamMessage = Union[RowMessage, GapMessage, ConflatedMessage, SkippedMessage, HoleMessage, BackfillMessage, EndMessage]
ReplayStreamMessage = Union[PlanMessage, RowMessage, GapMessage, ReceiptMessage, EndMessage]
StreamMessage = Union[PacketStreamMessage, DataStreamMessage, ReplayStreamMessage]


@dataclass(frozen=True)
class Connection:
    """State of a stream's connection."""

    state: Literal["open", "waiting"]
    wait_ms: float = 0
    """While waiting: milliseconds until it is reopened."""
