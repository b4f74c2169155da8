"""What a call is given and gives back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, Final, Generic, TypeVar, Union

T = TypeVar("T")

Instant = Union[str, int, datetime]
"""A point in time: RFC 3339, whole milliseconds since the epoch, or a datetime with its time zone (as of pandas too)."""


class Unset(Enum):
    """Marks a field of a body that is left out, where None says something else."""

    UNSET = "unset"

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset.UNSET


@dataclass(frozen=True)
class CallFacts:
    """What is known of a call once it has been answered."""

    request_id: str
    """Sent with every attempt as `X-Request-Id`: it finds the receipts (`ms.usage.receipt(request_id=...)`)."""
    status: int
    """200, or 304 where `known` was still right."""
    charged: int | None
    """Credits charged for the attempt that was answered; None where the call is not metered."""
    remaining: int | None
    """Credits left after it; None where the call is not metered."""
    attempts: int
    """Times that it was sent. Above 1, an answer that was lost on the way may have been charged too."""
    etag: str | None


@dataclass(frozen=True)
class Answer(Generic[T]):
    """An answer that was read."""

    data: T
    """The body. Decimals are strings, times RFC 3339; a later service may send further fields and values."""
    call: CallFacts


@dataclass(frozen=True)
class CallOptions:
    """What holds for one call."""

    timeout_ms: float | None = None
    """Longest time for one attempt, milliseconds, instead of the client's."""
    max_credits: int | None = None
    """Most credits for this call, of the kind that it costs, instead of the client's `max_credits_per_call`."""
    quote_id: str | None = None
    """A quote to bind the call to (`ms.quote` does it for you)."""
    idempotency_key: str | None = None
    """For an operation that takes one: yours instead of a new one, so that a later call repeats this one."""
    known: Answer[Any] | None = None
    """An earlier answer of the same call: if it is still right the service says so, and its `data` is returned again."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Further headers, such as `range`."""
