"""Address and body of a call."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any
from urllib.parse import quote, urlencode

from market_state.core.numbers import number_text
from market_state.core.price import Price
from market_state.types import UNSET


@dataclass(frozen=True)
class OperationFacts:
    """Static facts about an operation."""

    method: str
    path: str
    kind: str = "json"
    """`json`, `text`, `file` or `stream`."""
    open: bool = False
    """Needs no credential."""
    body: str | None = None
    """Accepts a body; a `required` one is sent even if empty."""
    price: int | str | Price | None = None
    """Maximum price; None if not metered."""
    rows: str | None = None
    """Name of the paged list in the answer."""
    repeatable: bool = False
    """Accepts an `Idempotency-Key`."""
    waits: str | None = None
    """Parameter that makes the service wait for so many seconds."""


_IN_PATH = re.compile(r"\{(\w+)\}")


def address_of(facts: OperationFacts, given: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Path, query and remaining body fields of a call. Lists are repeated; objects become `name[key]`."""
    left = {name: value for name, value in given.items() if value is not UNSET}

    def filled(match: re.Match[str]) -> str:
        value = left.pop(match[1], None)
        if value is None or value == "":
            raise ValueError(f"{match[1]} is required: it is part of {facts.path}")
        return quote(text_of(value), safe="")

    path = _IN_PATH.sub(filled, facts.path)
    if facts.body is not None:
        return path, left
    pairs = [pair for name, value in left.items() for pair in _pairs(name, value)]
    return f"{path}?{urlencode(pairs)}" if pairs else path, {}


def _pairs(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if value is None:
        return
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _pairs(f"{name}[{key}]", item)
    elif isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield name, text_of(item)
    else:
        yield name, text_of(value)


def text_of(value: Any) -> str:
    """Parameter as text. Raises ValueError for a datetime without a time zone."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number_text(value)
    return utc_text(value) if isinstance(value, datetime) else str(value)


def utc_text(instant: datetime) -> str:
    """RFC 3339 in UTC, to the millisecond. Raises ValueError for a datetime without a time zone."""
    if instant.tzinfo is None or instant.utcoffset() is None:
        raise ValueError(f"{instant.isoformat()} has no time zone: add one, such as datetime.timezone.utc")
    return instant.astimezone(timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.") + f"{instant.microsecond // 1_000:03d}Z"


def body_text(rest: Mapping[str, Any]) -> bytes:
    """Body as JSON. Raises TypeError for values without a JSON form."""

    def other(value: object) -> str:
        if isinstance(value, datetime):
            return utc_text(value)
        raise TypeError(f"JSON cannot represent a {type(value).__name__}")

    return json.dumps(rest, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=other).encode()


def wire_names(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Renames parameters for the service: `from_` becomes `from`, which is reserved in Python."""
    return {name[:-1] if name.endswith("_") else name: value for name, value in parameters.items()}
