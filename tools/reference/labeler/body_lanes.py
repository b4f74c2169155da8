"""`compute_lanes` (packet body page, section 7)."""

from .body_plain import utc
from .facts import LaneFacts
from .lanes import Lane


def lane_entries(policy, read, reads):
    """One entry for each lane that has a read, in file order."""
    hot = Lane(read.t_ms, read.decision.winner, 1, 1, read.confidence, read.confidence_label, {})
    entries = []
    for rules in policy.files["lanes"]["lanes"]:
        lane = hot if rules["lane_id"] == "hot_path" else reads[rules["lane_id"]]
        if lane is not None:
            entries.append(_entry(policy, rules, lane, read))
    return entries


def _entry(policy, rules, lane, read):
    def left_out(name, value):
        if value is None:
            return True
        needs = rules["left_out_without"].get(name)
        return (needs and not read.composites[needs].available) or (name in rules["left_out_when_zero"] and value == 0)

    entry = {
        **{name: rules[name] for name in ("lane_id", "horizon", "latency_budget_ms", "blocking_latest_route",
                                          "staleness_policy")},
        "as_of_utc": utc(lane.instant_ms),
        "freshness_ms": read.t_ms - lane.instant_ms,
        "confidence": {"label": lane.label, "score": lane.confidence},
        "state": lane.state,
        "state_label": policy.label("states", lane.state),
        "sample_total": lane.packets,
        "state_share": lane.state_share,
        "numbers": {name: value for name, value in lane.numbers.items() if not left_out(name, value)},
    }
    facts = LaneFacts(policy, entry)
    return {**entry, "reasons": list(policy.sentences(rules["claims"], facts)),
            "tags": policy.tags(rules["tags"], facts)}


def enrichment_boundary(policy, entries):
    """`lane_enrichment_boundary` (packet body page, section 12)."""
    lanes = policy.files["lanes"]["lanes"]
    with_read = {entry["lane_id"] for entry in entries}
    blocking = [lane["lane_id"] for lane in lanes if lane["blocking_latest_route"]]
    return {
        "label_lane_id": policy.files["lanes"]["producer_lane"],
        "blocking_lane_ids": blocking,
        "enrichment_lane_ids": [lane["lane_id"] for lane in lanes
                                if lane["lane_id"] in with_read and lane["lane_id"] not in blocking],
        "pending_lane_ids": [lane["lane_id"] for lane in lanes if lane["lane_id"] not in with_read],
    }
