"""The same rows as frames of polars. Needs the extra `market-state[polars]`."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from market_state.core.numbers import number_text
from market_state.frames.tables import EXACT, GAP_COLUMNS, LOG, NUMBERS, PLAIN, Row, check_channel, history_columns

if TYPE_CHECKING:
    import polars as pl

PolarsDecimals = Literal["float", "str"]
"""Type of decimals: "float" is the nearest double, "str" is exact."""

_INTEGERS = frozenset({"epoch", "sequence", "state_age_packets", "quality_score"})
_INSTANTS = frozenset({"known_at_utc", "window_end_utc", "exchange_time_utc", "start_utc", "end_utc"})
_LISTS = frozenset({"flags", "gap_flags", "tags"})


def history_polars(rows: Sequence[Row], decimals: PolarsDecimals = "float") -> pl.DataFrame:
    """Rows of `listHistory` in order, with the column `window_end_utc`."""
    columns: dict[str, list[Any]] = {name: [row.get(name) for row in rows] for name in ("window_end_utc", *history_columns(rows))}
    if not _is_text(decimals):
        return _frame(columns, NUMBERS)
    columns["mid_price"] = [None if price is None else number_text(price) for price in columns["mid_price"]]
    return _frame(columns, NUMBERS - {"mid_price"})


def gaps_polars(rows: Sequence[Row]) -> pl.DataFrame:
    """Rows of `listGaps` in order. `end_utc` is null while a gap is open."""
    return _frame({name: [row.get(name) for row in rows] for name in GAP_COLUMNS}, frozenset())


def rows_polars(channel: str, rows: Sequence[Row], decimals: PolarsDecimals = "float") -> pl.DataFrame:
    """Rows of one channel in order, with the column `exchange_time_utc`, or for packets `window_end_utc`. Objects are
    JSON text. Raises ValueError for an unknown channel.
    """
    check_channel(channel)
    as_text = _is_text(decimals)
    time = "window_end_utc" if channel == "packets" else "exchange_time_utc"
    columns: dict[str, list[Any]] = {time: [row["exchange_time_utc"] for row in rows]}
    for name, read in {**LOG, **EXACT[channel], **PLAIN[channel]}.items():
        columns[name] = [read(row) for row in rows]
    numbers = NUMBERS
    if not as_text:
        numbers = numbers | set(EXACT[channel])
        for name in EXACT[channel]:
            columns[name] = [None if text is None else float(text) for text in columns[name]]
    if channel == "book":
        for side in ("bids", "asks"):
            columns[side] = [[[each if as_text else float(each) for each in level[:2]] for level in row["row"].get(side) or []] for row in rows]
    return _frame(columns, numbers, as_text)


def _frame(columns: Mapping[str, list[Any]], numbers: frozenset[str], as_text: bool = False) -> pl.DataFrame:
    polars = _polars()
    level = polars.String if as_text else polars.Float64
    types = {
        **dict.fromkeys(_INTEGERS, polars.Int64),
        **dict.fromkeys(_LISTS, polars.List(polars.String)),
        **dict.fromkeys(("bids", "asks"), polars.List(polars.List(level))),
        **dict.fromkeys(numbers, polars.Float64),
    }
    series = []
    for name, values in columns.items():
        if name in _INSTANTS:
            instants = [None if text is None else datetime.fromisoformat(text.replace("Z", "+00:00")) for text in values]
            series.append(polars.Series(name, instants, dtype=polars.Datetime("ms", "UTC")))
            continue
        plain = values if name in _LISTS or name in ("bids", "asks") else [json.dumps(value) if isinstance(value, (dict, list)) else value for value in values]
        if name in types:
            series.append(polars.Series(name, plain, dtype=types[name]))
        else:
            series.append(polars.Series(name, plain, strict=False))
    frame: pl.DataFrame = polars.DataFrame(series)
    return frame


def _is_text(decimals: str) -> bool:
    if decimals not in ("float", "str"):
        raise ValueError(f'decimals must be "float" or "str" for polars, not {decimals!r}')
    return decimals == "str"


def _polars() -> Any:
    try:
        import polars
    except ImportError as error:
        raise ImportError('These frames need the package polars: pip install "market-state[polars]"') from error
    return polars
