"""Verification of single packets."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from market_state.verify.canonical_json import canonical_json

_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"
_ID_CHARACTERS = 26
_STATED = ("symbol", "ts", "packet_id", "policy_digest", "input_digest", "previous_lineage_digest")

Row = Mapping[str, Any]
Keys = Mapping[str, Any] | Iterable[Mapping[str, Any]]


@dataclass(frozen=True)
class PacketCheck:
    """Result of checking a packet. None marks checks for which the row has no data."""

    ok: bool
    """True if no check failed, and a digest or a signature of the row protects the packet's content."""
    packet_digest: str
    """SHA-256 of the packet as RFC 8785 JSON in hex, computed locally."""
    lineage_digest: str
    """SHA-256 of the previous lineage digest and the packet digest in hex, computed locally."""
    body: bool | None
    """True if the row's digests match the computed ones."""
    signature: bool | None
    """True if the signing key signed this digest."""
    key_validity: bool | None
    """True if the key was in use when the packet was made."""
    id: bool
    """True if the ids match symbol, window and digests."""
    faults: tuple[str, ...]
    """One sentence per failed check."""


def check_packet(row: Row, keys: Keys | None = None) -> PacketCheck:
    """Checks a packet offline: its digest, signature, key validity and ids.

    `row` is the `data` of a stream message or a line of an export; `keys` is the data of `ms.signing_keys.get()`,
    without which the signature is not checked. Fails for rows without digest and signature, as those of `latest` and
    `replay`: check several with `check_chain`. Raises TypeError if `row` has no packet, ImportError if a signature must
    be checked without the extra `market-state[verify]`.
    """
    check = examine(row, keys)
    if is_protected(check):
        return check
    return replace(check, ok=False, faults=(*check.faults, _UNPROTECTED))


_UNPROTECTED = "Nothing protects the packet's content: the row has no digest, and no signature was checked."


def is_protected(check: PacketCheck) -> bool:
    """True if a digest or a signature of the row protects the packet's content."""
    return check.body is not None or check.signature is not None


def examine(row: Row, keys: Keys | None) -> PacketCheck:
    """All checks for which the row has data."""
    packet = stated_by(row)
    digest = _sha256_of_text(canonical_json(row["packet"]))
    packet_digest = digest.hex()
    lineage_digest = hashlib.sha256(bytes.fromhex(packet["previous_lineage_digest"]) + digest).hexdigest()
    body = _same_digests(row, packet_digest, lineage_digest)
    has_own_ids = _has_own_ids(row, packet)
    signature, key_validity, of_signature = _check_signature(row, digest, keys)
    faults = (
        *(["The packet does not match its digest: its content was changed."] if body is False else []),
        *of_signature,
        *([] if has_own_ids else ["The ids of the packet do not match its content."]),
    )
    return PacketCheck(not faults, packet_digest, lineage_digest, body, signature, key_validity, has_own_ids, faults)


def stated_by(row: Row) -> Mapping[str, Any]:
    """Packet of a row. Raises TypeError if there is none."""
    packet = row.get("packet")
    if not isinstance(packet, Mapping) or not all(isinstance(packet.get(name), str) for name in _STATED):
        raise TypeError("The row has no complete packet. Compact packets cannot be checked; request view=packet.")
    return packet


def _same_digests(row: Row, packet_digest: str, lineage_digest: str) -> bool | None:
    stated, lineage = row.get("packet_digest"), row.get("lineage_digest")
    if not isinstance(stated, str):
        return None
    return stated == packet_digest and (not isinstance(lineage, str) or lineage == lineage_digest)


def _has_own_ids(row: Row, packet: Mapping[str, Any]) -> bool:
    replay = packet.get("replay")
    named = [
        # The cursor is `rc1.<market>.<window end>`.
        replay["cursor"].split(".")[1] if isinstance(replay, Mapping) else packet["symbol"],
        _epoch_ms(packet["ts"]),
        packet["policy_digest"],
        packet["input_digest"],
        packet["previous_lineage_digest"],
    ]
    identity = to_crockford(_sha256_of_text(canonical_json(named)), _ID_CHARACTERS)
    packet_ids = (packet["packet_id"], row.get("packet_id", packet["packet_id"]))
    event_ids = (packet.get("event_id"), row.get("event_id", packet.get("event_id")))
    return all(id == f"pkt_{identity}" for id in packet_ids) and all(id == f"evt_{identity}" for id in event_ids)


def _check_signature(row: Row, digest: bytes, keys: Keys | None) -> tuple[bool | None, bool | None, list[str]]:
    signature = row.get("signature")
    if keys is None or not isinstance(signature, str):
        return None, None, []
    listed = keys["keys"] if isinstance(keys, Mapping) else keys
    key = next((each for each in listed if each["kid"] == row.get("signing_key_id")), None)
    if key is None:
        return False, None, ["The key that signed the packet is not among the given keys."]
    is_signed = _is_signed_by(key, digest, signature)
    made = row.get("packet_generated_at_utc")
    validity = None if made is None else _was_in_use(key, made)
    faults = [] if is_signed else ["The signature of the packet is not valid for this key."]
    return is_signed, validity, faults if validity is not False else [*faults, "The key was not in use when the packet was made."]


def _is_signed_by(key: Mapping[str, Any], digest: bytes, signature: str) -> bool:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise ImportError('Signatures need the package cryptography: pip install "market-state[verify]"') from error
    bytes_of_key = base64.urlsafe_b64decode(key["x"] + "=" * (-len(key["x"]) % 4))
    # Key ids are digests of the key bytes, so a replaced key has a different id.
    if key["kid"] != f"key_{to_crockford(hashlib.sha256(bytes_of_key).digest(), _ID_CHARACTERS)}":
        return False
    try:
        Ed25519PublicKey.from_public_bytes(bytes_of_key).verify(base64.b64decode(signature), digest)
    except (InvalidSignature, ValueError):
        return False
    return True


def _was_in_use(key: Mapping[str, Any], made_utc: str) -> bool:
    made = _epoch_ms(made_utc)
    ended = key.get("valid_to_utc")
    return made >= _epoch_ms(key["valid_from_utc"]) and (ended is None or made < _epoch_ms(ended))


def _epoch_ms(utc: str) -> int:
    return round(datetime.fromisoformat(utc.replace("Z", "+00:00")).timestamp() * 1_000)


def _sha256_of_text(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()


def to_crockford(data: bytes, characters: int) -> str:
    """First characters of the bytes in lower-case Crockford base32, highest bit first."""
    bits = int.from_bytes(data, "big")
    return "".join(_CROCKFORD[bits >> (len(data) * 8 - 5 * (at + 1)) & 31] for at in range(characters))
