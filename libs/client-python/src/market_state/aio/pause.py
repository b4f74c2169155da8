"""Waiting."""

from __future__ import annotations

import asyncio


async def pause(wait_ms: float) -> None:
    """Sleeps for `wait_ms` milliseconds."""
    await asyncio.sleep(wait_ms / 1_000)
