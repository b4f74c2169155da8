"""Verification of packet chains."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from market_state.verify.check_packet import Keys, Row, examine, is_protected, stated_by


@dataclass(frozen=True)
class ChainBreak:
    """Position of a broken chain."""

    index: int
    """Zero-based row index."""
    event_id: str
    reason: str
    """One sentence."""


@dataclass(frozen=True)
class ChainCheck:
    """Result of checking consecutive packets."""

    ok: bool
    checked_total: int
    """Packets before the first break, or all; without the last one if nothing protects its content."""
    lineage_digest: str | None
    """Lineage digest of the last packet before the break, or of the last, in hex; None if there is none."""
    first_break: ChainBreak | None


def check_chain(rows: Iterable[Row], keys: Keys | None = None) -> ChainCheck:
    """Checks that packets of one symbol, oldest first, are valid and consecutive, with none missing, changed or
    inserted. Stops at the first break. Each packet's content is protected by the link of the next, or by its own row's
    digest or signature. Raises like `check_packet`.
    """
    index = 0
    lineage_digest: str | None = None
    is_last_checked = True
    for row in rows:
        packet = stated_by(row)
        check = examine(row, keys)
        reason = check.faults[0] if check.faults else None
        if reason is None and lineage_digest is not None and packet["previous_lineage_digest"] != lineage_digest:
            missing = f"a packet of {packet['symbol']} is missing or was replaced."
            reason = f"It does not follow the previous packet: {missing}"
        if reason is not None:
            checked = index if is_last_checked else index - 1
            return ChainCheck(False, checked, lineage_digest, ChainBreak(index, str(packet.get("event_id")), reason))
        lineage_digest = check.lineage_digest
        is_last_checked = is_protected(check)
        index += 1
    return ChainCheck(True, index if is_last_checked else index - 1, lineage_digest, None)
