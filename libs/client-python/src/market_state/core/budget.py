"""Credit budgets and reservations."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from market_state.errors import BudgetError

_LOCK = threading.Lock()


class Budget:
    """Credits shared by several calls. Reserves the maximum cost of running calls, so that concurrent calls cannot
    exceed it either.
    """

    def __init__(self, total: int, outer: Budget | None = None) -> None:
        if isinstance(total, bool) or not isinstance(total, int) or total < 0:
            raise ValueError("a budget must be a whole number of credits, 0 or more")
        self._left = total
        self._outer = outer

    @property
    def remaining(self) -> int:
        """Credits neither spent nor reserved."""
        return self._left if self._outer is None else min(self._left, self._outer.remaining)

    def take(self, bound: int | None, cap: int | None) -> int:
        """Reserves `bound`; if unknown, `cap` or all that is left. Raises BudgetError if fewer credits remain."""
        with _LOCK:
            left = self.remaining
            held = bound if bound is not None else min(cap if cap is not None else left, left)
            if held == 0:
                raise BudgetError("The budget is used up.", bound, 0)
            if held > left:
                raise BudgetError(f"The call could cost {held} credits, but only {left} of the budget are left.", held, left)
            self._change(-held)
            return held

    def give(self, total: int) -> None:
        with _LOCK:
            self._change(total)

    def _change(self, total: int) -> None:
        self._left += total
        if self._outer is not None:
            self._outer._change(total)


@dataclass
class Hold:
    """Credits reserved for one attempt."""

    max_credits: int | None
    """Most that the attempt may cost; None without a limit."""
    budget: Budget | None = None

    def settle(self, spent: int) -> None:
        """Records the actual cost and releases the rest."""
        if self.budget is not None and self.max_credits is not None:
            self.budget.give(max(0, self.max_credits - spent))
        self.budget = None


def hold_for(bound: int | None, cap: int | None, budget: Budget | None) -> Hold:
    """Reserves the most that an attempt could cost; if that is unknown, all that is left.

    `bound` is the most that it can cost, None if unknown; `cap` the most that it may cost, None without a limit of its
    own. Raises BudgetError if it could cost more than allowed.
    """
    if bound == 0:
        return Hold(cap)
    if bound is not None and cap is not None and bound > cap:
        raise BudgetError(f"The call could cost {bound} credits, but its limit is {cap}.", bound, cap)
    if budget is None:
        return Hold(cap)
    return Hold(budget.take(bound, cap), budget)
