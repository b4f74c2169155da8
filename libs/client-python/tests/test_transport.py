"""Transport of both clients, and the standard-library transport of the synchronous one."""

from __future__ import annotations

import base64
import datetime
import ipaddress
import select
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from clients import Async, Sync
from market_state import HttpClient, MarketState, TransportError
from player import Player

Kind = Sync | Async
SETTINGS = {"api_key": "msk_live_x", "random": lambda: 0.0}


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


def latest(ms: Any, kind: Any) -> Any:
    return kind.call(ms.latest.get).data


def test_the_synchronous_client_imports_no_httpx_and_the_asynchronous_one_names_its_extra() -> None:
    program = """
import sys
sys.modules["httpx"] = None
from market_state import *
with MarketState(sys.argv[1], api_key="msk_live_x") as ms:
    print(ms.latest.get().data)
for name in ("AsyncMarketState", "AsyncFileAnswer"):
    try:
        exec(f"from market_state import {name}")
    except ImportError as error:
        print(error)
"""
    with Player([{"body": {"n": 1}}]) as player:
        source = Path(sys.modules["market_state"].__file__ or "").parent.parent
        run = subprocess.run(
            [sys.executable, "-c", program, player.url], env={"PYTHONPATH": str(source)}, capture_output=True, text=True, timeout=60
        )
    needed = 'The asynchronous client needs the package httpx: pip install "market-state[async]"'
    assert (run.stdout.splitlines(), run.stderr) == (["{'n': 1}", needed, needed], "")


def test_an_answer_in_gzip_is_read(kind: Kind) -> None:
    reply = {"headers": {"content-encoding": "gzip"}, "body": {"text": "a" * 100_000}}
    with Player([reply]) as player:
        assert kind.run(player.url, SETTINGS, None, latest) == reply["body"]


def test_gzip_that_is_broken_is_no_answer(kind: Kind) -> None:
    reply = {"headers": {"content-encoding": "gzip", "content-length": "5"}, "text": ""}
    with Player([{**reply, "then": "cut"}]) as player, pytest.raises(TransportError):
        kind.run(player.url, SETTINGS, None, latest)


def test_an_answer_that_dribbles_in_is_cut_at_the_deadline(kind: Kind) -> None:
    dribbling = {"headers": {"content-length": "1000"}, "text": "[" + " " * 999, "pause_seconds": 0.02}
    with Player([dribbling]) as player, pytest.raises(TransportError, match="No complete response arrived in time") as caught:
        kind.run(player.url, {**SETTINGS, "timeout_ms": 100}, None, latest)
    assert caught.value.attempts == len(player.sent) == 3


@pytest.mark.parametrize("headers", [{}, {"content-length": "100"}])
def test_an_answer_or_file_that_is_cut_is_no_answer(kind: Kind, headers: dict[str, str]) -> None:
    def work(ms: Any, _kind: Any) -> None:
        with pytest.raises(TransportError, match="before a complete response"):
            latest(ms, kind)
        answer = kind.call(ms.events.bundle, event_id="evt_1")
        with pytest.raises(TransportError, match="before the whole file"):
            kind.call(answer.read)

    with Player([{"headers": headers, "text": '{"n": 1}', "then": "cut"}]) as player:
        kind.run(player.url, SETTINGS, None, work)


def test_a_file_that_is_closed_early_closes_its_connection(kind: Kind) -> None:
    def work(ms: Any, _kind: Any) -> None:
        answer = kind.call(ms.events.bundle, event_id="evt_1")
        kind.call(answer.close if isinstance(kind, Sync) else answer.aclose)
        assert player.was_left.wait(5)

    with Player([{"text": "a", "then": "silence"}]) as player:
        kind.run(player.url, SETTINGS, None, work)


@pytest.mark.parametrize("headers", [{}, {"content-length": "8"}])
def test_calls_one_after_the_other_share_a_connection(kind: Kind, headers: dict[str, str]) -> None:
    def work(ms: Any, _kind: Any) -> Any:
        return [latest(ms, kind) for _ in range(3)]

    with Player([{"headers": headers, "text": '{"n": 1}'}], keeps_connections=True) as player:
        assert kind.run(player.url, SETTINGS, None, work) == [{"n": 1}] * 3
        assert player.connections_total == 1


def test_a_connection_that_the_server_closed_or_that_was_idle_for_long_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    body = {"headers": {"content-length": "2"}, "text": "{}"}
    with Player([body, {**body, "then": "cut"}, body], keeps_connections=True) as player:
        with MarketState(player.url, **SETTINGS) as ms:
            ms.latest.get()
            ms.latest.get()
            assert player.connections_total == 1
            (((connection, _since),),) = ms._http._idle.values()
            assert select.select([connection.sock], [], [], 5)[0]
            ms.latest.get()
            assert (player.connections_total, len(player.sent)) == (2, 3)
            monkeypatch.setattr("market_state.transport.IDLE_SECONDS", 0)
            ms.latest.get()
            assert (player.connections_total, len(player.sent)) == (3, 4)


def test_threads_share_a_client() -> None:
    with Player([{"body": {"n": 1}}], keeps_connections=True) as player, MarketState(player.url, **SETTINGS) as ms:
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: ms.latest.get().data, range(40)))
        assert found == [{"n": 1}] * 40
        assert player.connections_total <= 4


def test_an_open_response_outlives_its_client() -> None:
    with Player([{"text": "abc", "headers": {"content-length": "3"}}], keeps_connections=True) as player:
        with MarketState(player.url, **SETTINGS) as ms:
            answer = ms.events.bundle(event_id="evt_1")
        assert answer.read() == b"abc"
        assert ms._http._idle == {}


def test_a_proxy_of_the_environment_is_used_and_its_password_sent(kind: Kind, monkeypatch: pytest.MonkeyPatch) -> None:
    with Player([{"body": {"n": 1}}]) as player:
        monkeypatch.setenv("http_proxy", player.url.replace("//", "//user:p%40ss@"))
        assert kind.run("http://service.invalid:81", SETTINGS, None, latest) == {"n": 1}
        pair = base64.b64encode(b"user:p@ss").decode()
        assert [player.sent[0]["headers"][name] for name in ("host", "proxy-authorization")] == ["service.invalid:81", f"Basic {pair}"]
        monkeypatch.setenv("no_proxy", "service.invalid")
        with pytest.raises(TransportError):
            kind.run("http://service.invalid:81", SETTINGS, None, latest)
        assert len(player.sent) == 1


def test_a_proxy_of_another_kind_is_refused_without_its_password(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", "socks5://user:secret@127.0.0.1:1")
    with pytest.raises(ValueError, match="The proxy socks5://127.0.0.1 ") as caught:
        MarketState("http://127.0.0.1:1")
    assert "secret" not in str(caught.value)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Self-signed certificate for 127.0.0.1 and its key."""
    pytest.importorskip("cryptography")
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "test")])
    now = datetime.datetime.now(datetime.timezone.utc)
    names = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(1)
    builder = builder.not_valid_before(now - datetime.timedelta(1)).not_valid_after(now + datetime.timedelta(1))
    made = builder.add_extension(names, critical=False).sign(key, hashes.SHA256())
    file = tmp_path_factory.mktemp("tls") / "certificate.pem"
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8
    file.write_bytes(made.public_bytes(encoding) + key.private_bytes(encoding, form, serialization.NoEncryption()))
    return file


@pytest.fixture
def secured(certificate: Path) -> Iterator[Player]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    with Player([{"body": {"n": 1}}], ssl_context=context) as player:
        yield player


def test_a_server_whose_certificate_is_not_trusted_or_names_another_host_is_refused(secured: Player, certificate: Path) -> None:
    trusted = HttpClient(ssl_context=ssl.create_default_context(cafile=str(certificate)))
    for url, http in ((secured.url, None), (secured.url.replace("127.0.0.1", "localhost"), trusted)):
        with MarketState(url, http=http, **SETTINGS) as ms, pytest.raises(TransportError) as caught:
            ms.latest.get()
        assert "CERTIFICATE_VERIFY_FAILED" in str(caught.value.__cause__)
    assert secured.sent == []


def test_certificates_are_trusted_by_the_environment_or_by_the_program(
    secured: Player, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with HttpClient(ssl_context=ssl.create_default_context(cafile=str(certificate))) as http:
        assert MarketState(secured.url, http=http, **SETTINGS).latest.get().data == {"n": 1}
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    with MarketState(secured.url, **SETTINGS) as ms:
        assert ms.latest.get().data == {"n": 1}


def test_a_proxy_leads_to_a_server_with_tls(secured: Player, certificate: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    requested: list[tuple[str, str | None]] = []

    class Tunnel(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            requested.append((self.path, self.headers.get("proxy-authorization")))
            host, port = self.path.split(":")
            with socket.create_connection((host, int(port))) as server:
                self.send_response(200)
                self.end_headers()
                ways = {self.connection: server, server: self.connection}
                while all(pump(source, ways[source]) for source in select.select(list(ways), [], [])[0]):
                    pass

        def log_message(self, *_said: Any) -> None:
            return

    def pump(source: socket.socket, target: socket.socket) -> int:
        data = source.recv(1 << 16)
        target.sendall(data)
        return len(data)

    with ThreadingHTTPServer(("127.0.0.1", 0), Tunnel) as proxy:
        threading.Thread(target=proxy.serve_forever, kwargs={"poll_interval": 0.01}).start()
        monkeypatch.setenv("https_proxy", f"http://user:pass@127.0.0.1:{proxy.server_address[1]}")
        with HttpClient(ssl_context=ssl.create_default_context(cafile=str(certificate))) as http:
            assert MarketState(secured.url, http=http, **SETTINGS).latest.get().data == {"n": 1}
        proxy.shutdown()
    assert requested == [(secured.url.removeprefix("https://"), f"Basic {base64.b64encode(b'user:pass').decode()}")]
