"""Whether an answer may be acted on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_UNUSABLE_STATE = "insufficient_evidence"


def is_usable(answer: Mapping[str, Any]) -> bool:
    """
    Whether an answer may be acted on: False where its data is stale or missing, or where the state of any of its packets is
    `insufficient_evidence`. A program that cannot look at the reasons stops there.
    """
    if answer.get("state") == _UNUSABLE_STATE:
        return False
    meta = answer.get("meta")
    semantics = meta.get("response_semantics") if isinstance(meta, Mapping) else None
    if isinstance(semantics, Mapping):
        if semantics.get("stale") is True or semantics.get("freshness_state") in ("stale", "missing"):
            return False
        if semantics.get("availability_state") == "unavailable":
            return False
    packet = answer.get("packet")
    if isinstance(packet, Mapping) and not is_usable(packet):
        return False
    rows = answer.get("rows")
    return not isinstance(rows, list) or all(not isinstance(row, Mapping) or is_usable(row) for row in rows)
