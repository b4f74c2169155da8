"""Cases shared with the TypeScript client: libs/client/tests/cases.json."""

from __future__ import annotations

import dataclasses
import json
import struct
from typing import Any

import pytest
from clients import arguments, method_of, options_of, snake, snake_keys
from conftest import cases
from market_state import MarketState, check_chain, check_packet, is_usable, verify_webhook
from market_state.core.retry import wait_before
from market_state.core.sse import EventParser
from market_state.errors import MarketStateError, ProblemError, ProblemFacts, TransportError, VerificationError
from market_state.verify import canonical_json
from player import Player


def settings_of(case: dict[str, Any]) -> dict[str, Any]:
    return {"api_key": "msk_live_x", "random": lambda: 0.0, **snake_keys(case.get("client", {}))}


def plain(value: Any) -> Any:
    """Errors, answers and messages under the names used by the cases."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    return value


def assert_error(error: BaseException | None, expected: dict[str, Any]) -> None:
    assert error is not None
    for name, value in expected.items():
        if name == "begins":
            assert str(error).startswith(value)
            continue
        found = type(error).__name__ if name == "name" else getattr(error, snake(name))
        assert plain(found) == value, name


def assert_matches(found: Any, expected: Any) -> None:
    """Everything expected must be there; more is allowed."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for name, value in expected.items():
            assert_matches(found[name], value)
    else:
        assert plain(found) == expected


@cases("calls")
def test_call(case: dict[str, Any], kind: Any, names: dict[str, str]) -> None:
    answers: list[Any] = []

    def work(ms: Any, runner: Any) -> Any:
        for call in case["calls"]:
            options = options_of(call.get("options", {}))
            if "knownFrom" in call:
                options = dataclasses.replace(options, known=answers[call["knownFrom"]])
            method = method_of(ms, call["operation"], names)
            try:
                answers.append(runner.call(method, **arguments(call.get("params", {})), options=options))
            except MarketStateError as error:
                answers.append(error)
        return ms.budget_left

    with Player(case["replies"]) as player:
        left = kind.run(player.url, settings_of(case), case.get("budget"), work)
    for answer, outcome in zip(answers, case["outcomes"], strict=True):
        if "error" in outcome:
            assert_error(answer, outcome["error"])
        else:
            assert answer.data == outcome["data"]
            assert_matches(plain(answer.call), snake_keys(outcome.get("call", {})))
    for sent, expected in zip(player.sent, case.get("sent", [])):
        assert_matches(sent, expected)
    assert len(player.sent) == case.get("sentTotal", len(player.sent))
    for name in case.get("same", []):
        assert len({sent["headers"][name] for sent in player.sent}) == 1
    assert left == case.get("budgetLeft", left)


@cases("streams")
def test_stream(case: dict[str, Any], kind: Any, names: dict[str, str]) -> None:
    messages: list[dict[str, Any]] = []

    def work(ms: Any, runner: Any) -> Any:
        given = {**snake_keys(case.get("params", {})), **snake_keys(case.get("options", {}))}
        stream = method_of(ms, case["operation"], names)(**given)
        try:
            runner.each(stream, lambda message: messages.append(plain(message)))
        except MarketStateError as error:
            return ms.budget_left, error
        return ms.budget_left, None

    with Player(case["replies"]) as player:
        left, error = kind.run(player.url, settings_of(case), case.get("budget"), work)
    if "error" in case:
        assert_error(error, case["error"])
    else:
        assert error is None
    if "messages" in case:
        assert len(messages) == len(case["messages"])
        for message, expected in zip(messages, case["messages"]):
            assert_matches(message, snake_keys(expected))
    if "last" in case:
        assert_matches(messages[-1], snake_keys(case["last"]))
    assert len(messages) == case.get("messageTotal", len(messages))
    sent = player.sent
    assert len(sent) == case.get("sentTotal", len(sent))
    assert case.get("after") in (None, [each["headers"]["last-event-id"] for each in sent])
    assert case.get("maxCredits") in (None, [each["headers"]["x-max-credits"] for each in sent])
    assert_matches(dict(sent[0]["query"]), case.get("query", {}))
    assert_matches(dict(sent[-1]["query"]), case.get("lastQuery", {}))
    assert left == case.get("budgetLeft", left)


@cases("waits")
def test_wait(case: dict[str, Any]) -> None:
    status, attempts = case["status"], case["attempts"]
    facts = ProblemFacts(status or 0, "", "", "", "", "", case["retryAfterMs"], {}, attempts)
    error = TransportError("", "", attempts) if status is None else ProblemError(facts)
    assert wait_before(error, attempts, case["repeatable"], lambda: case["random"]) == case["waitMs"]


@cases("prices")
def test_price(case: dict[str, Any]) -> None:
    with MarketState("http://127.0.0.1:1", api_key="msk_live_x") as ms:
        assert ms.credits_at_most(case["operation"], **arguments(case["params"])) == case["credits"]


@cases("webhooks")
def test_webhook(case: dict[str, Any]) -> None:
    given = {"tolerance_seconds": case["toleranceSeconds"], "now": lambda: case["now"]}
    try:
        assert verify_webhook(case["body"].encode(), case["headers"], case["secrets"], **given) == json.loads(case["body"])
        verdict = "genuine"
    except VerificationError as error:
        verdict = error.code
    assert verdict == case["verdict"]


@cases("canonical")
def test_canonical_json(case: dict[str, Any]) -> None:
    assert canonical_json(json.loads(case["json"])) == case["text"]


@cases("numbers")
def test_number(case: dict[str, Any]) -> None:
    assert canonical_json(struct.unpack(">d", bytes.fromhex(case["double"]))[0]) == case["text"]


@cases("packets")
def test_packet(case: dict[str, Any]) -> None:
    pytest.importorskip("cryptography")
    assert_matches(plain(check_packet(case["row"], case.get("keys"))), snake_keys(case["check"]))


@cases("chains")
def test_chain(case: dict[str, Any]) -> None:
    pytest.importorskip("cryptography")
    expected = snake_keys(case["check"])
    expected["first_break"] = expected["first_break"] and snake_keys(expected["first_break"])
    assert plain(check_chain(case["rows"], case.get("keys"))) == expected


@cases("sse")
def test_events(case: dict[str, Any]) -> None:
    data = case["text"].encode()
    for cut in range(len(data) + 1):
        parser = EventParser()
        read = [*parser.feed(data[:cut]), *parser.feed(data[cut:]), *parser.feed(b"\n")]
        assert plain(read) == case["events"]


@cases("usable")
def test_usable(case: dict[str, Any]) -> None:
    assert is_usable(case["answer"]) is case["usable"]
