"""Parsing of responses."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any, Protocol

from market_state.errors import ProblemError, ProblemFacts, problem_of
from market_state.types import CallFacts


class _Headers(Protocol):
    def get(self, name: str, /) -> str | None: ...


class _Response(Protocol):
    @property
    def status_code(self) -> int: ...

    @property
    def reason_phrase(self) -> str: ...

    @property
    def headers(self) -> _Headers: ...


def call_facts_of(response: _Response, request_id: str, attempts: int) -> CallFacts:
    """Call facts from the response headers."""
    return CallFacts(
        request_id=request_id,
        status=response.status_code,
        charged=_whole_in(response, "x-credits-charged"),
        remaining=_whole_in(response, "x-credits-remaining"),
        attempts=attempts,
        etag=response.headers.get("etag"),
    )


def problem_in(response: _Response, body: bytes, request_id: str, attempts: int) -> ProblemError:
    """Error for a failed response of any format: a proxy in between may send something other than a problem document.
    """
    said = _object_in(body)

    def text(name: str) -> str:
        value = said.get(name)
        return value if isinstance(value, str) else ""

    detail = said.get("detail")
    faults = _faults_in(detail) if isinstance(detail, list) else ""
    reason = f"The response was {response.status_code} {response.reason_phrase}".strip()
    return problem_of(
        ProblemFacts(
            status=response.status_code,
            code=text("code") or ("invalid_request" if faults else ""),
            title=text("title"),
            detail=text("detail") or faults or reason,
            request_id=response.headers.get("x-request-id") or request_id,
            docs=text("docs"),
            retry_after_ms=_retry_after_in(response),
            body=said,
            attempts=attempts,
        )
    )


def json_in(body: bytes) -> Any:
    """Parses JSON. Raises ValueError for anything else, including NaN and Infinity."""
    return json.loads(body.decode("utf-8", "replace"), parse_constant=_refuse)


def _refuse(name: str) -> None:
    raise ValueError(f"JSON cannot represent {name}")


def _faults_in(faults: list[Any]) -> str:
    return "; ".join(
        f"{'.'.join(map(str, fault.get('loc') or []))} {fault.get('msg')}" for fault in faults if isinstance(fault, Mapping)
    )


def _object_in(body: bytes) -> Mapping[str, Any]:
    try:
        value = json_in(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _whole_in(response: _Response, header: str) -> int | None:
    text = response.headers.get(header) or ""
    return int(text) if text.isascii() and text.isdigit() else None


def _retry_after_in(response: _Response) -> float | None:
    """Seconds, or a date."""
    text = response.headers.get("retry-after")
    if text is None:
        return None
    try:
        wait = float(text) * 1_000
    except ValueError:
        try:
            wait = parsedate_to_datetime(text).timestamp() * 1_000 - time.time() * 1_000
        except ValueError:
            return None
    return max(0.0, wait) if math.isfinite(wait) else None
