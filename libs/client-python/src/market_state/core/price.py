"""What a call can cost, by the price table that this version was made with."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_SANDBOX_PREFIX = "msk_test_"
"""Calls of a sandbox key cost one credit each, whatever they are."""


@dataclass(frozen=True)
class Price:
    """Credits that follow from a parameter."""

    base: int
    size: int
    up: bool
    """Rounds up; else down."""
    of: str
    usual: int


def bound_of(price: int | str | Price | None, given: Mapping[str, Any], api_key: str | None) -> int | None:
    """
    The most that a call can cost, in credits of its kind; None where that is not known before it is asked (`symbol=ALL`,
    exports, streams). 0 for what is free or not metered.
    """
    if price is None:
        return 0
    if api_key is not None and api_key.startswith(_SANDBOX_PREFIX):
        return 1
    if isinstance(price, int):
        return price
    if isinstance(price, str):
        return 1 if price == "symbols" and given.get("symbol") != "ALL" else None
    units = given.get(price.of)
    try:
        steps = float(price.usual if units is None else units) / price.size
    except (TypeError, ValueError):
        return None
    if not math.isfinite(steps):
        return None
    return price.base + (math.ceil(steps) if price.up else math.floor(steps))


def units_within(price: Price, cap: int, units_max: int) -> int:
    """The most of the parameter that a call may have, so that it costs `cap` credits at most: one step at least."""
    return max(price.size, min(units_max, (cap - price.base) * price.size))
