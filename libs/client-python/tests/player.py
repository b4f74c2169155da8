"""Loopback server that plays the replies of a case."""

from __future__ import annotations

import gzip
import json
import socket
import ssl
import threading
import time
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

_HEADERS = (
    *("x-market-state-api-key", "x-max-credits", "x-request-id", "idempotency-key"),
    *("content-type", "if-none-match", "last-event-id", "range", "host", "proxy-authorization"),
)


class Player:
    """Answers requests with these replies in order, repeating the last, and records the requests. Closes the connection
    after each reply unless `keeps_connections`.
    """

    def __init__(self, replies: list[Any], *, keeps_connections: bool = False, ssl_context: ssl.SSLContext | None = None) -> None:
        self.sent: list[dict[str, Any]] = []
        self.connections_total = 0
        self.was_left = threading.Event()
        """Set when the client closes a connection on which a reply went silent."""
        self._replies = replies
        self._keeps_connections = keeps_connections
        self._lock = threading.Lock()
        player = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def setup(self) -> None:
                super().setup()
                with player._lock:
                    player.connections_total += 1

            def do_GET(self) -> None:
                player._answer(self)

            do_POST = do_PATCH = do_DELETE = do_PUT = do_GET

            def log_message(self, *_said: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if ssl_context is not None:
            self._server.socket = ssl_context.wrap_socket(self._server.socket, server_side=True)
        scheme = "http" if ssl_context is None else "https"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self.url = f"{scheme}://127.0.0.1:{self._server.server_address[1]}"

    def __enter__(self) -> Player:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.socket.close()

    def _answer(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("content-length") or 0)
        body = handler.rfile.read(length)
        address = urlsplit(handler.path)
        shown = {name: handler.headers.get(name) for name in _HEADERS}
        with self._lock:
            reply = self._replies[min(len(self.sent), len(self._replies) - 1)]
            self.sent.append(
                {
                    "method": handler.command,
                    "path": address.path,
                    "query": [list(pair) for pair in parse_qsl(address.query, keep_blank_values=True)],
                    "headers": shown,
                    "body": json.loads(body) if body else None,
                }
            )
        handler.close_connection = not self._keeps_connections
        if reply == "cut":
            _cut(handler)
        elif reply == "silent":
            self._wait_until_left(handler)
        else:
            self._play(handler, reply)

    def _play(self, handler: BaseHTTPRequestHandler, reply: dict[str, Any]) -> None:
        headers = reply.get("headers", {})
        handler.send_response(reply.get("status", 200))
        for name, value in headers.items():
            handler.send_header(name, value)
        if reply.get("status") == 304:
            handler.end_headers()
            return
        is_chunked = "content-length" not in headers
        if is_chunked:
            handler.send_header("transfer-encoding", "chunked")
        if handler.close_connection:
            handler.send_header("connection", "close")
        handler.end_headers()
        for piece in _pieces(reply):
            handler.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if is_chunked and piece else piece)
            time.sleep(reply.get("pause_seconds", 0))
        then = reply.get("then", "close")
        if then == "cut":
            _cut(handler)
        elif then == "silence":
            self._wait_until_left(handler)
        elif is_chunked:
            handler.wfile.write(b"0\r\n\r\n")

    def _wait_until_left(self, handler: BaseHTTPRequestHandler) -> None:
        """Stays silent until the client closes the connection."""
        handler.wfile.flush()
        with suppress(ConnectionError):
            handler.connection.recv(1)
        self.was_left.set()


def _pieces(reply: dict[str, Any]) -> list[bytes]:
    if "events" in reply:
        return [_event_text(*event).encode() for event in reply["events"]]
    text: str = reply.get("text", json.dumps(reply["body"]) if "body" in reply else "")
    whole = text.encode()
    if reply.get("headers", {}).get("content-encoding") == "gzip":
        whole = gzip.compress(whole)
    return [whole[at : at + 1] for at in range(len(whole))] if "pause_seconds" in reply else [whole]


def _event_text(event: str, id: str, data: Any) -> str:
    text = data if isinstance(data, str) else json.dumps(data)
    return f"{f'id: {id}{chr(10)}' if id else ''}event: {event}\ndata: {text}\n\n"


def _cut(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)
