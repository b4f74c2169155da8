"""Alerts as they fire."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Literal

from market_state.aio.pause import pause
from market_state.core.retry import wait_before, wait_ms
from market_state.errors import MarketStateError
from market_state.generated.groups import AlertsOperations
from market_state.messages import AlertMessage

_WAIT_SECONDS = 20


class AsyncAlerts(AlertsOperations):
    async def stream(self, *, from_: Literal["now", "oldest"] = "now", resume_from: str | None = None) -> AsyncIterator[AlertMessage]:
        """Alerts of the tenant as they fire and recover, without an endpoint of yours. Waits for messages, free;
        survives disconnects and restarts of the service. `from_="oldest"` starts with the stored ones of the last 14
        days; `resume_from` is the `id` of the last alert received.
        """
        cursor = resume_from or ""
        failures = 0
        while True:
            position = {"start": from_, "wait_seconds": 0} if cursor == "" else {"cursor": cursor, "wait_seconds": _WAIT_SECONDS}
            try:
                page = (await self._caller.call("listWebhookEvents", {"kinds": "alert.triggered", **position}, None)).data
            except MarketStateError as error:
                if wait_before(error, 1, True, self._caller.settings.random) is None:
                    raise
                failures += 1
                await pause(wait_ms(failures, self._caller.settings.random))
                continue
            failures = 0
            following = page["next_cursor"]
            for at, message in enumerate(page["events"], 1):
                yield AlertMessage(following if at == len(page["events"]) else cursor, message)
            cursor = following
