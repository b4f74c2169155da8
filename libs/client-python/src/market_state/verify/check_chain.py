"""Whether packets follow on one another."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from market_state.verify.check_packet import Keys, Row, check_packet, stated_by


@dataclass(frozen=True)
class ChainBreak:
    """Where a chain is broken."""

    index: int
    """Place of the row, from 0."""
    event_id: str
    reason: str
    """What is wrong there, in one sentence."""


@dataclass(frozen=True)
class ChainCheck:
    """What was found of packets in a row."""

    ok: bool
    checked_total: int
    """Packets before the first break, or all."""
    lineage_digest: str | None
    """Lineage digest of the last of them, hex; None where there is none."""
    first_break: ChainBreak | None


def check_chain(rows: Iterable[Row], keys: Keys | None = None) -> ChainCheck:
    """
    Checks that packets of one symbol, oldest first, are each what they say and follow on one another without one missing,
    changed or put between. Stops at the first break, and names it. Throws what `check_packet` throws.
    """
    index = 0
    lineage_digest: str | None = None
    for row in rows:
        packet = stated_by(row)
        check = check_packet(row, keys)
        reason = check.faults[0] if check.faults else None
        if reason is None and lineage_digest is not None and packet["previous_lineage_digest"] != lineage_digest:
            missing = f"a packet of {packet['symbol']} is missing, or another was put in its place."
            reason = f"It does not follow on the packet before it: {missing}"
        if reason is not None:
            return ChainCheck(False, index, lineage_digest, ChainBreak(index, str(packet.get("event_id")), reason))
        lineage_digest = check.lineage_digest
        index += 1
    return ChainCheck(True, index, lineage_digest, None)
