"""Settings of a client."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from urllib.parse import urlsplit

from market_state.core.budget import Budget
from market_state.core.retry import Random

IDLE_SECONDS = 4.0
"""Shorter than the 5 s after which the service closes an idle connection."""
_KEY_HEADER = "x-market-state-api-key"
_PRINTABLE = range(0x21, 0x7F)


@dataclass(frozen=True)
class Settings:
    base_url: str
    """Without a trailing slash."""
    api_key: str | None
    max_credits_per_call: int
    timeout_ms: float
    budget: Budget | None
    random: Random

    def __repr__(self) -> str:
        return f"Settings(base_url={self.base_url!r})"


def settings_of(
    base_url: str,
    api_key: str | None,
    max_credits_per_call: int,
    timeout_ms: float,
    budget: Budget | None,
    random: Random,
) -> Settings:
    """Validates the settings. Raises ValueError with every fault."""
    parts = urlsplit(base_url)
    faults = []
    if parts.scheme not in ("http", "https") or not parts.netloc:
        faults.append("base_url must start with https:// or http:// and name a host")
    if parts.query or parts.fragment or parts.username or parts.password:
        faults.append("base_url must have no user, query or fragment")
    if api_key is not None and (not api_key or any(ord(character) not in _PRINTABLE for character in api_key)):
        faults.append("api_key must be a key as issued, without spaces or line breaks, or None")
    if isinstance(max_credits_per_call, bool) or not isinstance(max_credits_per_call, int) or max_credits_per_call < 0:
        faults.append("max_credits_per_call must be a whole number, 0 or more")
    if not timeout_ms > 0:
        faults.append("timeout_ms must be above 0")
    if faults:
        raise ValueError("; ".join(faults))
    return Settings(base_url.rstrip("/"), api_key, max_credits_per_call, timeout_ms, budget, random)


def credential_of(settings: Settings, is_open: bool) -> dict[str, str]:
    """Header with the client's key, if the operation needs one."""
    return {} if settings.api_key is None or is_open else {_KEY_HEADER: settings.api_key}


def new_id(prefix: str) -> str:
    """Random id: 128 bits in hex."""
    return prefix + secrets.token_hex(16)
