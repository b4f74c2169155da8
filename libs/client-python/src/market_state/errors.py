"""What this package throws. Each error has the facts of its cause as attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from market_state.generated.problem_codes import ProblemCode


class MarketStateError(Exception):
    """Any error of this package."""


@dataclass(frozen=True)
class Fault:
    """One invalid thing of a request."""

    loc: tuple[str | int, ...]
    """Starts with query, path, header or body, then names and indexes."""
    msg: str
    type: str


@dataclass(frozen=True)
class ProblemFacts:
    """What a refusal says of itself."""

    status: int
    code: ProblemCode | str
    """Stable machine code; empty if the answer was not the service's own, as from a proxy. Later releases may send further codes."""
    title: str
    detail: str
    request_id: str
    docs: str
    """Path of the page about the code."""
    retry_after_ms: float | None
    """How long the service asks to wait, milliseconds; None where it does not say."""
    body: Mapping[str, Any]
    """The whole body, for members that one code has: `symbols_served`, `max_credits`."""
    attempts: int
    """Times that the call was sent."""


class ProblemError(MarketStateError):
    """The service refused a call. Nothing was charged."""

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
    """401: no credential, or one that does not count."""


class PaymentRequiredError(ProblemError):
    """402: credits, a spend control or the bound of this call do not cover it."""


class ForbiddenError(ProblemError):
    """403: the key lacks the scope, or may not do this."""


class NotFoundError(ProblemError):
    """404: no such thing, or not yours."""


class ConflictError(ProblemError):
    """409: not in the present state, or the first call with this Idempotency-Key is still running."""


@dataclass(frozen=True)
class GoneSymbol:
    """A symbol of a stream whose next messages are no longer kept."""

    symbol: str
    oldest_available_utc: str | None


class GoneError(ProblemError):
    """410: no longer kept."""

    @property
    def oldest_utc(self) -> str | None:
        """The oldest instant that can be asked for; None where the service does not say."""
        oldest = self.body.get("oldest_available_utc")
        return oldest if isinstance(oldest, str) else None

    @property
    def gone(self) -> Sequence[GoneSymbol]:
        """Of a stream of several symbols: those whose next messages are no longer kept."""
        return [GoneSymbol(each["symbol"], each.get("oldest_available_utc")) for each in self.body.get("gone") or []]

    @property
    def resume_id(self) -> str | None:
        """Of a stream of several symbols: goes on with those that are not gone."""
        resume_id = self.body.get("resume_id")
        return resume_id if isinstance(resume_id, str) else None


class InvalidError(ProblemError):
    """422: invalid parameters or body, every fault of them."""

    @property
    def faults(self) -> Sequence[Fault]:
        detail = self.body.get("detail")
        if not isinstance(detail, list):
            return []
        return [Fault(tuple(each.get("loc") or ()), str(each.get("msg")), str(each.get("type"))) for each in detail]


class RateLimitedError(ProblemError):
    """429: too many calls, or too many at once."""


class ServerError(ProblemError):
    """5xx: the service cannot answer."""


class TransportError(MarketStateError):
    """No whole answer came: the connection failed, broke or took too long. What was sent may have been done, and charged."""

    def __init__(self, message: str, request_id: str, attempts: int) -> None:
        super().__init__(message)
        self.request_id = request_id
        self.attempts = attempts
        """Times that the call was sent."""


class BudgetError(MarketStateError):
    """A call that could cost more than is allowed was not sent."""

    def __init__(self, message: str, needed: int | None, allowed: int) -> None:
        super().__init__(message)
        self.needed = needed
        """Most credits that the call could cost; None where that is not known beforehand."""
        self.allowed = allowed
        """Credits that it may cost."""


class VerificationError(MarketStateError):
    """A message, packet or file is not what it says it is. `code` names which check failed."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class PartialError(MarketStateError):
    """A replay is not whole, and `allow_partial` was not given."""

    def __init__(self, reasons: Sequence[str], gap_ids: Sequence[str]) -> None:
        gaps = f", {len(gap_ids)} gap{'s' if len(gap_ids) > 1 else ''}" if gap_ids else ""
        super().__init__(f"The replay is not whole: {', '.join(reasons)}{gaps}. allow_partial=True takes what there is.")
        self.reasons = tuple(reasons)
        """As in the receipt: `gaps_in_window`, `window_not_finished`, `before_retention` and so on."""
        self.gap_ids = tuple(gap_ids)


class StreamEnded(MarketStateError):
    """A stream that cannot go on: `resume_from=error.resume_id` goes on where it broke."""

    def __init__(self, code: str, resume_id: str | None, cause: BaseException | None) -> None:
        super().__init__(f"The stream ended: {code}.{f' {cause}' if cause is not None else ''}")
        self.code = code
        """`connection_lost`, or the code of the refusal that kept the stream from being opened again."""
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
    """The error of a refusal, of the class of its status."""
    other = ServerError if facts.status >= 500 else ProblemError
    return _BY_STATUS.get(facts.status, other)(facts)
