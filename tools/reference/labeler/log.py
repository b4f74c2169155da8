"""The log and its windows (section "The log and the windows" of the labeling page).

`EventLog.apply` takes entries in log order and gives back the windows that a tick closes: their events in order of
application with repeats left out, and the feed status entries that belong to them.
"""

from collections import namedtuple
from functools import cmp_to_key
from hashlib import sha256

from .canonical_event import canonical_event

CHANNEL_ORDER = {"book": 0, "trade": 1, "context": 2, "liquidation": 3}

# end_ms: T. statuses, events: rows. skip_cuts: instants at which skipped windows cut every channel, new since the
# window before. late_total: events found late since the log began, at the tick that closes the window.
# totals: events applied by channel.
Window = namedtuple("Window", "end_ms statuses events skip_cuts late_total closing_ordinal totals")


def identity_of(row):
    """Channel, pass and venue id; the hex SHA-256 of the canonical encoding stands in for an absent venue id."""
    venue_id = row["venue_id"] or sha256(canonical_event(row)).hexdigest()
    return CHANNEL_ORDER[row["kind"]], row["pass"], venue_id


def _is_digits(text):
    return text.isascii() and text.isdigit()


def _compare_ids(a, b):
    if _is_digits(a) and _is_digits(b):
        a, b = int(a), int(b)
    else:
        a, b = a.encode("utf-8"), b.encode("utf-8")
    return (a > b) - (a < b)


def _compare(a, b):
    """Order of application of two (exchange time, identity, row) entries; 0 keeps log order (the sort is stable)."""
    key_a, key_b = (a[0], a[1][0], a[1][1]), (b[0], b[1][0], b[1][1])
    if key_a != key_b:
        return -1 if key_a < key_b else 1
    return _compare_ids(a[1][2], b[1][2])


def window_of(clock_ms, interval_ms):
    """The end of the window that holds an instant: ceil(clock / interval) * interval."""
    return -(-clock_ms // interval_ms) * interval_ms


class Identities:
    """Identities seen, each with the newest of its exchange times."""

    def __init__(self, reach_ms):
        self._reach_ms = reach_ms
        self._seen = {}

    def is_repeat(self, identity, ts_ms):
        """Whether the identity was seen at most `reach_ms` away; the newest of its times is kept either way."""
        before = self._seen.get(identity)
        self._seen[identity] = ts_ms if before is None else max(before, ts_ms)
        return before is not None and abs(ts_ms - before) <= self._reach_ms

    def forget(self, closed_end_ms):
        """Keeps what lies after (end of the last closed window - reach)."""
        oldest = closed_end_ms - self._reach_ms
        self._seen = {identity: ts for identity, ts in self._seen.items() if ts > oldest}


class EventLog:
    """Windows of one symbol's log. Rows are applied in log order, ordinals rising."""

    def __init__(self, windows):
        self._interval_ms = windows["packet_interval_ms"]
        self._jump_ms = windows["tick_jump_ms"]
        self._ids = Identities(windows["duplicate_ms"])
        self._ordinal = 0
        self._lag_ms = None
        self._clock_ms = None
        self._open_ms = None
        self._waiting = []
        self._statuses = []
        self._skip_cuts = []
        self._late_total = 0

    def apply(self, row):
        """Applies one entry; returns the windows it closes, oldest first."""
        if row["ordinal"] <= self._ordinal:
            return []
        self._ordinal = row["ordinal"]
        if row["kind"] == "tick":
            return self._tick(row["feed_clock_ms"])
        if row["kind"] == "feed_status":
            self._statuses.append(row)
            if row["status"]["type"] == "connected":
                self._lag_ms = row["status"]["closing_lag_ms"]
            return []
        entry = (row["exchange_ts_ms"], identity_of(row), row)
        if self._open_ms is not None and entry[0] <= self._open_ms - self._interval_ms:
            self._late(entry)
        else:
            self._waiting.append(entry)
        return []

    def _late(self, entry):
        """Counts a late event, unless it repeats one that is remembered."""
        if not self._ids.is_repeat(entry[1], entry[0]):
            self._late_total += 1

    def _tick(self, clock_ms):
        if self._lag_ms is None:
            return []
        before, self._clock_ms = self._clock_ms, clock_ms
        if before is None:
            self._open(window_of(clock_ms, self._interval_ms))
        elif clock_ms - before > self._jump_ms:
            end_ms = window_of(clock_ms, self._interval_ms)
            if end_ms > self._open_ms:
                self._skip_cuts.append(end_ms - self._interval_ms)
                self._open(end_ms)
        closed = []
        while clock_ms >= self._open_ms + self._lag_ms:
            closed.append(self._close())
        return closed

    def _open(self, end_ms):
        """Opens window `end_ms`: what waited for an earlier one is late."""
        self._open_ms = end_ms
        start_ms = end_ms - self._interval_ms
        late = sorted((e for e in self._waiting if e[0] <= start_ms), key=cmp_to_key(_compare))
        self._waiting = [e for e in self._waiting if e[0] > start_ms]
        for entry in late:
            self._late(entry)

    def _close(self):
        """Closes the open window: orders its events, drops repeats, takes all waiting statuses."""
        end_ms = self._open_ms
        inside = sorted((e for e in self._waiting if e[0] <= end_ms), key=cmp_to_key(_compare))
        self._waiting = [e for e in self._waiting if e[0] > end_ms]
        events = [row for ts, identity, row in inside if not self._ids.is_repeat(identity, ts)]
        self._ids.forget(end_ms)
        totals = dict.fromkeys(CHANNEL_ORDER, 0)
        for row in events:
            totals[row["kind"]] += 1
        window = Window(end_ms, self._statuses, events, self._skip_cuts, self._late_total, self._ordinal, totals)
        self._statuses, self._skip_cuts = [], []
        self._open_ms = end_ms + self._interval_ms
        return window
