"""HTTP over the standard library, for the synchronous client. The asynchronous one uses `market_state.aio.transport`
instead.
"""

from __future__ import annotations

import selectors
import ssl
import time
import zlib
from base64 import b64encode
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection, IncompleteRead
from types import TracebackType
from urllib.parse import SplitResult, unquote, urlsplit
from urllib.request import getproxies, proxy_bypass

from market_state.core.settings import IDLE_SECONDS

_HEADERS = {"accept": "*/*", "accept-encoding": "gzip", "user-agent": "market-state-python"}
_PIECE_BYTES = 1 << 16
_GZIP = 16 + zlib.MAX_WBITS


class HttpError(Exception):
    """No complete response arrived. The cause is the error of the standard library."""


class HttpTimeout(HttpError):
    """The server was silent for too long."""


class HttpClient:
    """Connection pool of a synchronous client, over the standard library. Clients and threads may share it. Call
    `close`, or use it in a `with` block.

    `ssl_context` sets the trusted certificates and the client certificate. The default trusts the certificates that
    OpenSSL finds on this machine, or those of `SSL_CERT_FILE` and `SSL_CERT_DIR`. Proxies are read once, here, from the
    environment (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`).

    Raises ValueError for a proxy whose address does not start with `http://`.
    """

    def __init__(self, *, ssl_context: ssl.SSLContext | None = None) -> None:
        self.is_closed = False
        self._ssl_context = ssl_context
        self._proxies = {scheme: _proxy_at(address) for scheme, address in getproxies().items() if scheme in ("http", "https", "all")}
        self._idle: dict[tuple[str, str], list[tuple[HTTPConnection, float]]] = defaultdict(list)

    def close(self) -> None:
        """Closes idle connections; the others close with their responses."""
        self.is_closed = True
        for idle in list(self._idle.values()):
            for connection, _since in idle:
                connection.close()
        self._idle.clear()

    def __enter__(self) -> HttpClient:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def proxy_of(self, url: SplitResult) -> SplitResult | None:
        """Proxy for an address; None without one."""
        proxy = self._proxies.get(url.scheme) or self._proxies.get("all")
        return None if proxy is None or proxy_bypass(url.netloc) else proxy

    def acquire(self, url: SplitResult, timeout_seconds: float) -> HTTPConnection:
        """Idle connection, or a new one that connects with its first request."""
        if self.is_closed:
            raise RuntimeError("The client is closed.")
        idle = self._idle[url.scheme, url.netloc]
        with suppress(IndexError):
            while True:
                connection, since = idle.pop()
                if time.monotonic() - since < IDLE_SECONDS and not _is_readable(connection):
                    connection.sock.settimeout(timeout_seconds)
                    return connection
                connection.close()
        return self._new(url, timeout_seconds)

    def _new(self, url: SplitResult, timeout_seconds: float) -> HTTPConnection:
        proxy = self.proxy_of(url)
        host, port = _host_of(url)
        first_host, first_port = (host, port) if proxy is None else _host_of(proxy)
        if url.scheme == "http":
            return HTTPConnection(first_host, first_port, timeout=timeout_seconds)
        if self._ssl_context is None:
            self._ssl_context = ssl.create_default_context()
        connection = HTTPSConnection(first_host, first_port, timeout=timeout_seconds, context=self._ssl_context)
        if proxy is not None:
            connection.set_tunnel(host, port, _credentials_for(proxy))
        return connection

    def release(self, url: SplitResult, connection: HTTPConnection) -> None:
        """Returns a connection to the pool after its response was read completely."""
        if self.is_closed:
            connection.close()
        else:
            self._idle[url.scheme, url.netloc].append((connection, time.monotonic()))


class HttpResponse:
    """Response being received, with the members of `httpx.Response` that the client needs."""

    def __init__(self, http: HttpClient, url: SplitResult, connection: HTTPConnection, response: HTTPResponse) -> None:
        self.status_code = response.status
        self.reason_phrase = response.reason
        self.headers = response.headers
        self._http = http
        self._url = url
        self._connection: HTTPConnection | None = connection
        self._response = response
        self._is_whole = False

    @property
    def is_success(self) -> bool:
        return 200 <= self.status_code < 300

    def iter_raw(self) -> Iterator[bytes]:
        """Yields the body in chunks as they arrive and closes the response at the end. Raises HttpError."""
        left = self._response.length
        with _http_errors():
            while left != 0 and (piece := self._response.read1(_PIECE_BYTES if left is None else min(left, _PIECE_BYTES))):
                left = None if left is None else left - len(piece)
                yield piece
            if left:
                raise IncompleteRead(b"", left)
        self._is_whole = True
        self.close()

    def iter_bytes(self) -> Iterator[bytes]:
        """Like `iter_raw`, with gzip decoded."""
        if self.headers.get("content-encoding", "").lower() != "gzip":
            yield from self.iter_raw()
            return
        decoder = zlib.decompressobj(_GZIP)
        with _http_errors():
            for piece in self.iter_raw():
                yield decoder.decompress(piece)

    def close(self) -> None:
        """Closes the response. The connection returns to the pool if the body was read completely."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        self._response.close()
        if self._is_whole and not self._response.will_close:
            self._http.release(self._url, connection)
        else:
            connection.close()


def new_http_client() -> HttpClient:
    return HttpClient()


def send(
    http: HttpClient, method: str, url: str, headers: Mapping[str, str], body: bytes | None, timeout_seconds: float
) -> HttpResponse:
    """Sends a request and returns the response before its body is read. Does not follow redirects. `timeout_seconds`
    limits the time to connect and each silence until the response is closed. Raises HttpError, of which HttpTimeout
    is a subclass.
    """
    parts = urlsplit(url)
    target = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    sent = {**_HEADERS, **headers}
    proxy = http.proxy_of(parts)
    if proxy is not None and parts.scheme == "http":
        target = url
        sent.update(_credentials_for(proxy))
    connection = http.acquire(parts, timeout_seconds)
    try:
        with _http_errors():
            connection.request(method, target, body, sent)
            return HttpResponse(http, parts, connection, connection.getresponse())
    except BaseException:
        connection.close()
        raise


@contextmanager
def _http_errors() -> Iterator[None]:
    try:
        yield
    except TimeoutError as error:
        raise HttpTimeout(str(error)) from error
    except (OSError, HTTPException, zlib.error) as error:
        raise HttpError(str(error) or type(error).__name__) from error


def _is_readable(connection: HTTPConnection) -> bool:
    """An idle connection with data to read was closed by the server."""
    with selectors.DefaultSelector() as selector:
        selector.register(connection.sock, selectors.EVENT_READ)
        return bool(selector.select(0))


def _host_of(url: SplitResult) -> tuple[str, int]:
    return url.hostname or "", url.port or (443 if url.scheme == "https" else 80)


def _proxy_at(address: str) -> SplitResult:
    proxy = urlsplit(address if "://" in address else f"http://{address}")
    if proxy.scheme != "http" or not proxy.hostname:
        raise ValueError(f"The proxy {proxy.scheme}://{proxy.hostname} from the environment is not supported: only http:// proxies are")
    return proxy


def _credentials_for(proxy: SplitResult) -> dict[str, str]:
    if proxy.username is None:
        return {}
    pair = f"{unquote(proxy.username)}:{unquote(proxy.password or '')}"
    return {"proxy-authorization": f"Basic {b64encode(pair.encode()).decode()}"}
