"""One connection of a stream."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any

from market_state.aio.caller import AsyncCaller
from market_state.aio.transport import HttpError, HttpTimeout, send
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
    """Id of the last message received; None to start from now."""
    max_credits: int
    silence_ms: float
    on_open: Callable[[], None]
    """Called once the service has accepted the connection."""


async def read_connection(caller: AsyncCaller, opening: Opening) -> AsyncGenerator[ServerEvent, None]:
    """Events of one connection until it closes. Raises ProblemError if it is rejected, TransportError if it breaks or
    is silent.
    """
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
    url = settings.base_url + OPERATIONS[opening.id].path
    try:
        opened = await send(caller.http, "GET", settings.base_url + address, headers, None, opening.silence_ms / 1_000)
        async with aclosing(opened) as response:
            if not response.is_success:
                raise problem_in(response, b"".join([piece async for piece in response.aiter_bytes()]), request_id, 1)
            opening.on_open()
            async for piece in response.aiter_bytes():
                for event in parser.feed(piece):
                    yield event
    except HttpTimeout as error:
        raise TransportError("The stream was silent for too long.", request_id, 1, f"GET {url}", error) from error
    except HttpError as error:
        raise TransportError("The stream was interrupted.", request_id, 1, f"GET {url}", error) from error
