"""Files of an export being written."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from market_state.generated import schema

_PIECE = 1 << 20


@dataclass(frozen=True)
class DownloadedFile:
    """Downloaded file with a verified digest."""

    path: Path
    file: schema.ExportFile


class FileTarget:
    """Appends to `<name>.part` in a folder, continuing an earlier attempt."""

    def __init__(self, folder: Path, name: str, sha256: str) -> None:
        if name != os.path.basename(name) or name == "" or name.startswith(".") or "\\" in name:
            raise ValueError(f"{name!r} is not a valid file name")
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / name
        self.is_complete = self.path.is_file() and digest_of(self.path) == sha256
        """True if it already exists with the right digest."""
        self._part = folder / f"{name}.part"

    def __enter__(self) -> FileTarget:
        self._handle = open(self._part, "ab")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._handle.close()

    @property
    def size_bytes(self) -> int:
        """Includes bytes from earlier attempts."""
        return self._handle.tell()

    def write(self, piece: bytes) -> None:
        self._handle.write(piece)

    def clear(self) -> None:
        """Discards what was written."""
        self._handle.truncate(0)
        self._handle.seek(0)

    def digest(self) -> str:
        """SHA-256 of what was written, in hex."""
        self._handle.flush()
        return digest_of(self._part)

    def finish(self) -> Path:
        """Renames the file to its final name and returns its path."""
        self._handle.flush()
        os.replace(self._part, self.path)
        return self.path


def digest_of(path: Path) -> str:
    """SHA-256 of a file in hex."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()
