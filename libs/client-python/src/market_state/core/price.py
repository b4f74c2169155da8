"""Maximum prices from the price table of this version."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_SANDBOX_PREFIX = "msk_test_"
"""Every call with a sandbox key costs one credit."""


@dataclass(frozen=True)
class Price:
    """Credits derived from a parameter."""

    base: int
    size: int
    up: bool
    """Rounds partial units up instead of down."""
    of: str
    usual: int


def bound_of(price: int | str | Price | None, given: Mapping[str, Any], api_key: str | None) -> int | None:
    """Most that a call can cost in credits of its kind. 0 for free or unmetered calls; None if only the service knows
    (`symbol=ALL`, exports, streams).
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
    """Largest value of the parameter with which a call costs at most `cap` credits: one step at least."""
    return max(price.size, min(units_max, (cap - price.base) * price.size))
