"""The messages of streams. `type` tells them apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Union

if TYPE_CHECKING:
    from market_state.generated import schema


@dataclass(frozen=True)
class PacketMessage:
    symbol: str
    id: str
    """Where the stream goes on after this message: keep it, and give it as `resume_from`."""
    data: schema.StreamPacket | schema.CompactPacket
    type: Literal["packet"] = "packet"


@dataclass(frozen=True)
class RowMessage:
    symbol: str
    id: str
    data: schema.DataRow
    type: Literal["row"] = "row"


@dataclass(frozen=True)
class ConflatedMessage:
    """With `conflate_ms`: the rows of a symbol in one interval, and how many books and clock ticks were left out for newer ones."""

    symbol: str
    id: str
    data: schema.StreamConflated
    type: Literal["conflated"] = "conflated"


@dataclass(frozen=True)
class GapMessage:
    """An entry of the gap ledger: rows are missing there."""

    symbol: str
    id: str
    data: schema.Gap
    type: Literal["gap"] = "gap"


@dataclass(frozen=True)
class BackfillMessage:
    """What is stored of a hole: a packet from `replay`, or a row of the last hour. The stream's own ids begin again after it."""

    symbol: str
    data: Any
    type: Literal["backfill"] = "backfill"


@dataclass(frozen=True)
class SkippedMessage:
    """This reader was too slow, and these messages were not sent to it. `resume_from=data["from_id"]` has them sent."""

    symbol: str
    data: schema.StreamSkipped
    type: Literal["skipped"] = "skipped"


@dataclass(frozen=True)
class HoleMessage:
    """What came after an id is no longer kept: messages are missing here for good, but for those that follow as `backfill`."""

    symbol: str
    after_id: str
    """The last message before it, of any symbol."""
    oldest_utc: str | None
    """The oldest instant that the service still has; None where it does not say."""
    type: Literal["hole"] = "hole"


@dataclass(frozen=True)
class PlanMessage:
    symbol: str
    data: schema.StreamPlan
    type: Literal["plan"] = "plan"


@dataclass(frozen=True)
class ReceiptMessage:
    """Whether a replay was whole."""

    symbol: str
    data: schema.Completeness
    type: Literal["receipt"] = "receipt"


@dataclass(frozen=True)
class EndMessage:
    """The last message."""

    code: str
    """As the service says it: `complete`, `partial`, `key_revoked`, `credits_exhausted`. The latter also where `max_credits` is reached."""
    resume_id: str | None
    """Where a later stream goes on; None where nothing was received."""
    type: Literal["end"] = "end"


PacketStreamMessage = Union[PacketMessage, SkippedMessage, HoleMessage, BackfillMessage, EndMessage]
DataStreamMessage = Union[RowMessage, GapMessage, ConflatedMessage, SkippedMessage, HoleMessage, BackfillMessage, EndMessage]
ReplayStreamMessage = Union[PlanMessage, RowMessage, GapMessage, ReceiptMessage, EndMessage]
StreamMessage = Union[PacketStreamMessage, DataStreamMessage, ReplayStreamMessage]


@dataclass(frozen=True)
class Connection:
    """How the connection of a stream stands."""

    state: Literal["open", "waiting"]
    wait_ms: float = 0
    """While waiting: milliseconds until it is opened again."""
