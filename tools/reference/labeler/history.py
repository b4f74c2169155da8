"""What later packets remember of a packet, and the comparisons against earlier ones."""

from dataclasses import dataclass

from .numbers import r6, total


@dataclass
class Trace:
    """The memory of one packet. Scores of composites that were not available are 0; mid and spread are None
    without a book."""

    end_ms: int
    packet_id: str
    fresh: bool
    book_ms: int
    mid: float
    spread_bps: float
    depth_5: float
    winner: str
    published: str
    event_class: str
    event_profile: str
    severity: float
    confidence: float
    signed: dict
    scores: dict
    available: set
    realized_vol_short: float
    realized_vol_session: float
    counted_tags: list
    tag_set: frozenset
    reconnect_total: int
    late_total: int


class History:
    """Traces of all packets so far, oldest first."""

    def __init__(self, numbers):
        self._session_packets = numbers["windows"]["session_packets"]
        self.traces = []
        self.by_end = {}
        self.fresh = []

    def add(self, trace):
        """Adds the packet just made."""
        self.traces.append(trace)
        self.by_end[trace.end_ms] = trace
        if trace.fresh:
            self.fresh.append(trace)

    @property
    def last(self):
        """The packet before, or None."""
        return self.traces[-1] if self.traces else None

    def session(self):
        """The last 2,160 packets that had a fresh book."""
        return self.fresh[-self._session_packets:]

    def newest_at(self, t_ms):
        """The newest packet with window end at or before an instant, or None."""
        for trace in reversed(self.traces):
            if trace.end_ms <= t_ms:
                return trace
        return None


def comparable(cuts, earlier, fresh, book_ms):
    """Whether mids may be compared: both books fresh, and no book cut c with earlier book <= c < this book."""
    return bool(earlier and earlier.fresh and fresh and not cuts.any_book_cut(earlier.book_ms, book_ms))


def mean(values):
    """r6(sum / n), oldest first; None over none."""
    return r6(total(values) / len(values)) if values else None


def mean_score(traces, composite, signed=False):
    """Mean score (or signed value) over the packets in which a composite was available; None over none."""
    return mean([(trace.signed if signed else trace.scores)[composite] for trace in traces
                 if composite in trace.available])
