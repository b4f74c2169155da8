"""Joins without lookahead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from market_state.frames.tables import UTC_NS, _pandas

if TYPE_CHECKING:
    import pandas as pd

_KNOWN = "known_at_utc"
_NEWEST = "newest_at_end"


def join_known(left: pd.DataFrame, right: pd.DataFrame, *, tolerance: pd.Timedelta | None = None, prefix: str = "right_") -> pd.DataFrame:
    """Joins each row of `left` with the newest row of `right` known at that time: its `known_at_utc` is at or before
    that of the left row. Both frames need that column. Among rows of `right` known at the same instant, the last
    counts.

    The columns of `right`, including its index, get `prefix`; they are NaN, NaT or None if nothing was known, or
    nothing within `tolerance` before. Index and order of `left` are kept. Raises ValueError if the column is missing or
    names collide.
    """
    pd = _pandas()
    for name, frame in (("left", left), ("right", right)):
        if _KNOWN not in frame.columns:
            raise ValueError(f"{name} has no column {_KNOWN}, which is required to join without lookahead")
    taken = right.reset_index().rename(columns=lambda name: f"{prefix}{name}").sort_values(f"{prefix}{_KNOWN}", kind="stable")
    if met := [name for name in taken.columns if name in left.columns]:
        raise ValueError(f"left already has columns named {', '.join(met)}; choose another prefix")
    # pandas 3 cannot compare instants of different units.
    known, candidates = (pd.DatetimeIndex(each).astype(UTC_NS) for each in (left[_KNOWN], taken[f"{prefix}{_KNOWN}"]))
    at = candidates.searchsorted(known, side="right") - 1
    if tolerance is not None and len(taken):
        at[known - candidates[at.clip(min=0)] > tolerance] = -1
    joined = _taken_at(taken, at)
    joined.index = left.index
    return pd.concat([left, joined], axis=1)


def join_rows(packets: pd.DataFrame, rows: Mapping[str, pd.DataFrame], spec: Mapping[str, Any]) -> pd.DataFrame:
    """Joins packets with the rows they were made from, as the service does. `packets` and `rows` are frames of one
    `replay`, the latter by channel; `spec` is the data of `ms.events.join_spec(event_id=...)` for any event of the
    symbol.

    A packet is joined only with rows up to its own position in the log whose exchange time is at or before the end of
    its window. For books and context, the newest row within the tolerance is joined, with columns prefixed `book_` and
    `context_`. For trades and liquidations, the result has the number of rows in the window (`…_total`) and their
    summed sizes: `trades_buy_size`, `trades_sell_size`, `liquidations_long_size`, `liquidations_short_size`. Raises
    ValueError for a channel missing from the spec, and if sizes to sum are text.
    """
    pd = _pandas()
    by_channel = {join["channel"]: join for join in spec["joins"]}
    if unknown := [channel for channel in rows if channel not in by_channel]:
        raise ValueError(f"the spec joins {', '.join(by_channel)}, not {', '.join(unknown)}")
    window_ms = spec["window"]["length_ms"]
    joined = [packets]
    for channel, frame in rows.items():
        join = by_channel[channel]
        tolerance = pd.Timedelta(milliseconds=join.get("tolerance_ms") or window_ms)
        if join["method"] == _NEWEST:
            joined.append(_newest(packets, frame, tolerance, f"{channel}_"))
        else:
            joined.append(_sums(packets, frame, pd.Timedelta(milliseconds=window_ms), channel))
    return pd.concat(joined, axis=1)


class _Log:
    """Rows of a channel by exchange time, then log position."""

    def __init__(self, frame: Any) -> None:
        self.rows = frame.reset_index().sort_values([frame.index.name, "epoch", "sequence"], kind="stable", ignore_index=True)
        self._times = self.rows[frame.index.name]
        self._epochs = self.rows["epoch"].to_numpy()
        self._sequences = self.rows["sequence"].to_numpy()

    def places_for(self, packets: Any, tolerance: Any) -> list[Any]:
        """Indexes of the rows each packet may be joined with, by log position and by exchange time."""
        found = []
        firsts = self._times.searchsorted(packets.index - tolerance, side="right")
        lasts = self._times.searchsorted(packets.index, side="right")
        for first, last, epoch, sequence in zip(firsts, lasts, packets["epoch"], packets["sequence"]):
            epochs, sequences = self._epochs[first:last], self._sequences[first:last]
            is_before = (epochs < epoch) | ((epochs == epoch) & (sequences <= sequence))
            found.append(first + is_before.nonzero()[0])
        return found


def _newest(packets: Any, frame: Any, tolerance: Any, prefix: str) -> Any:
    """Newest row of a frame for each packet."""
    log = _Log(frame)
    at = [places[-1] if len(places) else -1 for places in log.places_for(packets, tolerance)]
    joined = _taken_at(log.rows.rename(columns=lambda name: f"{prefix}{name}"), at)
    joined.index = packets.index
    return joined


def _sums(packets: Any, frame: Any, window: Any, channel: str) -> Any:
    """Number of rows of a frame in each packet's window, and their summed sizes by side."""
    pd = _pandas()
    if any(isinstance(size, str) for size in frame["size"]):
        raise ValueError(f'the sizes of {channel} are text: use decimals="float" or "decimal"')
    side, names = ("aggressor_side", ("buy", "sell")) if channel == "trades" else ("position_side", ("long", "short"))
    log = _Log(frame)
    sides, sizes = log.rows[side].to_numpy(), log.rows["size"].to_numpy()
    found = []
    for places in log.places_for(packets, window):
        sums = {f"{channel}_{name}_size": sizes[places][sides[places] == name].sum() for name in names}
        found.append({f"{channel}_total": len(places), **sums})
    return pd.DataFrame(found, index=packets.index, columns=[f"{channel}_total", *(f"{channel}_{name}_size" for name in names)])


def _taken_at(frame: Any, at: Any) -> Any:
    """Rows of a frame by index; missing at -1."""
    places = _pandas().Index(range(len(frame)))
    numbered = frame.set_axis(places, axis=0)
    return numbered.reindex(at).reset_index(drop=True)
