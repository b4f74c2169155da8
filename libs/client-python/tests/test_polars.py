"""Frames of polars. Skipped where polars is not installed."""

from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

import pytest
from clients import Async, Sync
from market_state import PartialError
from market_state.frames import gaps_polars, history_polars, rows_polars
from player import Player

pl = pytest.importorskip("polars", reason="polars is not installed")

HOUR = "2026-01-01T00:00:00.000Z"
AT = datetime(2026, 1, 1, tzinfo=timezone.utc)
Kind = Sync | Async


def entry(channel: str, row: dict[str, Any]) -> dict[str, Any]:
    times = {"exchange_time_utc": HOUR, "received_time_utc": HOUR}
    return {"channel": channel, "sequence": 1, "epoch": 0, "flags": ["late"], **times, "row": row}


def test_decimals_are_the_nearest_double_or_exact_text_and_what_is_absent_is_null() -> None:
    rows = [entry("trades", {"price": "0.1", "size": "12345678901234567890.123", "aggressor_side": "buy"})]
    frame = rows_polars("trades", rows)
    assert frame.schema["exchange_time_utc"] == pl.Datetime("ms", "UTC")
    assert frame.row(0, named=True) == {
        "exchange_time_utc": AT,
        "known_at_utc": AT,
        "epoch": 0,
        "sequence": 1,
        "flags": ["late"],
        "price": 0.1,
        "size": 12345678901234567890.123,
        "aggressor_side": "buy",
        "venue_id": None,
    }
    assert rows_polars("trades", rows, "str")["size"].to_list() == ["12345678901234567890.123"]
    with pytest.raises(ValueError, match="decimals must be"):
        rows_polars("trades", rows, "decimal")  # type: ignore[arg-type]


def test_a_book_has_its_best_levels_and_all_of_them() -> None:
    book = {"bids": [["9.5", "1", 2], ["9", "2", 1]], "asks": []}
    (row,) = rows_polars("book", [entry("book", book)]).rows(named=True)
    assert (row["best_bid"], row["best_ask"], row["bids"], row["asks"]) == (9.5, None, [[9.5, 1.0], [9.0, 2.0]], [])


def test_history_and_gaps_without_rows_keep_their_columns() -> None:
    assert history_polars([]).columns[:3] == ["window_end_utc", "known_at_utc", "event_id"]
    assert history_polars([]).schema["mid_price"] == pl.Float64
    gap = {"gap_id": "gap_1", "start_utc": HOUR, "end_utc": None}
    assert gaps_polars([gap])["end_utc"].to_list() == [None]


def test_a_client_makes_them_and_refuses_what_is_partial(kind: Kind) -> None:
    page = {"rows": [entry("trades", {"price": "1", "size": "2"})], "next_cursor": None}
    whole = {"body": {**page, "completeness": {"reasons": [], "gap_ids": []}}}
    partial = {"body": {**page, "completeness": {"reasons": ["gap"], "gap_ids": ["gap_1"]}}}

    def work(ms: Any, _kind: Any) -> Any:
        replay = ms.replay("A", HOUR, "2026-01-01T00:01:00Z")
        (trades,) = kind.call(lambda: replay.to_polars("trades"))
        with pytest.raises(PartialError):
            kind.call(lambda: replay.to_polars("trades"))
        return trades

    with Player([whole, partial]) as player:
        trades = kind.run(player.url, {"api_key": "msk_live_x"}, None, work)
    assert trades["price"].to_list() == [1.0]
