"""Quotes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from market_state.types import Answer

if TYPE_CHECKING:
    from market_state.generated import schema


class AsyncQuote:
    """Price of one call, binding for five minutes."""

    def __init__(self, estimate: schema.UsageEstimate, run: Callable[[], Awaitable[Answer[Any]]]) -> None:
        self.id = estimate["quote_id"]
        """Sent as `X-Quote-Id`."""
        self.max_credits = estimate["estimated_market_state_credit_cost"]
        """Most that the call can cost in market-state credits."""
        self.max_export_credits = estimate["estimated_export_credit_cost"]
        """Most that the call can cost in export credits."""
        self.expires_at_utc = estimate["quote_expires_at_utc"]
        self.estimate = estimate
        """Complete estimate, with the basis of the price and the balances after the call."""
        self._run = run

    async def run(self) -> Answer[Any]:
        """Makes the quoted call. Raises PaymentRequiredError `quote_mismatch` if the quote has expired."""
        return await self._run()
