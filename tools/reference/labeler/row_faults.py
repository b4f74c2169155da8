"""What a market_state_row.v1 holds (section "An entry as a row" of the labeling page): these fields and no others."""

import re
from functools import lru_cache

from .canonical_event import AGGRESSOR_SIDES, CHANNELS, POSITION_SIDES, PROVENANCES, SOURCE_KINDS

SCHEMA = "market_state_row.v1"

_EVERY_KIND = ("schema", "kind", "venue", "symbol", "pass", "venue_id", "exchange_ts_ms", "exchange_ts_is_receive_time",
               "received_ts_ms", "ordinal", "epoch")

# Further fields by kind: those that must be there, those that may.
_BY_KIND = {
    "book": (("bids", "asks"), ("locked_book",)),
    "trade": (("price", "size", "aggressor_side"), ("venue_size",)),
    "context": ((), ("funding_rate", "open_interest", "mark_price", "oracle_price", "mid_price", "day_volume",
                     "venue_funding_rate", "funding_interval_hours")),
    "liquidation": (("position_side", "price", "size", "provenance"), ("venue_size",)),
    "tick": (("feed_clock_ms",), ()),
    "feed_status": (("status",), ()),
}

_BY_STATUS = {
    "connected": ("channels", "book_staleness_ms", "trade_staleness_ms", "context_staleness_ms", "closing_lag_ms",
                  "source_kind"),
    "disconnected": ("reason",),
    "gap": ("gap_id", "channel", "start_ms", "end_ms", "reason"),
    "resynced": ("gap_id", "channel", "start_ms", "end_ms"),
    "seam": ("gap_id", "start_ms", "end_ms"),
}

_INTEGER_MAX = 2 ** 53 - 1
_LEVELS_MAX = 25
_PLAIN = r"(?:0|[1-9][0-9]{0,63})(?:\.[0-9]{0,63}[1-9])?"
# As a venue sends it: zeros may trail.
_SENT = r"(?:0|[1-9][0-9]{0,63})(?:\.[0-9]{1,64})?"


def _integer(least):
    return (lambda value: type(value) is int and least <= value <= _INTEGER_MAX), f"an integer of at least {least}"


def _matching(pattern, words):
    fits = lru_cache(maxsize=65536)(re.compile(pattern).fullmatch)
    return (lambda value: isinstance(value, str) and fits(value) is not None), words


def _one_of(known):
    words = [word for word in known if word]
    return (lambda value: isinstance(value, str) and value in words), f"one of {', '.join(words)}"


_POSITIVE = _matching(r"(?!0\Z)" + _PLAIN, "a positive decimal string in plain notation")
_AS_SENT = _matching(r"(?![0.]+\Z)" + _SENT, "a positive decimal string")
_UNSIGNED = _matching(_SENT, "an unsigned decimal string")
_SIGNED = _matching(r"(?!-[0.]+\Z)-?" + _SENT, "a decimal string")
_TEXT = (lambda value: isinstance(value, str)), "a string"
_NAME = (lambda value: isinstance(value, str) and value != ""), "a string that is not empty"
_COUNT = _integer(0)
_CHANNEL = _one_of(CHANNELS)


def _is_level(level):
    return (isinstance(level, list) and 2 <= len(level) <= 3 and _POSITIVE[0](level[0]) and _POSITIVE[0](level[1])
            and all(_AS_SENT[0](size) for size in level[2:]))


def _is_side(value):
    return isinstance(value, list) and 1 <= len(value) <= _LEVELS_MAX and all(_is_level(level) for level in value)


def _are_channels(value):
    return isinstance(value, list) and all(_CHANNEL[0](name) for name in value) and len(set(value)) == len(value)


_SIDE = _is_side, f"a list of 1 to {_LEVELS_MAX} levels [price, size] or [price, size, venue_size]"

# Whether a field's value may stand there, and what it must be.
_FORMS = {
    "schema": (lambda value: value == SCHEMA, SCHEMA), "kind": _one_of(_BY_KIND), "venue": _NAME,
    "symbol": _matching(r"[A-Z0-9]{1,32}USD-PERP", "of the form <BASE>USD-PERP"), "venue_id": _TEXT,
    "exchange_ts_is_receive_time": (lambda value: isinstance(value, bool), "true or false"), "ordinal": _integer(1),
    "bids": _SIDE, "asks": _SIDE, "price": _POSITIVE, "size": _POSITIVE, "venue_size": _AS_SENT,
    "aggressor_side": _one_of(AGGRESSOR_SIDES), "position_side": _one_of(POSITION_SIDES),
    "provenance": _one_of(PROVENANCES), "mark_price": _AS_SENT, "oracle_price": _AS_SENT, "mid_price": _AS_SENT,
    "open_interest": _UNSIGNED, "day_volume": _UNSIGNED, "funding_rate": _SIGNED, "venue_funding_rate": _SIGNED,
    "funding_interval_hours": _integer(1),
    "status": (lambda value: isinstance(value, dict), "an object"),
    "locked_book": (lambda value: value is True, "true"),
}
_STATUS_FORMS = {
    "type": _one_of(_BY_STATUS), "gap_id": _NAME, "source_kind": _one_of(SOURCE_KINDS), "reason": _TEXT,
    "channel": (lambda value: value is None or _CHANNEL[0](value), f"null or {_CHANNEL[1]}"),
    "channels": (_are_channels, f"a list of {_CHANNEL[1][len('one of '):]}, none twice"),
}
_GAP_REASONS = ("sequence_gap", "log_lost", "feed_down", "disconnected", "overflow", "not_listed", "arrived_late")
_GAP_FORMS = {**_STATUS_FORMS, "reason": _one_of(_GAP_REASONS)}


def faults(row):
    """What is wrong with a row, as sentences; none of a good one."""
    if not _FORMS["kind"][0](row.get("kind")):
        return [f"kind must be {_FORMS['kind'][1]}"]
    needed, possible = _BY_KIND[row["kind"]]
    found = _faults_of(row, _EVERY_KIND + needed, possible, _FORMS)
    if not found and row.get("locked_book") and row["bids"][0][0] != row["asks"][0][0]:
        found.append("locked_book must be true if the best prices are equal, else missing")
    status = row.get("status")
    return found + _status_faults(status) if row["kind"] == "feed_status" and isinstance(status, dict) else found


def _status_faults(status):
    kind, forms = status.get("type"), _STATUS_FORMS
    if not forms["type"][0](kind):
        return [f"status.type must be {forms['type'][1]}"]
    return _faults_of(status, ("type",) + _BY_STATUS[kind], (), _GAP_FORMS if kind == "gap" else forms, "status.")


def _faults_of(fields, needed, possible, forms, path=""):
    """Fields that lack, are unknown, or hold what they must not. A form that is not named is a count."""
    found = [f"{path}{name} is missing" for name in needed if name not in fields]
    for name, value in fields.items():
        fits, words = forms.get(name, _COUNT)
        if name not in needed and name not in possible:
            found.append(f"{path}{name} is not a field of this row")
        elif not fits(value):
            found.append(f"{path}{name} must be {words}")
    return found
