"""One connection of a stream."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from market_state.aio.caller import AsyncCaller
from market_state.core.answers import problem_in
from market_state.core.request import address_of
from market_state.core.settings import credential_of, new_id
from market_state.core.sse import EventParser, ServerEvent
from market_state.errors import TransportError
from market_state.generated.operations import OPERATIONS


@dataclass(frozen=True)
class Opening:
    id: str
    query: Mapping[str, Any]
    after: str | None
    """Id of the last message had; None from now on."""
    max_credits: int
    silence_ms: float
    on_open: Callable[[], None]
    """Told once the service has taken it."""


async def read_connection(caller: AsyncCaller, opening: Opening) -> AsyncGenerator[ServerEvent, None]:
    """The events of one connection, until it is closed. ProblemError when it is refused, TransportError when it breaks or is silent."""
    settings = caller.settings
    request_id = new_id("req_")
    address, _ = address_of(OPERATIONS[opening.id], opening.query)
    headers = {
        **credential_of(settings, False),
        "accept": "text/event-stream",
        "accept-encoding": "identity",
        "x-request-id": request_id,
        "x-max-credits": str(opening.max_credits),
    }
    if opening.after is not None:
        headers["last-event-id"] = opening.after
    parser = EventParser()
    try:
        async with caller.http.stream(
            "GET", settings.base_url + address, headers=headers, timeout=opening.silence_ms / 1_000, follow_redirects=False
        ) as response:
            if not response.is_success:
                raise problem_in(response, await response.aread(), request_id, 1)
            opening.on_open()
            async for piece in response.aiter_bytes():
                for event in parser.feed(piece):
                    yield event
    except httpx.TimeoutException as error:
        raise TransportError("The stream was silent for too long.", request_id, 1) from error
    except httpx.HTTPError as error:
        raise TransportError("The stream was cut.", request_id, 1) from error
