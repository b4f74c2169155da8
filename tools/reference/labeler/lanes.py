"""Lanes (section "Lanes" of the labeling page; their numbers by name: packet body page, section 7)."""

from collections import namedtuple

from .classify import confidence_label
from .decision import STATES
from .history import comparable, mean, mean_score
from .numbers import r6, total

# numbers: by name; None for what could not be read, which the body leaves out.
Lane = namedtuple("Lane", "instant_ms state state_share packets confidence label numbers")


def _flips(traces):
    return sum(a.published != b.published for a, b in zip(traces, traces[1:]))


def _lane(instant_ms, traces, mean_confidence, full, numbers, lane_numbers):
    held = {state: 0 for state in STATES}
    for trace in traces:
        held[trace.published] += 1
    state = max(STATES, key=lambda name: held[name])
    confidence = r6(mean_confidence * r6(min(1, len(traces) / full)))
    return Lane(instant_ms, state, r6(held[state] / len(traces)), len(traces), confidence,
                confidence_label(confidence, numbers), lane_numbers)


def _bps(volatility):
    return 0.0 if volatility is None else r6(10000 * volatility)


def short_window(traces, cuts, numbers):
    """The newest 30 packets, this one in; stands at T."""
    size = numbers["lanes"]["short_window_packets"]
    traces = traces[-size:]
    oldest, this = traces[0], traces[-1]
    move = 0.0
    if comparable(cuts, oldest, this.fresh, this.book_ms):
        move = r6(10000 * (this.mid / oldest.mid - 1))
    return _lane(this.end_ms, traces, mean([t.confidence for t in traces]), size, numbers, {
        "pressure_mean": mean_score(traces, "pressure", signed=True),
        "flow_mean": mean_score(traces, "flow", signed=True),
        "fragility_mean": mean_score(traces, "fragility"),
        "forced_flow_mean": mean_score(traces, "forced_flow"),
        "spread_bps_mean": mean([t.spread_bps for t in traces if t.spread_bps is not None]),
        "price_move_bps": move,
        "realized_vol_bps": _bps(this.realized_vol_short),
        "state_flips": _flips(traces),
    })


def session_regime(traces, instant_ms, numbers):
    """The newest 2,160 packets with window end at or before the instant; None with none."""
    rules = numbers["lanes"]
    traces = [t for t in traces if t.end_ms <= instant_ms][-rules["session_packets"]:]
    if not traces:
        return None
    newest = traces[-1]
    return _lane(instant_ms, traces, mean([t.confidence for t in traces]), rules["session_full_packets"], numbers, {
        "pressure_abs_mean": mean_score(traces, "pressure"),
        "flow_abs_mean": mean_score(traces, "flow"),
        "fragility_mean": mean_score(traces, "fragility"),
        "crowding_mean": mean_score(traces, "crowding"),
        "regime_score": newest.scores["regime"] if "regime" in newest.available else None,
        "realized_vol_short_bps": _bps(newest.realized_vol_short),
        "realized_vol_session_bps": _bps(newest.realized_vol_session),
        "state_flips": _flips(traces),
        "session_minutes": r6((newest.end_ms - traces[0].end_ms) / 60000),
    })


def historical_replay(traces, instant_ms, numbers):
    """The newest 288 blocks (end - 300 s, end] that hold a packet; None with none.

    Sums are formed within a block in packet order, then over blocks, oldest first.
    """
    rules = numbers["lanes"]
    every_ms = rules["history_every_ms"]
    blocks = {}
    for trace in traces:
        if trace.end_ms <= instant_ms:
            blocks.setdefault(-(-trace.end_ms // every_ms), []).append(trace)
    kept = list(blocks.values())[-rules["history_blocks"]:]
    traces = [trace for block in kept for trace in block]
    if not traces:
        return None

    def block_mean(name):
        return r6(total(total(getattr(trace, name) for trace in block) for block in kept) / len(traces))

    mids = [trace.mid for trace in traces if trace.mid is not None]
    hours = len(traces) * numbers["windows"]["packet_interval_ms"] / 3600000
    return _lane(instant_ms, traces, block_mean("confidence"), rules["history_full_packets"], numbers, {
        "severity_mean": block_mean("severity"),
        "state_flips": sum(_flips(block) for block in kept),
        "price_range_bps": r6(10000 * (max(mids) / min(mids) - 1)) if mids else 0.0,
        "history_hours": r6(hours),
    })


def event_lineage(traces, numbers):
    """The newest 6 packets, this one in; stands at T."""
    size = numbers["lanes"]["event_packets"]
    traces = traces[-size:]
    return _lane(traces[-1].end_ms, traces, mean([t.confidence for t in traces]), size, numbers, {
        "state_flips": _flips(traces),
        "severity_mean": mean([t.severity for t in traces]),
    })


class Lanes:
    """The reads of all lanes but the hot path; scheduled ones are kept between their instants."""

    def __init__(self, numbers):
        self._numbers = numbers
        self._kept = {}

    def read(self, traces, cuts):
        """Reads at the newest packet, by lane id; None for a scheduled lane without packets."""
        rules, t_ms = self._numbers["lanes"], traces[-1].end_ms
        return {
            "short_window": short_window(traces, cuts, self._numbers),
            "session_regime": self._scheduled(session_regime, traces, t_ms, rules["session_every_ms"],
                                              rules["session_lag_ms"]),
            "historical_replay": self._scheduled(historical_replay, traces, t_ms, rules["history_every_ms"],
                                                 rules["history_lag_ms"]),
            "event_lineage": event_lineage(traces, self._numbers),
        }

    def _scheduled(self, read, traces, t_ms, every_ms, lag_ms):
        """Stands at floor((T - lag) / every) * every; read at the first packet of that instant."""
        instant = (t_ms - lag_ms) // every_ms * every_ms
        before = self._kept.get(read)
        if before is None or before[0] != instant:
            self._kept[read] = instant, read(traces, instant, self._numbers)
        return self._kept[read][1]
