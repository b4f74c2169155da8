"""The Market-State Data API from Python."""

from market_state.aio.client import AsyncMarketState
from market_state.aio.exports import DownloadedFile
from market_state.aio.file_answer import AsyncFileAnswer
from market_state.aio.pages import AsyncRows
from market_state.aio.quote import AsyncQuote
from market_state.aio.stream import AsyncStream
from market_state.errors import (
    BudgetError,
    ConflictError,
    Fault,
    ForbiddenError,
    GoneError,
    InvalidError,
    MarketStateError,
    NotFoundError,
    PartialError,
    PaymentRequiredError,
    ProblemError,
    RateLimitedError,
    ServerError,
    StreamEnded,
    TransportError,
    UnauthorizedError,
    VerificationError,
)
from market_state.generated.sync.client import MarketState
from market_state.generated.sync.file_answer import FileAnswer
from market_state.generated.sync.pages import Rows
from market_state.generated.sync.quote import Quote
from market_state.generated.sync.stream import Stream
from market_state.types import UNSET, Answer, CallFacts, CallOptions, Instant
from market_state.usable import is_usable
from market_state.verify import check_chain, check_packet
from market_state.webhooks import verify_webhook

__all__ = [
    "UNSET",
    "Answer",
    "AsyncFileAnswer",
    "AsyncMarketState",
    "AsyncQuote",
    "AsyncRows",
    "AsyncStream",
    "BudgetError",
    "CallFacts",
    "CallOptions",
    "ConflictError",
    "DownloadedFile",
    "Fault",
    "FileAnswer",
    "ForbiddenError",
    "GoneError",
    "Instant",
    "InvalidError",
    "MarketState",
    "MarketStateError",
    "NotFoundError",
    "PartialError",
    "PaymentRequiredError",
    "ProblemError",
    "Quote",
    "RateLimitedError",
    "Rows",
    "ServerError",
    "Stream",
    "StreamEnded",
    "TransportError",
    "UnauthorizedError",
    "VerificationError",
    "check_chain",
    "check_packet",
    "is_usable",
    "verify_webhook",
]
