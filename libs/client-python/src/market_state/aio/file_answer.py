"""A file as it comes in."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import TracebackType

from market_state.aio.transport import AsyncHttpResponse, HttpError
from market_state.errors import TransportError
from market_state.types import CallFacts


class AsyncFileAnswer:
    """A file as it comes in. It is to be closed, as leaving its `with` does; reading it to the end closes it too."""

    def __init__(self, response: AsyncHttpResponse, call: CallFacts) -> None:
        self._response = response
        self.call = call
        self.status = response.status_code
        """200 for the whole file, 206 for a range of it."""
        self.headers = response.headers

    async def iter_bytes(self) -> AsyncIterator[bytes]:
        """The bytes in pieces. TransportError when the connection breaks, or is silent for as long as an attempt may take."""
        try:
            async for piece in self._response.aiter_raw():
                yield piece
        except HttpError as error:
            raise TransportError("The connection failed before the whole file came.", self.call.request_id, self.call.attempts) from error

    async def read(self) -> bytes:
        """All of it. Throws what `iter_bytes` throws."""
        return b"".join([piece async for piece in self.iter_bytes()])

    async def aclose(self) -> None:
        await self._response.aclose()

    async def __aenter__(self) -> AsyncFileAnswer:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()
