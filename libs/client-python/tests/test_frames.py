"""Data frames and joins without lookahead."""

from __future__ import annotations

import os
import random
from decimal import Decimal
from typing import Any

import pytest

pd = pytest.importorskip("pandas")

from market_state.frames import gaps_frame, history_frame, join_known, join_rows, rows_frame  # noqa: E402

RUNS = int(os.environ.get("PROPERTY_RUNS", "30"))
SEED = int(os.environ.get("PROPERTY_SEED", random.randrange(10**6)))
START = pd.Timestamp("2026-01-01T00:00:00Z")


def drawn() -> Any:
    """Source of randomness for each run; failures print the seed, which PROPERTY_SEED reuses."""
    return pytest.mark.parametrize("seed", [SEED + run for run in range(RUNS)])


def utc(ms: int) -> str:
    return (START + pd.Timedelta(milliseconds=ms)).strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z"


def log_row(channel: str, at: int, sequence: int, known: int, row: dict[str, Any]) -> dict[str, Any]:
    times = {"exchange_time_utc": utc(at), "received_time_utc": utc(known)}
    inner = {"packet": row, "packet_digest": "00"} if channel == "packets" else {"row": row}
    return {"channel": channel, "sequence": sequence, "epoch": 1, "flags": [], **times, **inner}


def history_row(at: int, known: int, **facts: Any) -> dict[str, Any]:
    given = {
        **dict.fromkeys(("event_id", "state", "state_label", "winner_state", "runner_up_state", "transition_type"), "x"),
        **dict.fromkeys(("state_margin", "severity_score", "confidence_score", "contradiction_score", "novelty_score"), 0.5),
        **{"symbol": "A", "window_end_utc": utc(at), "known_at_utc": utc(known), "sequence": 1, "state_age_packets": 1},
        **{"mid_price": 58012.25, "quality_score": 75, "gap_flags": [], "tags": ["a"], "near_threshold": False, **facts},
    }
    return given


def test_history_has_a_utc_index_and_what_is_absent_is_nan() -> None:
    frame = history_frame([history_row(10_000, 12_000), history_row(20_000, 22_000, mid_price=None, a_later_field="b")])
    assert frame.index.name == "window_end_utc"
    assert str(frame.index.tz) == "UTC" and str(frame["known_at_utc"].dt.tz) == "UTC"
    assert frame["mid_price"].tolist()[0] == 58012.25 and pd.isna(frame["mid_price"].iloc[1])
    assert (frame["sequence"].dtype, frame["mid_price"].dtype) == ("int64", "float64")
    assert frame["a_later_field"].tolist() == [None, "b"]
    assert frame["tags"].tolist() == [["a"], ["a"]]


@pytest.mark.parametrize(("decimals", "value"), [("float", 0.1), ("str", "0.100"), ("decimal", Decimal("0.100"))])
def test_decimals_come_as_they_are_asked_for(decimals: Any, value: object) -> None:
    trade = {"price": "0.100", "size": "2", "aggressor_side": "buy", "venue_id": "1"}
    frame = rows_frame("trades", [log_row("trades", 0, 1, 5, trade)], decimals)
    assert frame["price"].iloc[0] == value and type(frame["price"].iloc[0]) is not type(None)
    book = {"bids": [["0.100", "1", "3"]], "asks": [["0.2", "1"], ["0.3", "1"]], "venue_id": "1"}
    frame = rows_frame("book", [log_row("book", 0, 1, 5, book)], decimals)
    assert frame["best_bid"].iloc[0] == value
    assert frame["bids"].iloc[0][0][0] == value and len(frame["asks"].iloc[0]) == 2


def test_a_price_of_history_is_exact_where_that_is_asked_for() -> None:
    rows = [history_row(0, 1, mid_price=0.1), history_row(1, 2, mid_price=1500), history_row(2, 3, mid_price=None)]
    assert history_frame(rows, "str")["mid_price"].tolist() == ["0.1", "1500", None]
    assert history_frame(rows, "decimal")["mid_price"].tolist() == [Decimal("0.1"), Decimal(1500), None]


def test_absent_decimals_are_nan_or_none_and_never_zero() -> None:
    rows = [log_row("context", 0, 1, 5, {"funding_rate": "-0.0001", "venue_id": "1"})]
    frame = rows_frame("context", rows)
    assert frame["funding_rate"].iloc[0] == -0.0001 and pd.isna(frame["open_interest"].iloc[0])
    assert rows_frame("context", rows, "str")["open_interest"].tolist() == [None]


@pytest.mark.parametrize("channel", ["book", "trades", "context", "liquidations", "control", "packets"])
def test_a_frame_without_rows_has_its_columns(channel: str) -> None:
    frame = rows_frame(channel, [])
    assert frame.empty and str(frame.index.tz) == "UTC"
    assert {"known_at_utc", "epoch", "sequence"} <= set(frame.columns)
    assert str(frame["known_at_utc"].dtype) == "datetime64[ns, UTC]"


def test_what_is_no_channel_and_no_kind_of_decimals_is_named() -> None:
    with pytest.raises(ValueError, match="'trade'.*trades"):
        rows_frame("trade", [])
    with pytest.raises(ValueError, match='"float", "str" or "decimal", not \'int\''):
        rows_frame("trades", [log_row("trades", 0, 1, 5, {"price": "1", "size": "1"})], "int")  # type: ignore[arg-type]


def test_an_open_gap_has_no_end() -> None:
    row = {"gap_id": "gap_1", "kind": "gap", "symbol": "A", "channel": None, "start_utc": utc(0), "end_utc": None}
    frame = gaps_frame([{**row, "reason": "feed_down", "resolution": "open"}])
    assert frame["start_utc"].iloc[0] == START and pd.isna(frame["end_utc"].iloc[0]) and frame["channel"].tolist() == [None]
    assert str(gaps_frame([])["end_utc"].dtype) == "datetime64[ns, UTC]"


def known_frame(source: random.Random, total: int, name: str) -> Any:
    """Rows in order of their own times, some of which became known late or several at a time."""
    at = sorted(source.randrange(0, 60_000) for _ in range(total))
    known = [each + source.choice([0, 0, 5, 2_000, 20_000]) for each in at]
    frame = pd.DataFrame({"known_at_utc": pd.to_datetime([utc(each) for each in known], utc=True), name: range(total)})
    frame.index = pd.DatetimeIndex(pd.to_datetime([utc(each) for each in at], utc=True), name="at")
    return frame


def test_instants_of_another_unit_are_joined() -> None:
    # pandas 3 gives an empty column of instants the unit s, and others us.
    joined = join_known(known_frame(random.Random(1), 5, "left"), known_frame(random.Random(1), 0, "value"))
    assert len(joined) == 5 and joined["right_value"].isna().all()


@drawn()
def test_a_join_takes_the_newest_row_known_by_then_and_nothing_later_changes_it(seed: int) -> None:
    source = random.Random(seed)
    left, right = known_frame(source, source.randrange(0, 30), "left"), known_frame(source, source.randrange(0, 30), "value")
    tolerance = source.choice([None, pd.Timedelta(seconds=source.randrange(0, 20))])
    joined = join_known(left, right, tolerance=tolerance)
    assert joined.index.equals(left.index) and joined["left"].tolist() == left["left"].tolist()
    for known, value, was_known in zip(left["known_at_utc"], joined["right_value"], joined["right_known_at_utc"]):
        before = right[right["known_at_utc"] <= known]
        if tolerance is not None:
            newest = before["known_at_utc"].max()
            before = before if not before.empty and known - newest <= tolerance else before.iloc[:0]
        if before.empty:
            assert pd.isna(value) and pd.isna(was_known)
        else:
            newest = before[before["known_at_utc"] == before["known_at_utc"].max()]
            assert value == newest["value"].iloc[-1] and was_known <= known
    # A reader at any instant would have seen the same.
    now = START + pd.Timedelta(milliseconds=source.randrange(0, 80_000))
    then = join_known(left, right[right["known_at_utc"] <= now], tolerance=tolerance)
    seen = (left["known_at_utc"] <= now).to_numpy()
    pd.testing.assert_frame_equal(joined[seen], then[seen], check_dtype=False)


SPEC = {
    "window": {"length_ms": 10_000},
    "joins": [
        {"channel": "book", "method": "newest_at_end", "tolerance_ms": 10_000},
        {"channel": "context", "method": "newest_at_end", "tolerance_ms": 120_000},
        {"channel": "trades", "method": "all_in_window"},
        {"channel": "liquidations", "method": "all_in_window"},
    ],
}


@drawn()
def test_packets_are_joined_with_rows_up_to_their_own_place_alone(seed: int) -> None:
    source = random.Random(seed)
    log: list[dict[str, Any]] = []
    packets: list[dict[str, Any]] = []
    for sequence in range(1, source.randrange(20, 120)):
        known = sequence * 500
        at = known - source.choice([0, 100, 3_000, 12_000]) + (50 if source.random() < 0.1 else 0)
        channel = source.choice(["book", "trades"])
        row = {"bids": [[str(sequence), "1"]], "asks": [["900", "1"]], "venue_id": ""}
        trade = {"price": "1", "size": str(source.randrange(1, 9)), "aggressor_side": source.choice(["buy", "sell"]), "venue_id": ""}
        log.append(log_row(channel, at, sequence, known, row if channel == "book" else trade))
        if sequence % 20 == 0:
            end = known // 10_000 * 10_000 - source.choice([0, 10_000])
            packets.append(log_row("packets", end, sequence, known, {"event_id": f"evt_{sequence}", "state": "depth_watch", "confidence": "low"}))
    frames = {channel: rows_frame(channel, [row for row in log if row["channel"] == channel], "decimal") for channel in ("book", "trades")}
    joined = join_rows(rows_frame("packets", packets), frames, SPEC)
    for packet, found in zip(packets, joined.to_dict("records"), strict=True):
        end, start = packet["exchange_time_utc"], utc((pd.Timestamp(packet["exchange_time_utc"]) - START) // pd.Timedelta("1ms") - 10_000)
        mine = [row for row in log if row["sequence"] <= packet["sequence"] and start < row["exchange_time_utc"] <= end]
        books = sorted((row["exchange_time_utc"], row["sequence"]) for row in mine if row["channel"] == "book")
        assert (found["book_sequence"] == books[-1][1]) if books else pd.isna(found["book_sequence"])
        if books:
            assert found["book_known_at_utc"] <= pd.Timestamp(packet["received_time_utc"])
        trades = [row["row"] for row in mine if row["channel"] == "trades"]
        assert found["trades_total"] == len(trades)
        assert found["trades_buy_size"] == sum(Decimal(trade["size"]) for trade in trades if trade["aggressor_side"] == "buy")


def test_a_join_names_what_it_cannot_join() -> None:
    frame = known_frame(random.Random(1), 3, "value")
    with pytest.raises(ValueError, match="right has no column known_at_utc"):
        join_known(frame, frame.drop(columns="known_at_utc"))
    with pytest.raises(ValueError, match="value; choose another prefix"):
        join_known(frame, frame, prefix="")
    packets = rows_frame("packets", [])
    with pytest.raises(ValueError, match="not control"):
        join_rows(packets, {"control": rows_frame("control", [])}, SPEC)
    texts = rows_frame("trades", [log_row("trades", 0, 1, 5, {"price": "1", "size": "1", "aggressor_side": "buy"})], "str")
    with pytest.raises(ValueError, match='decimals="float" or "decimal"'):
        join_rows(packets, {"trades": texts}, SPEC)
