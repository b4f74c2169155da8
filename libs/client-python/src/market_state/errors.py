"""Errors of this package. Each has the facts of its cause as attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from market_state.generated.problem_codes import ProblemCode


class MarketStateError(Exception):
    """Base class of all errors of this package."""


@dataclass(frozen=True)
class Fault:
    """One invalid part of a request."""

    loc: tuple[str | int, ...]
    """Starts with query, path, header or body, followed by names and indexes."""
    msg: str
    type: str


@dataclass(frozen=True)
class ProblemFacts:
    """Content of an error response."""

    status: int
    code: ProblemCode | str
    """Stable machine code; empty if the response did not come from the service itself, but from a proxy, for example.
    Later releases may add codes.
    """
    title: str
    detail: str
    request_id: str
    docs: str
    """Path of the documentation page for the code."""
    retry_after_ms: float | None
    """Wait requested by the service in milliseconds; None if it requests none."""
    body: Mapping[str, Any]
    """Complete body, with members specific to one code, such as `symbols_served` or `max_credits`."""
    attempts: int
    """Times the call was sent."""


class ProblemError(MarketStateError):
    """Error response of the service. Nothing was charged."""

    def __init__(self, facts: ProblemFacts) -> None:
        code = f" {facts.code}" if facts.code else ""
        super().__init__(f"{facts.status}{code}: {facts.detail}")
        self.status = facts.status
        self.code = facts.code
        self.title = facts.title
        self.detail = facts.detail
        self.request_id = facts.request_id
        self.docs = facts.docs
        self.retry_after_ms = facts.retry_after_ms
        self.body = facts.body
        self.attempts = facts.attempts


class UnauthorizedError(ProblemError):
    """401: missing or invalid credential."""


class PaymentRequiredError(ProblemError):
    """402: not covered by credits, a spend control or the limit of this call."""


class ForbiddenError(ProblemError):
    """403: the key lacks a scope or permission."""


class NotFoundError(ProblemError):
    """404: does not exist, or belongs to another tenant."""


class ConflictError(ProblemError):
    """409: conflicts with the current state, or the first call with this Idempotency-Key is still running."""


@dataclass(frozen=True)
class GoneSymbol:
    """Symbol of a stream whose next messages are past retention."""

    symbol: str
    oldest_available_utc: str | None


class GoneError(ProblemError):
    """410: past retention."""

    @property
    def oldest_utc(self) -> str | None:
        """Oldest available instant; None if the service does not report it."""
        oldest = self.body.get("oldest_available_utc")
        return oldest if isinstance(oldest, str) else None

    @property
    def gone(self) -> Sequence[GoneSymbol]:
        """For a stream of several symbols: the symbols whose next messages are past retention."""
        return [GoneSymbol(each["symbol"], each.get("oldest_available_utc")) for each in self.body.get("gone") or []]

    @property
    def resume_id(self) -> str | None:
        """For a stream of several symbols: id to resume the other symbols from."""
        resume_id = self.body.get("resume_id")
        return resume_id if isinstance(resume_id, str) else None


class InvalidError(ProblemError):
    """422: invalid parameters or body, with every fault."""

    @property
    def faults(self) -> Sequence[Fault]:
        detail = self.body.get("detail")
        if not isinstance(detail, list):
            return []
        return [Fault(tuple(each.get("loc") or ()), str(each.get("msg")), str(each.get("type"))) for each in detail]


class RateLimitedError(ProblemError):
    """429: too many calls, or too many at the same time."""


class ServerError(ProblemError):
    """5xx: the service cannot answer."""


def _reason_of(error: BaseException | None) -> str:
    """Reason of the innermost cause, such as `[Errno 111] Connection refused`."""
    if error is None:
        return ""
    return _reason_of(error.__cause__ or error.__context__) or str(error) or type(error).__name__


class TransportError(MarketStateError):
    """No complete response arrived: the connection failed, broke or timed out. The call may have been executed and
    charged.
    """

    def __init__(
        self, message: str, request_id: str, attempts: int, address: str = "", cause: BaseException | None = None
    ) -> None:
        super().__init__(f"{message} {': '.join(filter(None, (address, _reason_of(cause))))}" if address else message)
        self.__cause__ = cause
        self.address = address
        """Method and URL without its query; empty if several addresses were called."""
        self.request_id = request_id
        self.attempts = attempts
        """Times the call was sent."""


class BudgetError(MarketStateError):
    """The call was not sent because it could cost more than allowed."""

    def __init__(self, message: str, needed: int | None, allowed: int) -> None:
        super().__init__(message)
        self.needed = needed
        """Most credits the call could cost; None if unknown in advance."""
        self.allowed = allowed
        """Credits the call may cost."""


class VerificationError(MarketStateError):
    """A message, packet or file failed verification. `code` names the check."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class PartialError(MarketStateError):
    """A replay is incomplete and `allow_partial` is not set."""

    def __init__(self, reasons: Sequence[str], gap_ids: Sequence[str]) -> None:
        gaps = f", {len(gap_ids)} gap{'s' if len(gap_ids) > 1 else ''}" if gap_ids else ""
        super().__init__(f"The replay is incomplete: {', '.join(reasons)}{gaps}. Pass allow_partial=True to use what is available.")
        self.reasons = tuple(reasons)
        """From the receipt: `gaps_in_window`, `window_not_finished`, `before_retention` and so on."""
        self.gap_ids = tuple(gap_ids)


class StreamEnded(MarketStateError):
    """The stream ended and could not be reopened. Pass `resume_from=error.resume_id` to resume where it broke."""

    def __init__(self, code: str, resume_id: str | None, cause: BaseException | None) -> None:
        super().__init__(f"The stream ended: {code}.{f' {cause}' if cause is not None else ''}")
        self.code = code
        """`connection_lost`, or the error code that kept the stream from being reopened."""
        self.resume_id = resume_id


_BY_STATUS: dict[int, type[ProblemError]] = {
    401: UnauthorizedError,
    402: PaymentRequiredError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    410: GoneError,
    422: InvalidError,
    429: RateLimitedError,
}


def problem_of(facts: ProblemFacts) -> ProblemError:
    """Error of the class that matches the status."""
    other = ServerError if facts.status >= 500 else ProblemError
    return _BY_STATUS.get(facts.status, other)(facts)
