"""The canonical encoding of a log entry: protobuf wire format written by hand.

Follows section "Digests, ids, canonical bytes" of the labeling page and
proto/marketstate/marketdata/v1/market_event.proto. Fields come in number order and default values are left out, as
are `received_ts_ms` (7), `ordinal` (8) and `epoch` (9). The members of the two oneofs are written even when empty.
"""

CHANNELS = {None: 0, "book": 1, "trade": 2, "context": 3, "liquidation": 4, "control": 5}
SOURCE_KINDS = {"": 0, "live": 1, "recorded": 2, "simulated": 3}
AGGRESSOR_SIDES = {"": 0, "buy": 1, "sell": 2}
POSITION_SIDES = {"": 0, "long": 1, "short": 2}
PROVENANCES = {"": 0, "venue_reported": 1, "proxy": 2}


_ONE_BYTE = [bytes([n]) for n in range(0x80)]


def varint(n):
    """An unsigned base-128 number; negative int64 values are written as 64-bit two's complement."""
    if 0 <= n < 0x80:
        return _ONE_BYTE[n]
    n &= 0xFFFFFFFFFFFFFFFF
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def _number(field, n):
    return varint(field << 3) + varint(n) if n else b""


def _message(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def _text(field, s):
    return _message(field, s.encode("utf-8")) if s else b""


def _level(field, level):
    return _message(field, b"".join(_text(i, part) for i, part in enumerate(level, 1)))


def _book(row):
    return b"".join([_level(1, level) for level in row["bids"]] + [_level(2, level) for level in row["asks"]])


def _trade(row):
    return (_text(1, row["price"]) + _text(2, row["size"]) + _text(3, row.get("venue_size", ""))
            + _number(4, AGGRESSOR_SIDES[row["aggressor_side"]]))


def _context(row):
    names = ("funding_rate", "open_interest", "mark_price", "oracle_price", "mid_price", "day_volume",
             "venue_funding_rate")
    return (b"".join(_text(field, row.get(name) or "") for field, name in enumerate(names, 1))
            + _number(8, row.get("funding_interval_hours", 0)))


def _liquidation(row):
    return (_number(1, POSITION_SIDES[row["position_side"]]) + _text(2, row["price"]) + _text(3, row["size"])
            + _number(4, PROVENANCES[row["provenance"]]) + _text(5, row.get("venue_size", "")))


def _tick(row):
    return _number(1, row["feed_clock_ms"])


def _connected(status):
    channels = b"".join(varint(CHANNELS[name]) for name in status["channels"])
    return ((_message(1, channels) if channels else b"")
            + _number(2, status["book_staleness_ms"]) + _number(3, status["trade_staleness_ms"])
            + _number(4, status["context_staleness_ms"]) + _number(5, status["closing_lag_ms"])
            + _number(6, SOURCE_KINDS[status["source_kind"]]))


def _disconnected(status):
    return _text(1, status["reason"])


def _resynced(status):
    return (_text(1, status["gap_id"]) + _number(2, CHANNELS[status["channel"]])
            + _number(3, status["start_ms"]) + _number(4, status["end_ms"]))


def _gap(status):
    return _resynced(status) + _text(5, status["reason"])


def _seam(status):
    return _text(1, status["gap_id"]) + _number(2, status["start_ms"]) + _number(3, status["end_ms"])


_STATUSES = {"connected": (1, _connected), "disconnected": (2, _disconnected), "gap": (3, _gap),
             "resynced": (4, _resynced), "seam": (5, _seam)}


def _feed_status(row):
    field, encode = _STATUSES[row["status"]["type"]]
    return _message(field, encode(row["status"]))


_BODIES = {"book": (16, _book), "trade": (17, _trade), "context": (18, _context),
           "liquidation": (19, _liquidation), "tick": (20, _tick), "feed_status": (21, _feed_status)}


def canonical_event(row):
    """The canonical bytes of one market_state_row.v1 object."""
    field, encode = _BODIES[row["kind"]]
    return (_text(1, row["venue"]) + _text(2, row["symbol"]) + _number(3, row["pass"]) + _text(4, row["venue_id"])
            + _number(5, row["exchange_ts_ms"]) + _number(6, int(row["exchange_ts_is_receive_time"]))
            + _message(field, encode(row)))
