"""The packet against those before it (packet body page, section 13)."""

from .body_decision import driver
from .composites import COMPOSITES
from .facts import book_and_flow, side_word
from .history import mean_score
from .numbers import r6


def _moved(previous, current):
    moved = previous is not None and current is not None and previous != current
    return {"previous": previous, "current": current, "changed": moved}


def _side_moved(composite, read, last, words):
    """A side then and now; null where its composite was, or is, not available."""
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
        "baseline": "packet_before_and_mean_of_up_to_30_before",
        "state": _moved(last and last.published, read.publication.state),
        "winner_state": _moved(last and last.winner, read.decision.winner),
        "event_class": _moved(last and last.event_class, read.event_class),
        "event_profile": _moved(last and last.event_profile, read.event_profile),
        "book_side": _side_moved("pressure", read, last, ("bid", "ask")),
        "flow_side": _side_moved("flow", read, last, ("buy", "sell")),
        "severity": {"previous": last and last.severity, "current": read.severity.score,
                     "change": r6(read.severity.score - last.severity) if last else None},
        "composites": composites,
        "largest_mover": _largest_mover(composites),
        "mid_move_bps": r6(10000 * (r6(read.book.mid) / r6(last.mid) - 1)) if read.has_return else None,
    }


def _composite(name, read, history, numbers):
    entry = dict.fromkeys(("current", "previous", "change", "trailing_mean", "change_from_trailing_mean"))
    made = read.composites[name]
    if made.available:
        entry["current"] = made.score
        past = history.traces[-numbers["windows"]["trailing_packets"]:]
        if past and name in past[-1].available:
            previous = past[-1].scores[name]
            entry.update(previous=previous, change=r6(made.score - previous))
        mean = mean_score(past, name)
        if mean is not None:
            entry.update(trailing_mean=mean, change_from_trailing_mean=r6(made.score - mean))
    return entry


def _largest_mover(composites):
    compared = [name for name in COMPOSITES if composites[name]["trailing_mean"] is not None]
    if not compared:
        return None
    name = max(compared, key=lambda name: abs(composites[name]["change_from_trailing_mean"]))
    entry = composites[name]
    return {"composite": name, "current": entry["current"], "trailing_mean": entry["trailing_mean"],
            "change": entry["change_from_trailing_mean"]}


def changed_tags(tags, before):
    """The tag members of `changed`: counted tags of this packet and of the one before (None in the first)."""
    added = [] if before is None else [tag for tag in tags if tag not in before]
    removed = [] if before is None else [tag for tag in before if tag not in tags]
    return {"tags_added": added, "tags_removed": removed,
            "tags_added_total": len(added), "tags_removed_total": len(removed)}


def lineage_summary(read, window, history, previous_lineage_digest):
    """`packet_lineage_summary` but for the transition type."""
    last, sources = history.last, read.sources
    totals = dict(window.totals)
    for channel, family in (("book", "book"), ("trade", "trades"), ("context", "asset_context")):
        if sources[family].reason == "not_reported_by_venue":
            totals[channel] = None
    if sources["liquidations"].status == "missing":
        totals["liquidation"] = None
    return {
        "previous_packet_id": last and last.packet_id,
        "previous_lineage_digest": previous_lineage_digest,
        "packets_before": len(history.traces),
        "state_age_packets": read.publication.age_packets,
        "state_persistence_seconds": read.publication.persistence_seconds,
        "previous_state": last and last.published,
        "vote_score": read.vote_score,
        "price_move_bps": read.move_bps,
        "window_event_total": len(window.events),
        "window_event_totals": totals,
    }


def sophistication(read, packets_before):
    """`packet_sophistication`; body.py adds what is known after tags: novelty, transition and diagnosis."""
    publication = read.publication
    name, norm = driver(read)
    norms = {composite: read.norms[composite] if made.available else None
             for composite, made in read.composites.items()}
    return {
        "severity": {"score": read.severity.score, "severity_class": read.severity.severity_class},
        "persistence": {"state_age_packets": publication.age_packets,
                        "state_persistence_seconds": publication.persistence_seconds,
                        "winner_streak": publication.winner_streak, "publication_rule": publication.rule},
        "contradiction": {"score": read.contradiction},
        "driver": {"name": name, "norm": norm, "norms": norms},
        "lineage": {"packets_before": packets_before, "vote_score": read.vote_score},
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
