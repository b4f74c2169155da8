"""Export jobs and downloads."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlsplit

from market_state.aio.pause import pause
from market_state.core.files import DownloadedFile, FileTarget
from market_state.core.retry import wait_ms
from market_state.errors import TransportError, VerificationError
from market_state.generated.groups import ExportsOperations
from market_state.types import Answer, CallOptions

if TYPE_CHECKING:
    from market_state.generated import schema

_FAILURES_MAX = 5
"""Consecutive responses without progress after which a download fails."""
_POLL_MS_MIN = 250.0
_POLL_MS_MAX = 5_000.0
_UNDER_WAY = frozenset({"queued", "running", "publishing"})
_WHOLE = 200


JobLike = str | Mapping[str, Any] | Answer[Any]
"""Job or job id."""


class AsyncExports(ExportsOperations):
    async def wait(self, job: JobLike, *, on_progress: Callable[[schema.ExportJob], None] | None = None) -> schema.ExportJob:
        """Waits until a job ends, whether `ready` or not; `on_progress` receives the job after each poll. Polling is
        free.
        """
        poll_ms = _POLL_MS_MIN
        while True:
            data = (await self.get(job_id=_id_of(job))).data
            if on_progress is not None:
                on_progress(data)
            if data["status"] not in _UNDER_WAY:
                return data
            await pause(poll_ms)
            poll_ms = min(_POLL_MS_MAX, poll_ms * 1.5)

    async def download(
        self,
        job: JobLike,
        folder: str | os.PathLike[str],
        *,
        on_progress: Callable[[schema.ExportJob], None] | None = None,
    ) -> list[DownloadedFile]:
        """Waits for a job and downloads its files to a folder, which is created if missing. Files with the right digest
        are kept and partial ones resumed; a file gets its final name once its SHA-256 is verified.

        Raises ConflictError if the job failed, VerificationError if a digest is wrong; the data of that file is
        deleted.
        """
        job_id = (await self.wait(job, on_progress=on_progress))["job_id"]
        result = (await self.result(job_id=job_id)).data
        return [DownloadedFile(await self._write(job_id, file, Path(folder)), file) for file in result["files"]]

    async def _write(self, job_id: str, file: schema.ExportFile, folder: Path) -> Path:
        target = FileTarget(folder, file["name"], file["sha256"])
        if target.is_complete:
            return target.path
        link = dict(parse_qsl(urlsplit(file["download_route"]).query))
        given = {"job_id": job_id, "name": file["name"], **link}
        failures = 0
        with target:
            while target.size_bytes < file["bytes"]:
                before = target.size_bytes
                try:
                    await self._write_on(target, given)
                except TransportError as error:
                    failures = 0 if target.size_bytes > before else failures + 1
                    if failures >= _FAILURES_MAX:
                        raise TransportError(f"{file['name']} could not be downloaded completely.", error.request_id, failures) from error
                    await pause(wait_ms(failures + 1, random.random))
            digest = target.digest()
            if digest == file["sha256"]:
                return target.finish()
            target.clear()
        raise VerificationError("sha256_mismatch", f"{file['name']} has SHA-256 {digest}, expected {file['sha256']}.")

    async def _write_on(self, target: FileTarget, given: Mapping[str, Any]) -> None:
        """Appends the content of one response to a file."""
        before = target.size_bytes
        headers = {} if before == 0 else {"range": f"bytes={before}-"}
        async with await self._caller.file("getExportFile", given, CallOptions(headers=headers)) as answer:
            # A proxy may have dropped the range header; the response is then the whole file.
            if answer.status == _WHOLE and before > 0:
                target.clear()
            async for piece in answer.iter_bytes():
                target.write(piece)


def _id_of(job: JobLike) -> str:
    if isinstance(job, str):
        return job
    named: Mapping[str, Any] = job.data if isinstance(job, Answer) else job
    return str(named["job_id"])
