"""Arguments and results of calls."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from typing import Any, Final, Generic, TypeVar, Union

T = TypeVar("T")

Instant = Union[str, int, datetime]
"""Point in time: RFC 3339, epoch milliseconds, or a datetime (or pandas timestamp) with a time zone."""


class Unset(Enum):
    """Marks a body field as left out, where None has a meaning of its own."""

    UNSET = "unset"

    def __repr__(self) -> str:
        return "UNSET"


UNSET: Final = Unset.UNSET


@dataclass(frozen=True)
class CallFacts:
    """Facts about an answered call."""

    request_id: str
    """Sent with every attempt as `X-Request-Id`; look up receipts with `ms.usage.receipt(request_id=...)`."""
    status: int
    """200, or 304 if `known` was still current."""
    charged: int | None
    """Credits charged for the answered attempt; None if the call is not metered."""
    remaining: int | None
    """Credits left afterwards; None if the call is not metered."""
    attempts: int
    """Times the call was sent. If above 1, a response lost in transit may have been charged too."""
    etag: str | None


@dataclass(frozen=True)
class Answer(Generic[T]):
    """Parsed answer."""

    data: T
    """Body. Decimals are strings, times are RFC 3339; later versions of the service may add fields and values."""
    call: CallFacts


@dataclass(frozen=True)
class CallOptions:
    """Options of one call."""

    timeout_ms: float | None = None
    """Timeout of one attempt in milliseconds; the client's by default."""
    max_credits: int | None = None
    """Most credits for this call, of its kind; the client's `max_credits_per_call` by default."""
    quote_id: str | None = None
    """Quote to bind the call to; `ms.quote` sets it for you."""
    idempotency_key: str | None = None
    """For operations that accept one: replaces the generated key, so that a later call can repeat this one."""
    known: Answer[Any] | None = None
    """Earlier answer of the same call; its `data` is returned again if the service reports it as unchanged."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Additional headers, such as `range`."""
