"""Ranges and alerts, over a real connection."""

from __future__ import annotations

from typing import Any

import pytest
from clients import Async, Sync
from market_state import MarketState, TransportError
from player import Player

FROM = 1_767_225_600_000
HOUR_MS = 3_600_000
Kind = Sync | Async


def window(sequences: list[int], following: str | None = None, reasons: tuple[str, ...] = ()) -> dict[str, Any]:
    receipt = {"reasons": list(reasons), "gap_ids": ["gap_1"] if reasons else []}
    return {"body": {"rows": [{"sequence": at} for at in sequences], "completeness": receipt, "next_cursor": following}}


def asked(kind: Kind, replies: list[Any], work: Any) -> tuple[Any, list[dict[str, Any]]]:
    with Player(replies) as player:
        found = kind.run(player.url, {"api_key": "msk_live_x", "random": lambda: 0.0}, None, work)
    return found, [dict(sent["query"]) for sent in player.sent]


def read(kind: Kind, rows: Any) -> list[Any]:
    had: list[Any] = []
    kind.each_row(rows, had.append)
    return had


def test_rows_of_a_channel_are_read_hour_by_hour_and_say_what_is_missing(kind: Kind) -> None:
    replies = [window([1, 2], "c1"), window([3], None, ("gap",)), window([4])]

    def work(ms: Any, _kind: Any) -> Any:
        found = ms.trades.range(symbol="ETHUSD-PERP", from_=FROM, to=FROM + HOUR_MS + 1)
        return [row["sequence"] for row in read(kind, found)], found.partial, found.gap_ids

    found, queries = asked(kind, replies, work)
    assert found == ([1, 2, 3, 4], ["gap"], ["gap_1"])
    assert [(query["channels"], query["start"], query["end"], query.get("cursor")) for query in queries] == [
        ("trades", str(FROM), str(FROM + HOUR_MS), None),
        ("trades", str(FROM), str(FROM + HOUR_MS), "c1"),
        ("trades", str(FROM + HOUR_MS), str(FROM + HOUR_MS + 1), None),
    ]


@pytest.mark.parametrize("channel", ["book", "trades", "context", "liquidations", "candles", "gaps", "history"])
def test_every_channel_has_the_same_names_and_requests_nothing_beyond_the_limit(kind: Kind, channel: str) -> None:
    def work(ms: Any, _kind: Any) -> Any:
        return read(kind, getattr(ms, channel).range(from_="2026-01-01T00:00:00Z", to=FROM + HOUR_MS, limit=2, as_of=FROM))

    found, queries = asked(kind, [window([1, 2], "c1")], work)
    assert (len(found), len(queries)) == (2, 1)
    assert {queries[0].get("from", queries[0].get("start")), queries[0].get("to", queries[0].get("end"))} == {str(FROM), str(FROM + HOUR_MS)}


def test_an_empty_span_is_refused_before_anything_is_sent(kind: Kind) -> None:
    def work(ms: Any, _kind: Any) -> None:
        with pytest.raises(ValueError, match="the span is empty"):
            ms.candles.range(from_=FROM, to=FROM)

    assert asked(kind, [], work)[1] == []


def messages(ids: list[str], following: str) -> dict[str, Any]:
    return {"body": {"events": [{"id": each} for each in ids], "next_cursor": following}}


def test_alerts_are_read_from_now_on_and_from_an_id_on(kind: Kind) -> None:
    def first(total: int, **given: Any) -> Any:
        def work(ms: Any, _kind: Any) -> Any:
            had: list[Any] = []

            def take(alert: Any) -> None:
                had.append((alert.data["id"], alert.id))
                if len(had) == total:
                    raise StopIteration

            try:
                kind.each_row(ms.alerts.stream(**given), take)
            except (StopIteration, RuntimeError):
                pass
            return had

        return work

    replies = [messages([], "c0"), messages(["a", "b"], "c2"), {"status": 503, "body": {}}, messages(["c"], "c3")]
    found, queries = asked(kind, replies, first(3))
    assert found == [("a", "c0"), ("b", "c2"), ("c", "c3")]
    assert queries[0] == {"kinds": "alert.triggered", "start": "now", "wait_seconds": "0"}
    assert [query.get("cursor") for query in queries] == [None, "c0", "c2", "c2"]
    found, queries = asked(kind, [messages(["d"], "c4")], first(1, resume_from="c3"))
    assert queries[0] == {"kinds": "alert.triggered", "cursor": "c3", "wait_seconds": "20"}


def test_a_transport_error_names_the_call_without_its_query_and_the_reason() -> None:
    with MarketState("http://127.0.0.1:1", api_key="x", random=lambda: 0.0) as ms, pytest.raises(TransportError) as caught:
        ms.latest.get(symbol="ALL")
    address = "GET http://127.0.0.1:1/api/public/market-state/latest"
    assert caught.value.address == address
    assert str(caught.value).startswith(f"The connection failed before a complete response arrived. {address}: ")
    assert "refused" in str(caught.value)
    assert caught.value.__cause__ is not None
