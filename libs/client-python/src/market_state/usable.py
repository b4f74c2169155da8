"""Usability of answers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_UNUSABLE_STATE = "insufficient_evidence"


def is_usable(answer: Mapping[str, Any]) -> bool:
    """Returns False if the data of an answer is stale or missing, or any of its packets has the state
    `insufficient_evidence`. A program that does not evaluate the reasons should stop there.
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
