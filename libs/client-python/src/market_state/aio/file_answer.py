"""Downloads."""

from __future__ import annotations

from collections.abc import AsyncIterator
from types import TracebackType

from market_state.aio.transport import AsyncHttpResponse, HttpError
from market_state.errors import TransportError
from market_state.types import CallFacts


class AsyncFileAnswer:
    """File being downloaded. Close it, or use it in a `with` block; reading it to the end closes it too."""

    def __init__(self, response: AsyncHttpResponse, call: CallFacts) -> None:
        self._response = response
        self.call = call
        self.status = response.status_code
        """200 for the whole file, 206 for a range."""
        self.headers = response.headers

    async def iter_bytes(self) -> AsyncIterator[bytes]:
        """Yields the bytes in chunks. Raises TransportError if the connection breaks or is silent for the timeout of an
        attempt.
        """
        try:
            async for piece in self._response.aiter_raw():
                yield piece
        except HttpError as error:
            raise TransportError("The connection failed before the whole file arrived.", self.call.request_id, self.call.attempts) from error

    async def read(self) -> bytes:
        """Reads the whole file. Raises like `iter_bytes`."""
        return b"".join([piece async for piece in self.iter_bytes()])

    async def aclose(self) -> None:
        await self._response.aclose()

    async def __aenter__(self) -> AsyncFileAnswer:
        return self

    async def __aexit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        await self.aclose()
