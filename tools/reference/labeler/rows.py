"""Reading market_state_row.v1 lines (section "An entry as a row" of the labeling page), gzip or not."""

import gzip
import json

from .canonical_event import AGGRESSOR_SIDES, CHANNELS, POSITION_SIDES, PROVENANCES, SOURCE_KINDS

_EVERY_KIND = ("venue", "symbol", "pass", "venue_id", "exchange_ts_ms", "exchange_ts_is_receive_time", "ordinal")

_BY_KIND = {
    "book": ("bids", "asks"),
    "trade": ("price", "size", "aggressor_side"),
    "context": (),
    "liquidation": ("position_side", "price", "size", "provenance"),
    "tick": ("feed_clock_ms",),
    "feed_status": ("status",),
}

_BY_STATUS = {
    "connected": ("channels", "book_staleness_ms", "trade_staleness_ms", "context_staleness_ms", "closing_lag_ms",
                  "source_kind"),
    "disconnected": ("reason",),
    "gap": ("gap_id", "channel", "start_ms", "end_ms", "reason"),
    "resynced": ("gap_id", "channel", "start_ms", "end_ms"),
    "seam": ("gap_id", "start_ms", "end_ms"),
}

_WORDS = {"aggressor_side": AGGRESSOR_SIDES, "position_side": POSITION_SIDES, "provenance": PROVENANCES,
          "source_kind": SOURCE_KINDS, "channel": CHANNELS}


class RowError(Exception):
    """A line that is not a market_state_row.v1; names the line."""


def open_lines(path):
    """The lines of a text file; a gzip file is told by its first two bytes."""
    with open(path, "rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    opened = gzip.open(path, "rt", encoding="utf-8") if zipped else open(path, encoding="utf-8")
    with opened as lines:
        yield from lines


def json_lines(path):
    """(line number, object) of every line that is not blank; RowError where one is no JSON object."""
    for number, line in enumerate(open_lines(path), 1):
        if line.strip():
            try:
                value = json.loads(line)
            except ValueError as fault:
                raise RowError(f"{path}:{number}: not JSON: {fault}") from None
            if not isinstance(value, dict):
                raise RowError(f"{path}:{number}: not a JSON object")
            yield number, value


def faults(row):
    """What a row lacks, as sentences; none of a good row."""
    kind = row.get("kind")
    if kind not in _BY_KIND:
        return [f"kind {kind!r} is unknown"]
    found = [f"{name} is missing" for name in _EVERY_KIND + _BY_KIND[kind] if name not in row]
    found += _unknown_words(row)
    status = row.get("status")
    if kind == "feed_status" and not found:
        if not isinstance(status, dict) or status.get("type") not in _BY_STATUS:
            return ["status has no known type"]
        found += [f"status.{name} is missing" for name in _BY_STATUS[status["type"]] if name not in status]
        found += _unknown_words(status)
    if kind == "book" and not found and not (row["bids"] and row["asks"]):
        found.append("a book has at least one level a side")
    return found


def _unknown_words(fields):
    return [f"{name} {fields[name]!r} is unknown" for name, words in _WORDS.items()
            if name in fields and fields[name] not in words]


def read_rows(path):
    """The rows of a file in file order. Lines of another schema are passed over; a bad one raises RowError."""
    for number, row in json_lines(path):
        if row.get("schema") != "market_state_row.v1":
            continue
        found = faults(row)
        if found:
            raise RowError(f"{path}:{number}: {'; '.join(found)}")
        yield row
