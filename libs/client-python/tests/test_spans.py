"""Spans as data frames, over a real connection."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from clients import Async, Sync
from market_state import CallOptions, PartialError
from player import Player

pytest.importorskip("pandas")

HOUR = "2026-01-01T00:00:00.000Z"
START_MS = 1_767_225_600_000
Kind = Sync | Async


def window(rows: list[Any], status: str = "complete", reasons: tuple[str, ...] = (), following: str | None = None) -> dict[str, Any]:
    receipt = {"status": status, "reasons": list(reasons), "gap_ids": ["gap_1"] if reasons else []}
    return {"body": {"rows": rows, "completeness": receipt, "next_cursor": following}}


def trade(sequence: int) -> dict[str, Any]:
    row = {"price": "1.5", "size": "2", "aggressor_side": "sell", "venue_id": "v"}
    times = {"exchange_time_utc": HOUR, "received_time_utc": HOUR}
    return {"channel": "trades", "sequence": sequence, "epoch": 1, "flags": [], **times, "row": row}


def asked(kind: Kind, replies: list[Any], work: Any, **settings: Any) -> tuple[Any, list[dict[str, Any]]]:
    with Player(replies) as player:
        found = kind.run(player.url, {"api_key": "msk_live_x", **settings}, None, lambda ms, _kind: work(ms))
    return found, [dict(sent["query"]) for sent in player.sent]


def test_a_replay_of_several_hours_is_asked_hour_by_hour_and_page_by_page(kind: Kind) -> None:
    replies = [window([trade(1)], "partial", ("more_rows_follow",), "c1"), window([trade(2)]), window([trade(3)])]
    span = ("A", HOUR, datetime(2026, 1, 1, 1, 30, tzinfo=timezone.utc))
    frames, queries = asked(kind, replies, lambda ms: call_frames(kind, ms, span))
    (trades,) = frames
    assert trades["sequence"].tolist() == [1, 2, 3]
    assert trades.attrs == {"partial": [], "gap_ids": []}
    assert [(query["start"], query["end"], query.get("cursor")) for query in queries] == [
        (str(START_MS), str(START_MS + 3_600_000), None),
        (str(START_MS), str(START_MS + 3_600_000), "c1"),
        (str(START_MS + 3_600_000), str(START_MS + 5_400_000), None),
    ]


def call_frames(kind: Kind, ms: Any, span: tuple[Any, ...], **given: Any) -> Any:
    replay = ms.replay(*span)
    return kind.call(lambda **more: replay.to_frames("trades", **more), **given)


def test_a_replay_that_is_not_whole_raises_unless_it_is_allowed(kind: Kind) -> None:
    replies = [window([trade(1)], "partial", ("gaps_in_window",))]
    span = ("A", HOUR, START_MS + 60_000)
    with pytest.raises(PartialError, match="gaps_in_window, 1 gap. Pass allow_partial=True") as caught:
        asked(kind, replies, lambda ms: call_frames(kind, ms, span))
    assert (caught.value.reasons, caught.value.gap_ids) == (("gaps_in_window",), ("gap_1",))
    (frames, _queries) = asked(kind, replies, lambda ms: call_frames(kind, ms, span, allow_partial=True))
    assert frames[0].attrs == {"partial": ["gaps_in_window"], "gap_ids": ["gap_1"]}


@pytest.mark.parametrize(("cap", "own", "limit"), [(100, None, "1000"), (10, None, "225"), (1, None, "25"), (10, 5, "100")])
def test_a_page_of_history_is_as_large_as_a_call_may_cost(kind: Kind, cap: int, own: int | None, limit: str) -> None:
    options = None if own is None else CallOptions(max_credits=own)
    replies = [{"body": {"rows": [], "next_cursor": None}}]

    def work(ms: Any) -> Any:
        history = ms.history("A", HOUR, START_MS + 60_000, options=options)
        return kind.call(history.rows().all, max_rows=10)

    if cap == 1:
        with pytest.raises(Exception, match="could cost 2 credits, but its limit is 1"):
            asked(kind, replies, work, max_credits_per_call=cap)
        return
    _rows, queries = asked(kind, replies, work, max_credits_per_call=cap)
    assert (queries[0]["limit"], queries[0]["from"], queries[0]["to"]) == (limit, str(START_MS), str(START_MS + 60_000))


def test_history_returns_the_gaps_of_its_span(kind: Kind) -> None:
    span = {"start_utc": HOUR, "end_utc": None}
    gap = {"gap_id": "g", "kind": "gap", "symbol": "A", "channel": None, **span, "reason": "r", "resolution": "open"}
    frame, queries = asked(
        kind,
        [{"body": {"rows": [gap], "next_cursor": None}}],
        lambda ms: kind.call(ms.history("A", HOUR, START_MS + 60_000).gaps_df),
    )
    assert frame["gap_id"].tolist() == ["g"] and queries[0]["from"] == str(START_MS)


@pytest.mark.parametrize(
    ("start", "end", "fault"),
    [
        (datetime(2026, 1, 1), HOUR, "has no time zone"),
        ("2026-01-01T00:00:00", HOUR, "has no time zone: end it with Z"),
        ("yesterday", HOUR, "'yesterday' is not an instant"),
        (HOUR, HOUR, "the span is empty"),
        (datetime(2026, 1, 1, tzinfo=timezone(timedelta(hours=1))), "2025-12-31T22:59:59Z", "the span is empty"),
    ],
)
def test_a_span_that_is_none_is_named_before_anything_is_sent(kind: Kind, start: Any, end: Any, fault: str) -> None:
    with pytest.raises(ValueError, match=fault):
        asked(kind, ["cut"], lambda ms: ms.history("A", start, end))
