"""Transport behind the methods of a client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from market_state.aio.file_answer import AsyncFileAnswer
from market_state.aio.pages import AsyncRows
from market_state.aio.pause import pause
from market_state.aio.transport import AsyncHttpClient, AsyncHttpResponse, HttpError, HttpTimeout, send
from market_state.core.answers import call_facts_of, json_in, problem_in
from market_state.core.budget import hold_for
from market_state.core.deadline import Deadline
from market_state.core.price import bound_of
from market_state.core.request import OperationFacts, address_of, body_text
from market_state.core.retry import wait_before
from market_state.core.settings import Settings, credential_of, new_id
from market_state.errors import MarketStateError, TransportError
from market_state.generated.operations import OPERATIONS
from market_state.types import Answer, CallFacts, CallOptions

_T = TypeVar("_T")
_NOT_MODIFIED = 304


@dataclass(frozen=True)
class _Outgoing:
    """Call that may be sent several times, always with the same request id and Idempotency-Key."""

    url: str
    headers: Mapping[str, str]
    body: bytes | None
    facts: OperationFacts
    bound: int | None
    waited_ms: float
    request_id: str


class AsyncCaller:
    def __init__(self, settings: Settings, http: AsyncHttpClient) -> None:
        self.settings = settings
        self.http = http

    async def call(self, id: str, given: Mapping[str, Any], options: CallOptions | None) -> Answer[Any]:
        """Sends a call and reads its answer. Raises ProblemError, TransportError or BudgetError."""
        chosen = options or CallOptions()
        is_text = OPERATIONS[id].kind == "text"

        async def read(response: AsyncHttpResponse, deadline: Deadline) -> Any:
            body = await _read_within(response, deadline)
            if response.status_code == _NOT_MODIFIED:
                return None if chosen.known is None else chosen.known.data
            return body.decode("utf-8", "replace") if is_text else json_in(body)

        value, facts = await self._send(id, given, chosen, read)
        return Answer(value, facts)

    async def file(self, id: str, given: Mapping[str, Any], options: CallOptions | None) -> AsyncFileAnswer:
        """Opens a file for download. Raises like `call`."""

        async def keep(response: AsyncHttpResponse, _deadline: Deadline) -> AsyncHttpResponse:
            return response

        response, facts = await self._send(id, given, options or CallOptions(), keep)
        return AsyncFileAnswer(response, facts)

    def rows(self, id: str, given: Mapping[str, Any], options: CallOptions | None) -> AsyncRows[Any]:
        async def ask(page: Mapping[str, Any]) -> Answer[Any]:
            return await self.call(id, page, options)

        return AsyncRows(ask, given, OPERATIONS[id].rows or "rows")

    async def _send(
        self,
        id: str,
        given: Mapping[str, Any],
        options: CallOptions,
        read: Callable[[AsyncHttpResponse, Deadline], Awaitable[_T]],
    ) -> tuple[_T, CallFacts]:
        call = self._prepare(id, given, options)
        is_repeatable = call.facts.method == "GET" or call.facts.repeatable
        attempts = 0
        while True:
            attempts += 1
            try:
                return await self._attempt(call, options, attempts, read)
            except MarketStateError as error:
                wait = wait_before(error, attempts, is_repeatable, self.settings.random)
                if wait is None:
                    raise
            await pause(wait)

    def _prepare(self, id: str, given: Mapping[str, Any], options: CallOptions) -> _Outgoing:
        facts = OPERATIONS[id]
        address, rest = address_of(facts, given)
        request_id = new_id("req_")
        headers = {**credential_of(self.settings, facts.open), "x-request-id": request_id}
        if facts.repeatable:
            headers["idempotency-key"] = options.idempotency_key or new_id("idem_")
        if options.quote_id is not None:
            headers["x-quote-id"] = options.quote_id
        if options.known is not None and options.known.call.etag is not None:
            headers["if-none-match"] = options.known.call.etag
        if facts.kind == "file":
            headers["accept-encoding"] = "identity"
        has_body = facts.body == "required" or (facts.body is not None and len(rest) > 0)
        if has_body:
            headers["content-type"] = "application/json"
        return _Outgoing(
            url=self.settings.base_url + address,
            headers={**headers, **options.headers},
            body=body_text(rest) if has_body else None,
            facts=facts,
            bound=bound_of(facts.price, given, self.settings.api_key),
            waited_ms=0 if facts.waits is None else float(given.get(facts.waits) or 0) * 1_000,
            request_id=request_id,
        )

    async def _attempt(
        self,
        call: _Outgoing,
        options: CallOptions,
        attempts: int,
        read: Callable[[AsyncHttpResponse, Deadline], Awaitable[_T]],
    ) -> tuple[_T, CallFacts]:
        cap = self.settings.max_credits_per_call if options.max_credits is None else options.max_credits
        hold = hold_for(call.bound, None if call.facts.price is None else cap, self.settings.budget)
        headers = dict(call.headers)
        if hold.max_credits is not None:
            headers["x-max-credits"] = str(hold.max_credits)
        timeout_ms = self.settings.timeout_ms if options.timeout_ms is None else options.timeout_ms
        deadline = Deadline(timeout_ms + call.waited_ms)
        # Assume the maximum cost until the actual cost is known.
        charged = hold.max_credits or 0
        try:
            response = await send(self.http, call.facts.method, call.url, headers, call.body, deadline.left_seconds)
            if not response.is_success and response.status_code != _NOT_MODIFIED:
                charged = 0
                raise problem_in(response, await _read_within(response, deadline), call.request_id, attempts)
            value = await read(response, deadline)
            facts = call_facts_of(response, call.request_id, attempts)
            charged = facts.charged or 0
            return value, facts
        except (HttpError, ValueError) as error:
            late = deadline.is_over or isinstance(error, HttpTimeout)
            said = "No complete response arrived in time." if late else "The connection failed before a complete response arrived."
            address = f"{call.facts.method} {call.url.split('?')[0]}"
            raise TransportError(said, call.request_id, attempts, address, error) from error
        finally:
            hold.settle(charged)


async def _read_within(response: AsyncHttpResponse, deadline: Deadline) -> bytes:
    """Reads the body and always closes the response. Raises HttpTimeout after the deadline."""
    pieces = []
    try:
        async for piece in response.aiter_bytes():
            pieces.append(piece)
            if deadline.is_over:
                raise HttpTimeout("The deadline of the attempt is over.")
    finally:
        await response.aclose()
    return b"".join(pieces)
