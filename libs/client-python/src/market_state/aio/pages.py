"""Pages of an operation."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Generic, TypeVar

from market_state.types import Answer

T = TypeVar("T")


class AsyncRows(Generic[T]):
    """Rows of all pages in order. Pages are requested as rows are read; pages not reached are not charged."""

    def __init__(self, ask: Callable[[Mapping[str, Any]], Awaitable[Answer[Any]]], given: Mapping[str, Any], field: str) -> None:
        self._ask = ask
        self._given = given
        self._field = field

    async def pages(self) -> AsyncIterator[Answer[Any]]:
        """Pages, each with its cost."""
        cursor = self._given.get("cursor")
        while True:
            answer = await self._ask({**self._given, "cursor": cursor})
            yield answer
            following = answer.data.get("next_cursor")
            # A growing list has a cursor even at its end, for rows that do not exist yet.
            if not isinstance(following, str) or following == "" or (following == cursor and not self._list_in(answer)):
                return
            cursor = following

    def _list_in(self, answer: Answer[Any]) -> list[T]:
        return answer.data.get(self._field) or []

    async def __aiter__(self) -> AsyncIterator[T]:
        async for page in self.pages():
            for row in self._list_in(page):
                yield row

    async def take(self, total: int) -> list[T]:
        """First `total` rows, or fewer if there are no more."""
        taken: list[T] = []
        if total <= 0:
            return taken
        async for row in self:
            taken.append(row)
            if len(taken) >= total:
                break
        return taken

    async def all(self, *, max_rows: int) -> list[T]:
        """All rows. Raises ValueError if there are more than `max_rows`."""
        taken = await self.take(max_rows + 1)
        if len(taken) > max_rows:
            raise ValueError(f"There are more than {max_rows} rows.")
        return taken
