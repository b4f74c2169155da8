"""Downloads of exports, over a real connection."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

import pytest
from clients import Async, Sync
from market_state import ConflictError, VerificationError
from player import Player

Kind = Sync | Async
TEXT = "time,price\n" + "1,2\n" * 500
SHA256 = hashlib.sha256(TEXT.encode()).hexdigest()
FILE = {"name": "trades.csv", "bytes": len(TEXT), "sha256": SHA256, "download_route": "/api/x?job=1&token=t"}


def job(status: str) -> dict[str, Any]:
    return {"body": {"job_id": "job_1", "status": status}}


def part(text: str, status: int = 200, then: str = "close") -> dict[str, Any]:
    return {"status": status, "text": text, "then": then}


def downloaded(kind: Kind, folder: Path, *files: Any, result: Any = None) -> tuple[Any, list[dict[str, Any]]]:
    replies = [job("running"), job("ready"), result or {"body": {"files": [FILE]}}, *files]
    seen: list[str] = []
    with Player(replies) as player:
        found = kind.run(
            player.url,
            {"api_key": "msk_live_x", "random": lambda: 0.0},
            None,
            lambda ms, _kind: kind.call(
                lambda **given: ms.exports.download({"job_id": "job_1"}, folder, **given),
                on_progress=lambda progress: seen.append(progress["status"]),
            ),
        )
    assert seen == ["running", "ready"]
    return found, player.sent


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("market_state.aio.exports._POLL_MS_MIN", 0.0)
    monkeypatch.setattr("market_state.generated.sync.exports._POLL_MS_MIN", 0.0)
    monkeypatch.setattr("random.random", lambda: 0.0)


def test_a_file_that_is_cut_is_gone_on_with(kind: Kind, tmp_path: Path) -> None:
    half = len(TEXT) // 2
    (written,), sent = downloaded(kind, tmp_path, part(TEXT[:half], then="cut"), part(TEXT[half:], 206))
    assert (written.path, written.path.read_text(), written.file) == (tmp_path / "trades.csv", TEXT, FILE)
    assert [each.name for each in tmp_path.iterdir()] == ["trades.csv"]
    assert dict(sent[3]["query"]) == {"job": "1", "token": "t"}
    assert [each["headers"]["range"] for each in sent[3:]] == [None, f"bytes={half}-"]


def test_a_whole_file_in_place_of_a_range_is_taken_from_its_beginning(kind: Kind, tmp_path: Path) -> None:
    (tmp_path / "trades.csv.part").write_text("of an earlier try")
    (written,), sent = downloaded(kind, tmp_path, part(TEXT))
    assert written.path.read_text() == TEXT
    assert sent[3]["headers"]["range"] == "bytes=17-"


def test_a_file_that_is_there_is_kept(kind: Kind, tmp_path: Path) -> None:
    (tmp_path / "trades.csv").write_text(TEXT)
    _written, sent = downloaded(kind, tmp_path, "cut")
    assert len(sent) == 3


def test_a_file_with_another_digest_is_refused_and_removed(kind: Kind, tmp_path: Path) -> None:
    with pytest.raises(VerificationError, match="trades.csv has SHA-256") as caught:
        downloaded(kind, tmp_path, part("x" * len(TEXT)))
    assert caught.value.code == "sha256_mismatch"
    assert [(each.name, each.stat().st_size) for each in tmp_path.iterdir()] == [("trades.csv.part", 0)]


@pytest.mark.parametrize("name", ["../trades.csv", "", ".hidden", "a/b"])
def test_a_name_that_leads_out_of_the_folder_is_refused(kind: Kind, tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match="is not a valid file name"):
        downloaded(kind, tmp_path / "in", "cut", result={"body": {"files": [{**FILE, "name": name}]}})
    assert list(tmp_path.rglob("*.csv*")) == []


def test_a_job_that_failed_is_a_conflict(kind: Kind, tmp_path: Path) -> None:
    with pytest.raises(ConflictError):
        downloaded(kind, tmp_path, result={"status": 409, "body": {"code": "export_failed", "detail": "It failed."}})
