"""Waiting."""

from __future__ import annotations

import asyncio


async def pause(wait_ms: float) -> None:
    """Waits so many milliseconds."""
    await asyncio.sleep(wait_ms / 1_000)
