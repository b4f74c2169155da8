"""Reading market_state_row.v1 lines, gzip or not."""

import gzip
import json
import zlib

from .row_faults import SCHEMA, faults


class RowError(Exception):
    """A file that cannot be read, or a line that is not what it must be; names it."""


def open_lines(path):
    """The lines of a text file; a gzip file is recognized by its first two bytes. RowError where it is neither."""
    try:
        with open(path, "rb") as file:
            zipped = file.read(2) == b"\x1f\x8b"
        opened = gzip.open(path, "rt", encoding="utf-8") if zipped else open(path, encoding="utf-8")
        with opened as lines:
            yield from lines
    except UnicodeDecodeError:
        raise RowError(f"{path}: neither text (UTF-8) nor gzip of text") from None
    except (EOFError, zlib.error, gzip.BadGzipFile) as fault:
        raise RowError(f"{path}: its gzip is broken: {fault}") from None
    except OSError as fault:
        raise RowError(f"{path}: {fault.strerror or fault}") from None


def json_lines(path):
    """(line number, object) of every line that is not blank; RowError where one is no JSON object."""
    for number, line in enumerate(open_lines(path), 1):
        if line.strip():
            try:
                value = json.loads(line)
            except (ValueError, RecursionError) as fault:
                raise RowError(f"{path}:{number}: not JSON: {fault}") from None
            if not isinstance(value, dict):
                raise RowError(f"{path}:{number}: not a JSON object")
            yield number, value


def market_of(row, markets):
    """The market of a row: at the symbol's primary venue unless `markets` names the row's own."""
    market = f"{row['symbol']}@{row['venue']}"
    return market if market in markets else row["symbol"]


def read_rows(path, markets=frozenset()):
    """(market, row) in file order. Lines of another schema are passed over; a bad one raises RowError."""
    last = {}
    for number, row in json_lines(path):
        if row.get("schema") != SCHEMA:
            continue
        found = faults(row)
        market = None if found else market_of(row, markets)
        found = found or gap_faults(row, last.get(market))
        if found:
            raise RowError(f"{path}:{number}: {'; '.join(found)}")
        if market not in last or row["ordinal"] > last[market]["ordinal"]:
            last[market] = row
        yield market, row


def gap_faults(row, last):
    """What is missing before a row, `last` being the row of the highest ordinal before it in the symbol's log.

    Ordinals rise by 1, but where a new epoch begins past what was lost. One that does not rise is for the log to ignore.
    """
    if last is None or row["ordinal"] <= last["ordinal"]:
        return []
    if row["epoch"] < last["epoch"]:
        return [f"epoch {row['epoch']} follows {last['epoch']}"]
    if row["epoch"] == last["epoch"] and row["ordinal"] > last["ordinal"] + 1:
        return [f"ordinal {row['ordinal']} follows {last['ordinal']}, not {last['ordinal'] + 1}"]
    return []
