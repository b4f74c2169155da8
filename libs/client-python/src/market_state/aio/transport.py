"""HTTP over httpx, for the asynchronous client. The synchronous one uses `market_state.transport` instead."""

from __future__ import annotations

from collections.abc import Mapping

try:
    import httpx
except ImportError as error:
    raise ImportError('The asynchronous client needs the package httpx: pip install "market-state[async]"') from error

from market_state.core.settings import IDLE_SECONDS

AsyncHttpClient = httpx.AsyncClient
AsyncHttpResponse = httpx.Response
HttpError = httpx.HTTPError
HttpTimeout = httpx.TimeoutException


def new_http_client() -> AsyncHttpClient:
    return httpx.AsyncClient(limits=httpx.Limits(keepalive_expiry=IDLE_SECONDS))


async def send(
    http: AsyncHttpClient, method: str, url: str, headers: Mapping[str, str], body: bytes | None, timeout_seconds: float
) -> AsyncHttpResponse:
    """Sends a request and returns the response before its body is read. Does not follow redirects. `timeout_seconds`
    limits the time to connect and each silence until the response is closed. Raises HttpError, of which HttpTimeout
    is a subclass.
    """
    request = http.build_request(method, url, headers=headers, content=body, timeout=timeout_seconds)
    return await http.send(request, stream=True, follow_redirects=False)
