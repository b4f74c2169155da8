"""The price of one call."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from market_state.types import Answer

if TYPE_CHECKING:
    from market_state.generated import schema


class AsyncQuote:
    """The price of one call, binding for five minutes."""

    def __init__(self, estimate: schema.UsageEstimate, run: Callable[[], Awaitable[Answer[Any]]]) -> None:
        self.id = estimate["quote_id"]
        """Sent as `X-Quote-Id`."""
        self.max_credits = estimate["estimated_market_state_credit_cost"]
        """The most that the call can cost, in market-state credits."""
        self.max_export_credits = estimate["estimated_export_credit_cost"]
        """The same in export credits."""
        self.expires_at_utc = estimate["quote_expires_at_utc"]
        self.estimate = estimate
        """The whole estimate: what the price depends on, and the balances after it."""
        self._run = run

    async def run(self) -> Answer[Any]:
        """Makes the call as it was quoted. PaymentRequiredError `quote_mismatch` when the quote has expired."""
        return await self._run()
