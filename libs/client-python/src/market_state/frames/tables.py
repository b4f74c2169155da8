"""Rows of the service as data frames."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Literal

from market_state.core.numbers import number_text

if TYPE_CHECKING:
    import pandas as pd

Decimals = Literal["float", "str", "decimal"]
"""Type of decimals: "float" is the nearest double; "str" and `decimal.Decimal` ("decimal") are exact."""

UTC_NS = "datetime64[ns, UTC]"
"""Type of every column of instants."""

Row = Mapping[str, Any]
_Read = Callable[[Row], Any]
_Columns = Mapping[str, _Read]

LOG: _Columns = {
    "known_at_utc": lambda row: row["received_time_utc"],
    "epoch": lambda row: row["epoch"],
    "sequence": lambda row: row["sequence"],
    "flags": lambda row: row["flags"],
}


def _inner(*names: str) -> _Columns:
    """Fields of `row` under their own names."""
    return {name: _field(name) for name in names}


def _field(name: str) -> _Read:
    return lambda row: row["row"].get(name)


def _level(side: str, place: int) -> _Read:
    """Price (0) or size (1) of the best level of a side."""
    return lambda row: (row["row"].get(side) or [[None, None]])[0][place]


def _of_packet(*path: str) -> _Read:
    """Field of the packet; None if it or its parent is missing."""

    def read(row: Row) -> Any:
        value: Any = row["packet"]
        for name in path:
            value = value.get(name) if isinstance(value, Mapping) else None
        return value

    return read


EXACT: Mapping[str, _Columns] = {
    "book": {
        "best_bid": _level("bids", 0),
        "best_bid_size": _level("bids", 1),
        "best_ask": _level("asks", 0),
        "best_ask_size": _level("asks", 1),
    },
    "trades": _inner("price", "size"),
    "context": _inner("funding_rate", "open_interest", "mark_price", "oracle_price", "mid_price", "day_volume"),
    "liquidations": _inner("price", "size"),
    "control": {},
    "packets": {},
}
"""Decimal columns by channel."""

PLAIN: Mapping[str, _Columns] = {
    "book": _inner("venue_id"),
    "trades": _inner("aggressor_side", "venue_id"),
    "context": _inner("funding_interval_hours", "venue_id"),
    "liquidations": _inner("position_side", "provenance", "venue_id"),
    "control": _inner("kind", "feed_clock_ms", "status"),
    "packets": {
        "event_id": lambda row: row["packet"]["event_id"],
        "mid_price": _of_packet("reference_prices", "mid_price"),
        "state": lambda row: row["packet"]["state"],
        **{name: _of_packet(name) for name in ("state_label", "state_age_packets", "transition_type", "event_class", "event_profile")},
        "severity_class": _of_packet("event_severity", "severity_class"),
        "severity_score": _of_packet("event_severity", "score"),
        "confidence_label": _of_packet("confidence", "label"),
        "confidence_score": _of_packet("confidence", "score"),
        "contradiction_score": _of_packet("contradiction_score"),
        "novelty_score": _of_packet("novelty_score"),
        "packet_digest": lambda row: row["packet_digest"],
        "packet": lambda row: row["packet"],
    },
}

NUMBERS = frozenset({"mid_price", "state_margin", "severity_score", "confidence_score", "contradiction_score", "novelty_score"})
"""Columns of packets and history that are already numbers."""
_HISTORY_COLUMNS = (
    *("known_at_utc", "event_id", "sequence", "mid_price", "state", "state_label", "winner_state", "runner_up_state", "state_margin"),
    *("state_age_packets", "transition_type", "event_class", "event_profile", "severity_class", "severity_score", "diagnosis_class"),
    *("confidence_score", "confidence_label", "contradiction_score", "novelty_score", "quality_score", "gap_flags", "near_threshold"),
    *("tags", "source_kind"),
)
GAP_COLUMNS = ("gap_id", "kind", "symbol", "channel", "start_utc", "end_utc", "reason", "resolution")


def history_columns(rows: Sequence[Row]) -> list[str]:
    """Columns of history after the time, with the fields added by later versions of the service at the end."""
    further = dict.fromkeys(name for row in rows for name in row if name not in {*_HISTORY_COLUMNS, "window_end_utc", "symbol"})
    return [*_HISTORY_COLUMNS, *further]


def check_channel(channel: str) -> None:
    """Raises ValueError for an unknown channel."""
    if channel not in EXACT:
        raise ValueError(f"unknown channel {channel!r}: it must be one of {', '.join(EXACT)}")


def history_frame(rows: Sequence[Row], decimals: Decimals = "float") -> pd.DataFrame:
    """Rows of `listHistory` by `window_end_utc`. Fields added by later versions of the service become further columns.
    """
    pd = _pandas()
    columns: dict[str, Any] = {name: _objects(row.get(name) for row in rows) for name in history_columns(rows)}
    columns["known_at_utc"] = _instants(columns["known_at_utc"])
    for name in NUMBERS:
        columns[name] = _floats(columns[name])
    if decimals != "float":
        texts = [None if row["mid_price"] is None else number_text(row["mid_price"]) for row in rows]
        columns["mid_price"] = _decimals(texts, decimals)
    for name in ("sequence", "state_age_packets", "quality_score"):
        columns[name] = pd.Series(columns[name], dtype="int64")
    return _framed(columns, "window_end_utc", [row["window_end_utc"] for row in rows])


def gaps_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """Rows of `listGaps` in order. `end_utc` is NaT while a gap is open."""
    pd = _pandas()
    columns: dict[str, Any] = {name: _objects(row.get(name) for row in rows) for name in GAP_COLUMNS}
    for name in ("start_utc", "end_utc"):
        columns[name] = _instants(columns[name])
    return pd.DataFrame(columns)


def rows_frame(channel: str, rows: Sequence[Row], decimals: Decimals = "float") -> pd.DataFrame:
    """Rows of one channel of `replay/window` by `exchange_time_utc`, or of packets by `window_end_utc`. Raises
    ValueError for an unknown channel.
    """
    check_channel(channel)
    pd = _pandas()
    columns: dict[str, Any] = {}
    for name, read in LOG.items():
        columns[name] = _objects(read(row) for row in rows)
    columns["known_at_utc"] = _instants(columns["known_at_utc"])
    for name in ("epoch", "sequence"):
        columns[name] = pd.Series(columns[name], dtype="int64")
    for name, read in EXACT[channel].items():
        columns[name] = _decimals([read(row) for row in rows], decimals)
    for name, read in PLAIN[channel].items():
        values = _objects(read(row) for row in rows)
        columns[name] = _floats(values) if name in NUMBERS else values
    if channel == "book":
        for side in ("bids", "asks"):
            columns[side] = _objects(_levels(row["row"].get(side) or [], decimals) for row in rows)
    index = "window_end_utc" if channel == "packets" else "exchange_time_utc"
    return _framed(columns, index, [row["exchange_time_utc"] for row in rows])


def _levels(levels: Sequence[Sequence[str]], decimals: Decimals) -> list[list[Any]]:
    """Price and size of each level."""
    return [[_decimal(each, decimals) for each in level[:2]] for level in levels]


def _framed(columns: Mapping[str, Any], index: str, instants: list[str]) -> pd.DataFrame:
    pd = _pandas()
    frame = pd.DataFrame(columns)
    frame.index = pd.DatetimeIndex(_instants(_objects(instants)), name=index)
    return frame


def _instants(texts: Any) -> Any:
    return _pandas().to_datetime(texts, utc=True).astype(UTC_NS)


def _floats(values: Any) -> Any:
    return _pandas().Series(values, dtype="float64")


def _objects(values: Iterable[Any]) -> Any:
    """Column of unconverted values: None stays None, lists stay lists."""
    return _pandas().Series(list(values), dtype="object")


def _decimals(texts: Sequence[str | None], decimals: Decimals) -> Any:
    values = [_decimal(text, decimals) for text in texts]
    return _floats(values) if decimals == "float" else _objects(values)


def _decimal(text: str | None, decimals: Decimals) -> float | str | Decimal | None:
    if decimals not in ("float", "str", "decimal"):
        raise ValueError(f'decimals must be "float", "str" or "decimal", not {decimals!r}')
    if text is None or decimals == "str":
        return text
    return float(text) if decimals == "float" else Decimal(text)


def _pandas() -> Any:
    try:
        import pandas
    except ImportError as error:
        raise ImportError('Data frames need the package pandas: pip install "market-state[pandas]"') from error
    return pandas
