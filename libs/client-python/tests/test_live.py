"""Client tests against the running service of MARKET_STATE_URL and MARKET_STATE_API_KEY."""

from __future__ import annotations

import asyncio
import itertools
import os
import time
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from market_state import AsyncMarketState, MarketState, check_chain, check_packet
from market_state.errors import InvalidError, NotFoundError, PartialError, ProblemError, UnauthorizedError
from market_state.frames import join_known, join_rows

URL = os.environ.get("MARKET_STATE_URL", "")
KEY = os.environ.get("MARKET_STATE_API_KEY", "")
PACKETS = int(os.environ.get("PACKETS_MIN", "1000"))
"""Minimum number of packets to check."""
SYMBOLS = ("BTCUSD-PERP", "ETHUSD-PERP", "SIMUSD-PERP")
SYMBOL = SYMBOLS[0]
MINUTE = timedelta(minutes=1)

pytestmark = pytest.mark.skipif(URL == "", reason="MARKET_STATE_URL names no service")


@pytest.fixture(scope="module")
def ms() -> Iterator[MarketState]:
    with MarketState(URL, api_key=KEY, max_credits_per_call=1_000) as client:
        yield client


@pytest.fixture(scope="module")
def end() -> datetime:
    """End of a complete span: some time ago, on a full minute."""
    now = datetime.now(timezone.utc) - 2 * MINUTE
    return now.replace(second=0, microsecond=0)


def test_digests_computed_here_are_those_of_the_service(ms: MarketState) -> None:
    keys = ms.signing_keys.get().data
    total = 0
    for symbol in SYMBOLS:
        rows = []
        # `latest` and the stream have digests with their packets; `replay` has consecutive packets.
        for row in ms.replay.rows(symbol=symbol, limit=100, replay_window_seconds=86_400):
            rows.append(row)
        chain = check_chain(rows, keys)
        assert chain.ok, chain
        total += chain.checked_total
        stated = [row["previous_lineage_digest"] for row in (each["packet"] for each in rows)]
        computed = [check_packet(row).lineage_digest for row in rows]
        # Each packet states the previous digest, as computed by the service.
        assert stated[1:] == computed[:-1]
    assert total >= PACKETS


def test_packets_of_the_log_match_their_recorded_digests(ms: MarketState, end: datetime) -> None:
    rows = ms.replay_window.rows(symbol=SYMBOL, start=end - 10 * MINUTE, end=end, channels="packets").all(max_rows=100)
    keys = ms.signing_keys.get().data
    checks = [check_packet(row, keys) for row in rows]
    assert len(checks) == 60 and all(check.ok and check.body for check in checks)


def test_a_streamed_packet_is_signed_by_a_key_in_use(ms: MarketState) -> None:
    keys = ms.signing_keys.get().data
    with ms.stream.packets(SYMBOL, max_credits=1) as stream:
        message = next(message for message in stream if message.type == "packet")
    check = check_packet(message.data, keys)
    assert (check.ok, check.body, check.signature, check.key_validity) == (True, True, True, True)


def test_history_is_the_packets_of_the_span_by_their_ends(ms: MarketState, end: datetime) -> None:
    history = ms.history(SYMBOL, end - 30 * MINUTE, end)
    frame = history.to_df()
    ends = [end - 30 * MINUTE + timedelta(seconds=10 * at) for at in range(180)]
    assert list(frame.index.to_pydatetime()) == ends
    assert (frame["known_at_utc"] >= frame.index).all()
    assert frame["mid_price"].dtype == "float64" and frame["mid_price"].notna().any()
    assert list(frame["event_id"]) == [row["event_id"] for row in history.rows()]
    gaps = history.gaps_df()
    assert list(gaps["gap_id"]) == [row["gap_id"] for row in ms.gaps.rows(symbol=SYMBOL, from_=end - 30 * MINUTE, to=end)]


def test_a_replay_gives_the_rows_of_the_service_and_joins_them_with_its_packets(ms: MarketState, end: datetime) -> None:
    span = (SYMBOL, end - 5 * MINUTE, end)
    book, trades, packets = ms.replay(*span).to_frames("book", "trades", "packets", decimals="decimal", allow_partial=True)
    rows = list(ms.replay_window.rows(symbol=SYMBOL, start=span[1], end=span[2], channels="book,trades,packets"))
    assert len(rows) == len(book) + len(trades) + len(packets) and len(packets) == 30
    first = next(row["row"] for row in rows if row["channel"] == "trades")
    assert (str(trades["price"].iloc[0]), str(trades["size"].iloc[0])) == (first["price"], first["size"])
    history = ms.history(*span).to_df()
    # Log and history agree on when a packet became known.
    assert list(packets["known_at_utc"]) == list(history["known_at_utc"]) and list(packets["event_id"]) == list(history["event_id"])
    same = ["mid_price", "state", "state_label", "state_age_packets", "transition_type", "event_class", "event_profile", "severity_class"]
    for name in [*same, "severity_score", "confidence_label", "confidence_score", "contradiction_score", "novelty_score"]:
        assert packets[name].isna().sum() == 0 and list(packets[name]) == list(history[name]), name

    spec = ms.events.join_spec(event_id=packets["event_id"].iloc[-1]).data
    joined = join_rows(packets, {"book": book, "trades": trades}, spec)
    assert (joined["book_known_at_utc"].dropna() <= joined.loc[joined["book_sequence"].notna(), "known_at_utc"]).all()
    middles = (joined["book_best_bid"] + joined["book_best_ask"]).astype(float) / 2
    # The window of the first packet is before the span.
    assert [round(value, 4) for value in middles][1:] == [round(value, 4) for value in history["mid_price"]][1:]
    known = join_known(trades, history)
    assert (known["right_known_at_utc"].dropna() <= known.loc[known["right_state"].notna(), "known_at_utc"]).all()


def test_a_span_that_is_not_over_is_partial(ms: MarketState) -> None:
    now = datetime.now(timezone.utc)
    with pytest.raises(PartialError) as caught:
        ms.replay(SYMBOL, now - MINUTE, now + MINUTE).to_frames("trades")
    assert "window_not_finished" in caught.value.reasons


def test_a_stream_goes_on_where_another_ended(ms: MarketState) -> None:
    with ms.stream.data(SYMBOL, channels=["book", "trades"]) as stream:
        had = [message.id for message in itertools.islice((each for each in stream if each.type == "row"), 6)]
    with ms.stream.data(SYMBOL, channels=["book", "trades"], resume_from=had[2]) as stream:
        again = [message.id for message in itertools.islice((each for each in stream if each.type == "row"), 3)]
    assert again == had[3:]


def test_a_streamed_replay_has_the_rows_of_its_receipt(ms: MarketState, end: datetime) -> None:
    messages = list(ms.stream.replay(SYMBOL, end - MINUTE, end, channels=["trades"], speed="max"))
    rows = [message for message in messages if message.type == "row"]
    receipt = next(message for message in messages if message.type == "receipt")
    assert len(rows) == receipt.data["rows_expected"] and messages[-1].type == "end"


def test_an_export_is_downloaded_with_the_digest_it_names(ms: MarketState, end: datetime, tmp_path: Path) -> None:
    job = ms.exports.create(dataset="trades", symbols=[SYMBOL], from_=end - 3 * MINUTE, to=end, format="csv")
    files = ms.exports.download(job, tmp_path)
    assert files and all(each.path.stat().st_size == each.file["bytes"] for each in files)
    kept = [each.path.stat().st_mtime_ns for each in files]
    assert [each.path.stat().st_mtime_ns for each in ms.exports.download(job, tmp_path)] == kept


def test_charges_are_those_of_the_receipts(ms: MarketState) -> None:
    small = ms.with_budget(100)
    answers: list[Any] = [small.latest.get(symbol=SYMBOL), small.book.latest(depth=250), small.replay.get(limit=30)]
    assert [answer.call.charged for answer in answers] == [1, 2, 3]
    assert small.budget_left == 94
    for answer in answers:
        assert receipt_of(ms, answer.call.request_id)["observed_market_state_credit_cost"] == answer.call.charged
    quote = ms.quote("replayPackets", limit=100)
    assert quote.max_credits == ms.credits_at_most("replayPackets", limit=100) == 5
    assert quote.run().call.charged <= quote.max_credits


def receipt_of(ms: MarketState, request_id: str) -> Any:
    """Receipts appear shortly after their calls."""
    for _try in range(100):
        try:
            return ms.usage.receipt(request_id=request_id).data["rows"][0]
        except (NotFoundError, IndexError):
            time.sleep(0.1)
    raise AssertionError(f"there is no receipt of {request_id}")


def test_refusals_name_what_is_wrong(ms: MarketState) -> None:
    with pytest.raises(InvalidError) as caught:
        ms.book.latest(depth=5_000)
    assert caught.value.faults[0].loc == ("query", "depth")
    with pytest.raises(NotFoundError):
        ms.events.evidence(event_id="evt_none")
    with MarketState(URL, api_key="msk_live_none") as unknown, pytest.raises(UnauthorizedError) as refused:
        unknown.latest.get()
    assert refused.value.request_id and "msk_live_none" not in str(refused.value)


def test_calls_at_once_share_a_budget() -> None:
    asyncio.run(calls_at_once())


async def calls_at_once() -> None:
    async with AsyncMarketState(URL, api_key=KEY) as ms:
        small = ms.with_budget(5)
        answers = await asyncio.gather(*(small.latest.get(symbol=SYMBOL) for _ in range(8)), return_exceptions=True)
        served = [answer for answer in answers if not isinstance(answer, BaseException)]
        assert len(served) == 5 and small.budget_left == 0
        assert not [answer for answer in answers if isinstance(answer, ProblemError)]
        frame = await ms.history(SYMBOL, datetime.now(timezone.utc) - 3 * MINUTE, datetime.now(timezone.utc)).to_df()
        assert len(frame) > 10
