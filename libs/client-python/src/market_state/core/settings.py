"""How the service is reached."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from urllib.parse import urlsplit

from market_state.core.budget import Budget
from market_state.core.retry import Random

IDLE_SECONDS = 4.0
"""The service closes a connection that is idle for 5 s."""
_KEY_HEADER = "x-market-state-api-key"
_PRINTABLE = range(0x21, 0x7F)


@dataclass(frozen=True)
class Settings:
    base_url: str
    """Without a slash at its end."""
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
    """Checked settings. ValueError that names all that is wrong with them."""
    parts = urlsplit(base_url)
    faults = []
    if parts.scheme not in ("http", "https") or not parts.netloc:
        faults.append("base_url must begin with https:// or http:// and name a host")
    if parts.query or parts.fragment or parts.username or parts.password:
        faults.append("base_url must have no user, query or fragment")
    if api_key is not None and (not api_key or any(ord(character) not in _PRINTABLE for character in api_key)):
        faults.append("api_key must be a key as it was shown, without spaces or line ends; None where there is none")
    if isinstance(max_credits_per_call, bool) or not isinstance(max_credits_per_call, int) or max_credits_per_call < 0:
        faults.append("max_credits_per_call must be a whole number, 0 or more")
    if not timeout_ms > 0:
        faults.append("timeout_ms must be above 0")
    if faults:
        raise ValueError("; ".join(faults))
    return Settings(base_url.rstrip("/"), api_key, max_credits_per_call, timeout_ms, budget, random)


def credential_of(settings: Settings, is_open: bool) -> dict[str, str]:
    """The header of the client's key, if the operation needs one."""
    return {} if settings.api_key is None or is_open else {_KEY_HEADER: settings.api_key}


def new_id(prefix: str) -> str:
    """A new id: 128 random bits, hex."""
    return prefix + secrets.token_hex(16)
