"""Python client of the Market-State Data API."""

from importlib import import_module
from typing import TYPE_CHECKING

from market_state.core.files import DownloadedFile
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
from market_state.transport import HttpClient
from market_state.types import UNSET, Answer, CallFacts, CallOptions, Instant
from market_state.usable import is_usable
from market_state.verify import check_chain, check_packet
from market_state.webhooks import verify_webhook

if TYPE_CHECKING:
    from market_state.aio.client import AsyncMarketState as AsyncMarketState
    from market_state.aio.file_answer import AsyncFileAnswer as AsyncFileAnswer
    from market_state.aio.pages import AsyncRows as AsyncRows
    from market_state.aio.quote import AsyncQuote as AsyncQuote
    from market_state.aio.stream import AsyncStream as AsyncStream
else:
    _ASYNC = {
        "AsyncFileAnswer": "file_answer",
        "AsyncMarketState": "client",
        "AsyncQuote": "quote",
        "AsyncRows": "pages",
        "AsyncStream": "stream",
    }

    def __getattr__(name: str) -> object:
        """Imports the asynchronous client lazily, because it needs httpx."""
        if name in _ASYNC:
            return getattr(import_module(f"market_state.aio.{_ASYNC[name]}"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "UNSET",
    "Answer",
    "BudgetError",
    "CallFacts",
    "CallOptions",
    "ConflictError",
    "DownloadedFile",
    "Fault",
    "FileAnswer",
    "ForbiddenError",
    "GoneError",
    "HttpClient",
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
