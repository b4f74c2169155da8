"""A real server on loopback that plays the replies of a case."""

from __future__ import annotations

import json
import socket
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import parse_qsl, urlsplit

_HEADERS = (
    *("x-market-state-api-key", "x-max-credits", "x-request-id", "idempotency-key"),
    *("content-type", "if-none-match", "last-event-id", "range"),
)


class Player:
    """Answers requests with these replies one after the other, the last for all that follow, and keeps what was sent."""

    def __init__(self, replies: list[Any]) -> None:
        self.sent: list[dict[str, Any]] = []
        self._replies = replies
        self._lock = threading.Lock()
        player = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                player._answer(self)

            do_POST = do_PATCH = do_DELETE = do_PUT = do_GET

            def log_message(self, *_said: Any) -> None:
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

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
        handler.close_connection = True
        if reply == "cut":
            _cut(handler)
        elif reply == "silent":
            _wait_until_left(handler)
        else:
            _play(handler, reply)


def _play(handler: BaseHTTPRequestHandler, reply: dict[str, Any]) -> None:
    handler.send_response(reply.get("status", 200))
    for name, value in reply.get("headers", {}).items():
        handler.send_header(name, value)
    if reply.get("status") == 304:
        handler.end_headers()
        return
    handler.send_header("transfer-encoding", "chunked")
    handler.send_header("connection", "close")
    handler.end_headers()
    for piece in _pieces(reply):
        data = piece.encode()
        if data:
            handler.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))
    then = reply.get("then", "close")
    if then == "cut":
        _cut(handler)
    elif then == "silence":
        _wait_until_left(handler)
    else:
        handler.wfile.write(b"0\r\n\r\n")


def _pieces(reply: dict[str, Any]) -> list[str]:
    if "events" in reply:
        return [_event_text(*event) for event in reply["events"]]
    return [reply.get("text", json.dumps(reply["body"]) if "body" in reply else "")]


def _event_text(event: str, id: str, data: Any) -> str:
    text = data if isinstance(data, str) else json.dumps(data)
    return f"{f'id: {id}{chr(10)}' if id else ''}event: {event}\ndata: {text}\n\n"


def _cut(handler: BaseHTTPRequestHandler) -> None:
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)


def _wait_until_left(handler: BaseHTTPRequestHandler) -> None:
    """Says nothing until the client has closed the connection."""
    handler.wfile.flush()
    handler.connection.recv(1)
