"""Digests and ids (section "Digests, ids, canonical bytes" of the labeling page). All digests are lower-case hex."""

from hashlib import sha256

from .canonical_event import canonical_event, varint
from .canonical_json import canonical_bytes

FIRST_LINEAGE_DIGEST = "00" * 32
_CROCKFORD = "0123456789abcdefghjkmnpqrstvwxyz"


def sha256_hex(data):
    """SHA-256 as lower-case hex."""
    return sha256(data).hexdigest()


def input_digest(rows):
    """Over the events of a window in order of application, then its feed status entries in log order.

    Each goes in as the length of its canonical encoding (a varint), then the encoding.
    """
    digest = sha256()
    for row in rows:
        encoding = canonical_event(row)
        digest.update(varint(len(encoding)) + encoding)
    return digest.hexdigest()


def lineage_digest(previous, packet_digest):
    """The chain's next link: SHA-256 of the two digests' 64 raw bytes."""
    return sha256_hex(bytes.fromhex(previous) + bytes.fromhex(packet_digest))


def crockford26(data):
    """The first 130 bits of `data` from the highest on, five a character, in Crockford base32: 26 characters."""
    bits = int.from_bytes(data[:17], "big") >> 6
    return "".join(_CROCKFORD[bits >> shift & 31] for shift in range(125, -1, -5))


def identity(market, window_end_ms, policy_digest, window_input_digest, previous_lineage_digest):
    """The 26 characters that `packet_id` and `event_id` share."""
    parts = [market, window_end_ms, policy_digest, window_input_digest, previous_lineage_digest]
    return crockford26(sha256(canonical_bytes(parts)).digest())
