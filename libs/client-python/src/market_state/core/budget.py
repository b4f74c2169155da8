"""Credits that calls share, and what is put aside for one attempt."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from market_state.errors import BudgetError

_LOCK = threading.Lock()


class Budget:
    """Credits that several calls share. What a call could cost is put aside while it runs, so that calls at once cannot pass it either."""

    def __init__(self, total: int, outer: Budget | None = None) -> None:
        if isinstance(total, bool) or not isinstance(total, int) or total < 0:
            raise ValueError("a budget is a whole number of credits, 0 or more")
        self._left = total
        self._outer = outer

    @property
    def remaining(self) -> int:
        """Credits neither spent nor put aside."""
        return self._left if self._outer is None else min(self._left, self._outer.remaining)

    def take(self, bound: int | None, cap: int | None) -> int:
        """Puts aside `bound`; where that is not known, `cap` or all that is left. BudgetError when so many are not left."""
        with _LOCK:
            left = self.remaining
            held = bound if bound is not None else min(cap if cap is not None else left, left)
            if held == 0:
                raise BudgetError("Nothing of the budget is left.", bound, 0)
            if held > left:
                raise BudgetError(f"The call could cost {held} credits, and {left} of the budget are left.", held, left)
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
    """Credits put aside for one attempt."""

    max_credits: int | None
    """Most that the attempt may cost; None without any bound."""
    budget: Budget | None = None

    def settle(self, spent: int) -> None:
        """Says what the attempt has cost; what was put aside beyond it is free again."""
        if self.budget is not None and self.max_credits is not None:
            self.budget.give(max(0, self.max_credits - spent))
        self.budget = None


def hold_for(bound: int | None, cap: int | None, budget: Budget | None) -> Hold:
    """
    Puts aside what an attempt could cost. Where that is not known beforehand it may cost all that is left.

    `bound` is the most that it can cost, None where that is not known; `cap` the most that it may cost, None without a bound
    of its own. BudgetError when it could cost more than allowed.
    """
    if bound == 0:
        return Hold(cap)
    if bound is not None and cap is not None and bound > cap:
        raise BudgetError(f"The call could cost {bound} credits, and may cost {cap}.", bound, cap)
    if budget is None:
        return Hold(cap)
    return Hold(budget.take(bound, cap), budget)
