"""Webhook messages (Standard Webhooks 1.0)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from market_state.errors import VerificationError

if TYPE_CHECKING:
    from typing_extensions import TypeAlias

    from market_state.generated import schema

_TOLERANCE_SECONDS = 300
_SECRET_PREFIX = "whsec_"
# Limits of Standard Webhooks 1.0.
_SECRET_BYTES_MIN = 24
_SECRET_BYTES_MAX = 64
_SIGNATURE_PREFIX = "v1,"
_WHOLE_SECONDS = re.compile(r"[0-9]{1,12}\Z")

WebhookEvent: TypeAlias = (
    "schema.PacketCreatedMessage | schema.StateChangedMessage | schema.AlertTriggeredMessage | schema.ExportFinishedMessage | "
    "schema.UsageThresholdReachedMessage | schema.EndpointDisabledMessage | schema.MessageExhaustedMessage | schema.WebhookTestMessage"
)
"""Message by `type`. Later versions of the service may add types; answer those with 204 as well."""

Headers = Mapping[str, Any] | Iterable[tuple[Any, Any]]


def verify_webhook(
    raw_body: str | bytes | bytearray | memoryview,
    headers: Headers,
    secrets: str | Sequence[str],
    *,
    tolerance_seconds: float = _TOLERANCE_SECONDS,
    now: Callable[[], float] = time.time,
) -> WebhookEvent:
    """Verifies a webhook message and returns its event.

    `raw_body` is the exact bytes of the request, or their text, before any parsing; `headers` are those of any
    framework; `secrets` are `whsec_…`, during a rotation both, in any order. `tolerance_seconds` is the maximum
    difference between the signature time and now; `now` returns seconds since the epoch.

    Raises VerificationError with the code `body_parsed`, `header_missing`, `timestamp_malformed`, `timestamp_too_old`,
    `timestamp_too_new`, `signature_mismatch` or `body_malformed`; ValueError if no secret is well formed.
    """
    body = _bytes_of(raw_body)
    named = _by_name(headers)
    id, timestamp, signatures = (_header_of(named, name) for name in ("webhook-id", "webhook-timestamp", "webhook-signature"))
    _check_time(timestamp, tolerance_seconds, now())
    keys = [_key_of(secret) for secret in ([secrets] if isinstance(secrets, str) else secrets)]
    if not keys:
        raise ValueError("Pass at least one secret to verify a message.")
    signed = f"{id}.{timestamp}.".encode() + body
    if not _is_signed(signed, signatures, keys):
        raise VerificationError(
            "signature_mismatch",
            "No signature matches this body. Either the secret is wrong, or the body is not the original bytes: "
            "parsing JSON and serialising it again (re-serialised) changes the bytes. Pass the raw body.",
        )
    return _parsed(body)


def _bytes_of(raw_body: object) -> bytes:
    if isinstance(raw_body, str):
        return raw_body.encode()
    if isinstance(raw_body, (bytes, bytearray, memoryview)):
        return bytes(raw_body)
    raise VerificationError(
        "body_parsed",
        "The body was already parsed. Serialising it again (re-serialised) does not reproduce the signed bytes. "
        "Pass the raw body: bytes or str read before any parser.",
    )


def _by_name(headers: Headers) -> dict[str, str]:
    """First value of each header by lower-case name. Frameworks use text, bytes or lists."""
    named: dict[str, str] = {}
    for name, value in headers.items() if isinstance(headers, Mapping) else headers:
        first = value[0] if isinstance(value, (list, tuple)) and value else value
        if first is not None and not isinstance(first, (list, tuple)):
            named.setdefault(_text_of(name).lower(), _text_of(first))
    return named


def _text_of(value: object) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


def _header_of(named: Mapping[str, str], name: str) -> str:
    text = named.get(name, "")
    if text == "":
        raise VerificationError("header_missing", f"The header {name} is missing.")
    return text


def _check_time(timestamp: str, tolerance_seconds: float, now: float) -> None:
    if _WHOLE_SECONDS.match(timestamp) is None:
        raise VerificationError("timestamp_malformed", "The header webhook-timestamp is not a valid time.")
    age = int(now // 1) - int(timestamp)
    if age > tolerance_seconds:
        raise VerificationError("timestamp_too_old", f"The message was signed {age} s ago, more than the {tolerance_seconds:g} s allowed.")
    if age < -tolerance_seconds:
        raise VerificationError("timestamp_too_new", f"The message was signed {-age} s in the future, more than the {tolerance_seconds:g} s allowed.")


def _key_of(secret: str) -> bytes:
    key = _decoded(secret[len(_SECRET_PREFIX) :] if secret.startswith(_SECRET_PREFIX) else secret)
    if key is None or not _SECRET_BYTES_MIN <= len(key) <= _SECRET_BYTES_MAX:
        raise ValueError("A webhook secret must be whsec_ followed by base64 of 24 to 64 bytes.")
    return key


def _is_signed(signed: bytes, signatures: str, keys: Sequence[bytes]) -> bool:
    """Compares signatures in constant time."""
    for text in signatures.split(" "):
        mac = _decoded(text[len(_SIGNATURE_PREFIX) :]) if text.startswith(_SIGNATURE_PREFIX) else None
        if mac is not None and any(hmac.compare_digest(hmac.new(key, signed, hashlib.sha256).digest(), mac) for key in keys):
            return True
    return False


def _decoded(text: str) -> bytes | None:
    """Decodes base64 or base64url, with or without padding."""
    plain = text.replace("-", "+").replace("_", "/").rstrip("=")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError):
        return None


def _parsed(body: bytes) -> WebhookEvent:
    try:
        return cast("WebhookEvent", json.loads(body.decode()))
    except ValueError:
        raise VerificationError("body_malformed", "The signature is valid, but the body is not JSON.") from None
