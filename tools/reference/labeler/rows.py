"""Reading market_state_row.v1 lines: one JSON object a line, gzip or not."""

import gzip
import json

KINDS = ("book", "trade", "context", "liquidation", "tick", "feed_status")
_COMMON = ("venue", "symbol", "pass", "venue_id", "exchange_ts_ms", "exchange_ts_is_receive_time", "ordinal")


class RowError(Exception):
    """A line that is not a market_state_row.v1; names the line."""


def open_lines(path):
    """The lines of a text file; a gzip file is told by its first two bytes."""
    with open(path, "rb") as file:
        zipped = file.read(2) == b"\x1f\x8b"
    opened = gzip.open(path, "rt", encoding="utf-8") if zipped else open(path, encoding="utf-8")
    with opened as lines:
        yield from lines


def read_rows(path):
    """The rows of a file in file order. Lines of another schema are passed over, broken ones raise RowError."""
    for number, line in enumerate(open_lines(path), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as fault:
            raise RowError(f"{path}:{number}: not JSON: {fault}") from None
        if not isinstance(row, dict) or "schema" not in row:
            raise RowError(f"{path}:{number}: not an object with a schema")
        if row["schema"] != "market_state_row.v1":
            continue
        missing = [name for name in _COMMON if name not in row]
        if row.get("kind") not in KINDS or missing:
            raise RowError(f"{path}:{number}: kind {row.get('kind')!r}, missing fields {missing}")
        yield row
