"""Client tests in addition to the shared cases."""

from __future__ import annotations

import inspect
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import market_state
import pytest
from clients import Async, Sync, method_of, snake
from market_state import AsyncMarketState, HttpClient, MarketState, VerificationError, verify_webhook
from market_state.core.request import address_of
from market_state.generated.operations import OPERATIONS
from player import Player

Kind = Sync | Async


def test_every_operation_has_a_method_in_both_clients(names: dict[str, str]) -> None:
    assert set(OPERATIONS) == set(names)
    with MarketState("http://127.0.0.1:1") as ms:
        for client in (ms, AsyncMarketState("http://127.0.0.1:1")):
            for operation in OPERATIONS:
                method = method_of(client, operation, names)
                assert inspect.getdoc(method), operation
                if OPERATIONS[operation].rows is not None:
                    group, name = names[operation].split(".")
                    rows = "rows" if name in ("get", "list") else f"{snake(name)}_rows"
                    assert callable(getattr(getattr(client, snake(group)), rows)), operation


def test_all_that_is_wrong_with_settings_is_named_and_no_key_is_shown() -> None:
    with pytest.raises(ValueError) as caught:
        MarketState("ftp://host?x", api_key="msk_live_secret \n", max_credits_per_call=-1, timeout_ms=0)
    message = str(caught.value)
    for fault in ("base_url must start with", "no user, query", "api_key must be", "max_credits_per_call must", "timeout_ms must"):
        assert fault in message
    assert "secret" not in message
    with MarketState("http://127.0.0.1:1", api_key="msk_live_secret") as ms:
        assert "secret" not in repr(ms) + repr(vars(ms)) + repr(ms._settings)


@pytest.mark.parametrize("credits", [-1, 1.5, True])
def test_a_budget_is_a_whole_number(credits: Any) -> None:
    with MarketState("http://127.0.0.1:1") as ms, pytest.raises(ValueError, match="whole number"):
        ms.with_budget(credits)


def page(at: int) -> dict[str, Any]:
    return {"body": {"rows": [{"n": 2 * at}, {"n": 2 * at + 1}], "next_cursor": None if at == 2 else f"c{at + 1}"}}


def test_pages_are_asked_for_as_their_rows_are_read(kind: Kind) -> None:
    def work(ms: Any, _kind: Any) -> Any:
        kind.call(ms.history.rows(limit=2).take, total=2)
        assert len(player.sent) == 1
        with pytest.raises(ValueError, match="more than 3 rows"):
            kind.call(ms.events.search_rows().all, max_rows=3)
        found: list[Any] = []
        kind.each_row(ms.history.rows(from_=datetime(2026, 1, 1, tzinfo=timezone.utc)), found.append)
        return found

    with Player([page(0), page(0), page(1), page(0), page(1), page(2)]) as player:
        rows = kind.run(player.url, {}, None, work)
    assert [row["n"] for row in rows] == [0, 1, 2, 3, 4, 5]
    assert [dict(sent["query"]).get("cursor") for sent in player.sent] == [None, None, "c1", None, "c1", "c2"]
    assert dict(player.sent[-1]["query"])["from"] == "2026-01-01T00:00:00.000Z"


def test_the_end_of_a_list_that_grows_is_its_end(kind: Kind) -> None:
    replies = [{"body": {"events": [{}], "next_cursor": "c1"}}, {"body": {"events": [], "next_cursor": "c1"}}]
    with Player(replies) as player:
        rows = kind.run(player.url, {}, None, lambda ms, _kind: kind.call(ms.webhooks.events_rows().all, max_rows=10))
    assert (len(rows), len(player.sent)) == (1, 2)


def test_a_call_is_bound_to_its_quote_and_may_cost_what_was_quoted(kind: Kind) -> None:
    estimate = {"quote_id": "q", "estimated_market_state_credit_cost": 500, "estimated_export_credit_cost": 0}
    with Player([{"body": {**estimate, "quote_expires_at_utc": "T"}}, {"body": {}}]) as player:

        def work(ms: Any, _kind: Any) -> Any:
            quote = kind.call(ms.quote, operation="replayPackets", limit=100)
            kind.call(quote.run)
            return quote

        quote = kind.run(player.url, {"max_credits_per_call": 10}, None, work)
    assert (quote.id, quote.max_credits, quote.max_export_credits, quote.expires_at_utc) == ("q", 500, 0, "T")
    asked = {"limit": "100", "route": "/api/public/market-state/replay", "method": "GET"}
    assert [dict(sent["query"]) for sent in player.sent] == [asked, {"limit": "100"}]
    assert player.sent[1]["headers"]["x-max-credits"] == "500"


def test_a_file_is_read_as_it_comes(kind: Kind) -> None:
    with Player([{"headers": {"x-credits-charged": "3"}, "text": "abc"}]) as player:

        def work(ms: Any, _kind: Any) -> Any:
            answer = kind.call(ms.events.bundle, event_id="evt_1")
            return answer.call.charged, answer.status, kind.call(answer.read)

        assert kind.run(player.url, {}, None, work) == (3, 200, b"abc")


def test_leaving_a_stream_closes_its_connection(kind: Kind) -> None:
    events = [["packet", f"0-{at}-0", {"event_id": "e"}] for at in (1, 2)]
    with Player([{"events": events, "then": "silence"}]) as player:

        def work(ms: Any, _kind: Any) -> Any:
            stream = ms.stream.packets()
            first = kind.first(stream)
            return first.id, ms.budget_left

        # The player ends only when every connection is closed.
        assert kind.run(player.url, {}, 10, work) == ("0-1-0", 9)


def test_a_path_needs_its_parts() -> None:
    for value in (None, ""):
        with pytest.raises(ValueError, match="event_id is required"):
            address_of(OPERATIONS["getEventEvidence"], {"event_id": value})


@pytest.mark.parametrize("headers", [[("Webhook-Id", "x")], {b"webhook-id": b"x"}, {"webhook-id": ["x", "y"]}])
def test_headers_of_any_framework_are_read(headers: Any) -> None:
    with pytest.raises(VerificationError, match="webhook-timestamp is missing"):
        verify_webhook(b"{}", headers, "whsec_AAAA")


def test_a_parsed_body_and_a_secret_that_is_none_are_named() -> None:
    with pytest.raises(VerificationError, match="already parsed.*raw body") as caught:
        verify_webhook({"type": "x"}, {}, "whsec_AAAA")  # type: ignore[arg-type]
    assert caught.value.code == "body_parsed"
    headers = {"webhook-id": "a", "webhook-timestamp": "0", "webhook-signature": "v1,AAAA"}
    for secrets, fault in (([], "Pass at least one secret"), ("whsec_%", "whsec_ followed by base64"), ("whsec_AA==", "24 to 64 bytes")):
        with pytest.raises(ValueError, match=fault):
            verify_webhook(b"{}", headers, secrets, now=lambda: 0.0)


def test_a_client_closes_its_own_connections_and_no_others() -> None:
    with MarketState("http://127.0.0.1:1") as ms:
        small = ms.with_budget(1)
    assert ms._http.is_closed and small._http is ms._http
    with HttpClient() as http:
        with MarketState("http://127.0.0.1:1", http=http):
            pass
        assert not http.is_closed
    with pytest.raises(RuntimeError, match="closed"):
        ms.latest.get()


def test_the_package_says_that_it_is_typed_and_names_all_that_it_offers() -> None:
    assert (Path(market_state.__file__).parent / "py.typed").exists()
    assert all(hasattr(market_state, name) for name in market_state.__all__)
