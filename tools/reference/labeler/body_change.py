"""The packet against those before it (packet body page, section 13)."""

from .body_decision import driver
from .composites import COMPOSITES
from .facts import book_and_flow, side_word
from .history import mean_score
from .numbers import r6
from .sources import MISSING


def _moved(previous, current):
    return {"previous": previous, "changed": previous is not None and current is not None and previous != current}


def _side_moved(composite, read, last, words):
    """The side before, and whether it is another now; neither where its composite was, or is, not available."""
    made = read.composites[composite]
    previous = side_word(last.signed[composite], *words) if last and composite in last.available else None
    return _moved(previous, side_word(made.signed, *words) if made.available else None)


def side_words(read):
    """(book side, flow side) in words; `none` at 0, also for want of a source."""
    made = read.composites
    return side_word(made["pressure"].side, "bid", "ask"), side_word(made["flow"].side, "buy", "sell")


def changed(policy, read, history):
    """`changed` but for its tags, which body.py adds once they are known."""
    last = history.last
    composites = {name: _composite(name, read, history, policy.numbers) for name in COMPOSITES}
    return {
        "state": _moved(last and last.published, read.publication.state),
        "winner_state": _moved(last and last.winner, read.decision.winner),
        "event_class": _moved(last and last.event_class, read.event_class),
        "event_profile": _moved(last and last.event_profile, read.event_profile),
        "book_side": _side_moved("pressure", read, last, ("bid", "ask")),
        "flow_side": _side_moved("flow", read, last, ("buy", "sell")),
        "severity": {"previous": last and last.severity,
                     "change": r6(read.severity.score - last.severity) if last else None},
        "composites": composites,
        "largest_mover": _largest_mover(read, composites),
        "mid_move_bps": r6(10000 * (r6(read.book.mid) / r6(last.mid) - 1)) if read.has_return else None,
    }


def _composite(name, read, history, numbers):
    previous = mean = None
    if read.composites[name].available:
        past = history.traces[-numbers["windows"]["trailing_packets"]:]
        if past and name in past[-1].available:
            previous = past[-1].scores[name]
        mean = mean_score(past, name)
    return {"previous": previous, "trailing_mean": mean}


def _largest_mover(read, composites):
    changes = {name: r6(read.composites[name].score - entry["trailing_mean"])
               for name, entry in composites.items() if entry["trailing_mean"] is not None}
    if not changes:
        return None
    name = max(changes, key=lambda name: abs(changes[name]))
    return {"composite": name, "change": changes[name]}


def changed_tags(tags, before):
    """The tag members of `changed`: counted tags of this packet and of the one before (None in the first)."""
    added = [] if before is None else [tag for tag in tags if tag not in before]
    removed = [] if before is None else [tag for tag in before if tag not in tags]
    return {"tags_added": added, "tags_removed": removed}


def lineage_summary(read, window, history):
    """`packet_lineage_summary`."""
    last, totals = history.last, dict(window.totals)
    for channel, family in (("book", "book"), ("trade", "trades"), ("context", "asset_context"),
                            ("liquidation", "liquidations")):
        source = read.sources[family]
        if source.status == MISSING and source.reason != "never_seen":
            totals[channel] = None
    return {
        "previous_packet_id": last and last.packet_id,
        "packets_before": len(history.traces),
        "previous_state": last and last.published,
        "vote_score": read.vote_score,
        "window_event_total": len(window.events),
        "window_event_totals": totals,
    }


def sophistication(read):
    """`packet_sophistication`; body.py adds novelty once it is known."""
    publication = read.publication
    name, norm = driver(read)
    return {
        "severity": {"score": read.severity.score},
        "persistence": {"state_age_packets": publication.age_packets,
                        "state_persistence_seconds": publication.persistence_seconds},
        "contradiction": {"score": read.contradiction},
        "driver": {"name": name, "norm": norm},
        "lineage": {"vote_score": read.vote_score},
    }


def hierarchy(policy, read):
    """`state_hierarchy`."""
    lanes = policy.files["lanes"]
    horizon = next(lane["horizon"] for lane in lanes["lanes"] if lane["lane_id"] == lanes["state_lane"])
    book_side, flow_side = side_words(read)
    return {"top_level_state": read.publication.state, "event_class": read.event_class,
            "event_profile": read.event_profile, "driver": driver(read)[0],
            "side_context": {"book_side": book_side, "flow_side": flow_side, "book_and_flow": book_and_flow(read)},
            "compute_horizon": horizon, "producer_lane": lanes["producer_lane"]}
