"""The log and its windows (section "The log and the windows" of the labeling page).

`EventLog.apply` takes entries in log order and gives back the windows that a tick closes: their events in order of
application with repeats left out, and the feed status entries that belong to them.
"""

from collections import namedtuple
from hashlib import sha256

from .canonical_event import canonical_event

CHANNEL_ORDER = {"book": 0, "trade": 1, "context": 2, "liquidation": 3}

# end_ms: T. statuses, events: rows. skip_cuts: instants at which skipped windows cut every channel, new since the
# window before. late_total: events found late since the log began, up to the tick that closes the window.
# totals: events applied by channel.
Window = namedtuple("Window", "end_ms statuses events skip_cuts late_total closing_ordinal totals")

# ts_ms: exchange time. identity: channel, pass, venue id.
Entry = namedtuple("Entry", "ts_ms identity row")


def identity_of(row):
    """Channel, pass and venue id; the hex SHA-256 of the canonical encoding stands in for an absent venue id."""
    venue_id = row["venue_id"] or sha256(canonical_event(row)).hexdigest()
    return CHANNEL_ORDER[row["kind"]], row["pass"], venue_id


def venue_id_order(venue_id):
    """Ids of digits alone come first, by value (of any length), equal values by bytes; then all others by bytes."""
    raw = venue_id.encode("utf-8")
    if venue_id.isascii() and venue_id.isdigit():
        value = venue_id.lstrip("0")
        return 0, len(value), value, raw
    return 1, 0, "", raw


def application_order(entry):
    """Exchange time; channel; pass; venue id. Equal entries keep log order, for sorting is stable."""
    channel, event_pass, venue_id = entry.identity
    return entry.ts_ms, channel, event_pass, venue_id_order(venue_id)


def window_of(clock_ms, interval_ms):
    """The end of the window that holds an instant: ceil(clock / interval) * interval."""
    return -(-clock_ms // interval_ms) * interval_ms


class Identities:
    """One memory of identities, each with an exchange time."""

    def __init__(self, reach_ms):
        self._reach_ms = reach_ms
        self._times = {}

    def repeats(self, entry, end_ms):
        """Whether the entry's identity is known with a time at most `reach_ms` away.

        `end_ms` is E: an identity is known while its time lies after E - reach.
        """
        known = self._times.get(entry.identity)
        return (known is not None and known > end_ms - self._reach_ms
                and abs(entry.ts_ms - known) <= self._reach_ms)

    def remember(self, entry):
        """Keeps the entry's time, or the time known before if that is newer."""
        self._times[entry.identity] = max(entry.ts_ms, self._times.get(entry.identity, entry.ts_ms))

    def forget(self, end_ms):
        """Lets go of what is not known any more at E."""
        oldest = end_ms - self._reach_ms
        self._times = {identity: ts for identity, ts in self._times.items() if ts > oldest}


class EventLog:
    """Windows of one symbol's log. Rows are applied in log order, ordinals rising."""

    def __init__(self, windows):
        self._interval_ms = windows["packet_interval_ms"]
        self._jump_ms = windows["tick_jump_ms"]
        self._applied = Identities(windows["duplicate_ms"])
        self._counted_late = Identities(windows["duplicate_ms"])
        self._ordinal = 0
        self._lag_ms = None
        self._clock_ms = None
        self._first_start_ms = None
        self._open_ms = None
        self._waiting = []
        self._statuses = []
        self._skip_cuts = []
        self._late_total = 0

    @property
    def _end_ms(self):
        """E: the end of the last closed or skipped window."""
        return self._open_ms - self._interval_ms

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
        entry = Entry(row["exchange_ts_ms"], identity_of(row), row)
        if self._open_ms is None or entry.ts_ms > self._end_ms:
            self._waiting.append(entry)
        else:
            self._late(entry)
        return []

    def _late(self, entry):
        """Counts a late event, unless it repeats one that was applied or counted late.

        What is stamped at or before the start of the log's first window is not late: no window could have held it.
        """
        if entry.ts_ms <= self._first_start_ms:
            return
        if not (self._applied.repeats(entry, self._end_ms) or self._counted_late.repeats(entry, self._end_ms)):
            self._late_total += 1
            self._counted_late.remember(entry)

    def _tick(self, clock_ms):
        if self._lag_ms is None:
            return []
        before, self._clock_ms = self._clock_ms, clock_ms
        end_ms = window_of(clock_ms, self._interval_ms)
        if before is None:
            self._first_start_ms = end_ms - self._interval_ms
            self._open(end_ms)
        elif clock_ms - before > self._jump_ms and end_ms > self._open_ms:
            self._skip_cuts.append(end_ms - self._interval_ms)
            self._open(end_ms)
        closed = []
        while clock_ms >= self._open_ms + self._lag_ms:
            closed.append(self._close())
        return closed

    def _open(self, end_ms):
        """Opens window `end_ms` out of turn: what waited for a skipped window is late, in log order."""
        self._open_ms = end_ms
        passed = [entry for entry in self._waiting if entry.ts_ms <= self._end_ms]
        self._waiting = [entry for entry in self._waiting if entry.ts_ms > self._end_ms]
        for entry in passed:
            self._late(entry)

    def _close(self):
        """Closes the open window: orders its events, drops repeats, takes all waiting statuses."""
        end_ms = self._open_ms
        inside = sorted((entry for entry in self._waiting if entry.ts_ms <= end_ms), key=application_order)
        self._waiting = [entry for entry in self._waiting if entry.ts_ms > end_ms]
        events = []
        for entry in inside:
            if not self._applied.repeats(entry, self._end_ms):
                self._applied.remember(entry)
                events.append(entry.row)
        totals = dict.fromkeys(CHANNEL_ORDER, 0)
        for row in events:
            totals[row["kind"]] += 1
        window = Window(end_ms, self._statuses, events, self._skip_cuts, self._late_total, self._ordinal, totals)
        self._statuses, self._skip_cuts = [], []
        self._open_ms = end_ms + self._interval_ms
        self._applied.forget(end_ms)
        self._counted_late.forget(end_ms)
        return window
