"""Feed status, cuts and the gap ledger (sections "Feed status", "Cuts" and "Sources, gaps, quality")."""

CHANNELS = ("book", "trade", "context", "liquidation")


class Cuts:
    """Instants of exchange time that part what is stamped then or earlier from what is stamped later."""

    def __init__(self):
        self._instants = {channel: [] for channel in CHANNELS}
        self._not_followed = []

    def cut(self, channel, instant_ms):
        """Cuts one channel; None cuts all of them."""
        for name in CHANNELS if channel is None else (channel,):
            self._instants[name].append(instant_ms)
        if channel is None:
            self._not_followed.append(instant_ms)

    def take_back(self, channel, instant_ms):
        """Undoes one cut at the instant of one channel, or of all of them."""
        lists = [self._instants[name] for name in (CHANNELS if channel is None else (channel,))]
        for instants in lists + ([self._not_followed] if channel is None else []):
            if instant_ms in instants:
                instants.remove(instant_ms)

    def newest(self, channel, t_ms):
        """The newest cut of a channel before T, or None."""
        return max((c for c in self._instants[channel] if c < t_ms), default=None)

    def any_book_cut(self, from_ms, before_ms):
        """Whether a book cut c has from <= c < before."""
        return any(from_ms <= c < before_ms for c in self._instants["book"])

    def take_first_after(self, t_ms):
        """Whether a packet at T is the first after a cut of all channels; marks those cuts as followed."""
        waiting = [c for c in self._not_followed if c >= t_ms]
        first = len(waiting) < len(self._not_followed)
        self._not_followed = waiting
        return first


class Feed:
    """The venue's facts in force, reconnections, the gap ledger and the cuts."""

    def __init__(self, numbers):
        self._floors = numbers["staleness"]
        self._public_channels = numbers["public_channels"]
        self._known_ms = numbers["windows"]["duplicate_ms"]
        self._quality_ms = numbers["windows"]["quality_ms"]
        self._last_connected_pass = None
        self.connected = None
        self.venue = None
        self.limits_ms = {}
        self.reconnect_total = 0
        self.ledger = {}
        self.cuts = Cuts()

    def apply(self, rows, t_ms):
        """Applies the feed status entries of window T, in log order, at its close."""
        for row in rows:
            getattr(self, "_" + row["status"]["type"])(row, row["status"], t_ms)
        oldest = t_ms - self._known_ms
        self.ledger = {gap_id: span for gap_id, span in self.ledger.items()
                       if not span["end_ms"] or span["end_ms"] > oldest}

    def reports(self, channel):
        """Whether the venue reports a channel."""
        return channel in self.connected["channels"]

    def why_unreported(self, channel):
        """Why a channel is not reported: the venue lacks it, or this source does."""
        public = self._public_channels.get(self.venue)
        if public is not None and channel not in public:
            return "not_reported_by_venue"
        live = public is not None and self.connected["source_kind"] == "live"
        return "not_subscribed" if live else "not_in_this_source"

    def _connected(self, row, status, _t_ms):
        if self._last_connected_pass is not None and row["pass"] <= self._last_connected_pass:
            self.reconnect_total += 1
        self._last_connected_pass = row["pass"]
        self.connected = status
        self.venue = row["venue"]
        self.limits_ms = {
            "book": max(status["book_staleness_ms"], self._floors["book_ms"]),
            "trade": max(status["trade_staleness_ms"], self._floors["trade_ms"]),
            "context": max(status["context_staleness_ms"], self._floors["context_ms"]),
        }

    def _disconnected(self, row, _status, _t_ms):
        self.cuts.cut(None, row["exchange_ts_ms"])

    def _gap(self, _row, status, t_ms):
        if status["reason"] == "arrived_late":
            self._withdraw(status["gap_id"], t_ms)
        else:
            self._enter(status, status["channel"], status["reason"], t_ms)

    def _withdraw(self, gap_id, t_ms):
        """Takes the span of the id out of the ledger, and takes back its cut where that is after T - 600 s."""
        span = self.ledger.pop(gap_id, None)
        if span and span["start_ms"] > t_ms - self._known_ms:
            self.cuts.take_back(span["channel"], span["start_ms"])

    def _resynced(self, _row, status, t_ms):
        known = self.ledger.get(status["gap_id"])
        reason = known["reason"] if known and not known["is_seam"] else "sequence_gap"
        self._enter(status, status["channel"], reason, t_ms)

    def _seam(self, _row, status, t_ms):
        self._enter(status, None, "recording_seam", t_ms)

    def _enter(self, status, channel, reason, t_ms):
        """Replaces the span of a known id without a cut, or adds a new one and cuts its channel at its start.

        A span of reason `recording_seam` is a seam.
        """
        gap_id, end_ms = status["gap_id"], status["end_ms"]
        known = self.ledger.get(gap_id)
        channel = None if channel == "control" else channel
        if known and known["end_ms"] and not end_ms:
            return
        if not known:
            if end_ms and end_ms <= t_ms - self._known_ms:
                return
            self.cuts.cut(channel, status["start_ms"])
        self.ledger[gap_id] = {"gap_id": gap_id, "channel": channel, "reason": reason,
                               "is_seam": status["type"] == "seam", "start_ms": status["start_ms"], "end_ms": end_ms}

    def overlapping(self, t_ms):
        """Ledger spans that overlap (T - 300 s, T], in ledger order."""
        start_ms = t_ms - self._quality_ms
        return [span for span in self.ledger.values()
                if span["start_ms"] < t_ms and (span["end_ms"] == 0 or span["end_ms"] > start_ms)]

    def gap_ms(self, t_ms, silences):
        """Length of the union of silences and overlapping spans, an open one reaching T, clipped to the window."""
        covered, reach = 0, t_ms - self._quality_ms
        spans = [(span["start_ms"], span["end_ms"] or t_ms) for span in self.overlapping(t_ms)]
        for start, end in sorted(spans + silences):
            start, end = max(start, reach), min(end, t_ms)
            if end > start:
                covered += end - start
                reach = end
        return covered
