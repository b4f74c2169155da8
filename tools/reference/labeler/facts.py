"""Facts (packet body page, section 2): named values that conditions and sentences read.

A fact with a `packet_field` is the value of that field of the body, so it is looked up there. A fact whose field is
not written yet raises: nothing may read a later step.
"""

from . import classify
from .decision import SOURCE_STATES
from .numbers import sign


def side_word(value, positive, negative):
    """The side of a signed number in words; None of None."""
    return None if value is None else (negative, "none", positive)[sign(value) + 1]


class Facts:
    """The `market` and `packet` facts of the body being written."""

    def __init__(self, policy, body, read, window, has_previous):
        self._facts, self._body = policy.facts, body
        self._values = {**_without_field(read, window, has_previous), **_held_facts(policy, read),
                        **_nearest_facts(read), **_driver_facts(body), **_mover_facts(body)}
        self._lanes = {}

    def lanes(self, entries):
        """The lanes that have a read, as written in the body."""
        self._lanes = {entry["lane_id"]: entry for entry in entries}

    def __getitem__(self, name):
        if name in self._values:
            return self._values[name]
        if name == "mid_move_bps_abs":
            move = self["mid_move_bps"]
            return None if move is None else abs(move)
        path = self._facts[name]["packet_field"]
        if path.startswith("lane:"):
            lane_id, field = path[len("lane:"):].split(".")
            lane = self._lanes.get(lane_id)
            return None if lane is None else lane[field]
        return _at(self._body, path.split("."))


class LaneFacts:
    """The `lane` facts of one lane; a number that the lane lacks is null."""

    def __init__(self, policy, entry):
        self._facts, self._entry = policy.facts, entry

    def __getitem__(self, name):
        path = self._facts[name]["packet_field"].split(".")[1:]
        if path[0] == "numbers":
            return self._entry["numbers"].get(path[1])
        return _at(self._entry, path)


def _at(value, path):
    for name in path:
        if value is None:
            return None
        value = value[name]
    return value


def _without_field(read, window, has_previous):
    """The facts that stand nowhere in the body."""
    book, made = read.book, read.composites
    direction = read.liquidations and read.liquidations.direction
    short, session = read.realized_vol_short, read.realized_vol_session
    change = None
    if short is not None and session is not None:
        change = ("falling", "level", "rising")[sign(short - session) + 1]

    def missing(reason):
        return [family for family, source in read.sources.items()
                if source.status == "missing" and source.reason == reason]

    def move_with(name):
        return None if read.move_bps is None else read.move_bps * made[name].side

    return {
        "book_event_total": window.totals["book"],
        "trade_event_total": window.totals["trade"],
        "top1_side": side_word(book and book.imb_1, "bid", "ask"),
        "top5_side": side_word(book and book.imb_5, "bid", "ask"),
        "liquidated_side": side_word(direction, "shorts", "longs"),
        "book_and_flow": book_and_flow(read),
        "price_move_with_book_bps": move_with("pressure"),
        "price_move_with_flow_bps": move_with("flow"),
        "volatility_change": change,
        "unreported_families": missing("not_reported_by_venue"),
        "absent_families": missing("not_in_this_source"),
        "unsubscribed_families": missing("not_subscribed"),
        "unseen_families": missing("never_seen"),
        "has_previous": has_previous,
    }


def _held_facts(policy, read):
    """What is held, and what the next packet would be held against."""
    made, holds, decision = read.composites, read.holds, read.decision
    current = decision.winner not in SOURCE_STATES
    flow_10s = made["flow"].terms["flow_10s"]
    runner_up = next(candidate for candidate in decision.candidates if candidate.state == decision.runner_up)
    under = next((name for name in policy.numbers["state_composites"][read.publication.state]
                  if holds[name].held and made[name].score < holds[name].enter_at), None)
    return {
        "absorption_next_bound_bps": read.book and classify.absorption_bound_bps(
            read.book.spread_bps, read.event_profile, policy.numbers),
        "book_leans": current and holds["pressure"].held,
        "trades_lean": current and holds["flow"].held,
        "flow_10s_with_book": None if flow_10s is None else flow_10s * made["pressure"].side,
        "book_silence": "book_gap" in read.flags and not any(
            span["channel"] in (None, "book") and span["reason"] != "recording_seam" for span in read.spans),
        "runner_up_open": runner_up.is_open is True,
        "under_watch_driver": under,
        "under_watch_score": under and made[under].score,
        "under_watch_threshold": under and holds[under].enter_at,
        "under_watch_leave_at": under and holds[under].leave_at,
    }


def _nearest_facts(read):
    """Score and threshold of the nearest threshold; null without one."""
    nearest = read.nearest
    return {"nearest_threshold_value": nearest and nearest.value,
            "nearest_threshold_level": nearest and nearest.threshold}


def _driver_facts(body):
    """What the trace says of the composite that drives; null with none."""
    driving = body["state_decision_trace"]["composites"].get(body["state_hierarchy"]["driver"])
    shown = ("score", "watch", "elevated", "leave_at", "held", "level")
    return {f"driver_{name}": driving and driving[name] for name in shown}


def _mover_facts(body):
    """Score and trailing mean of the largest mover; null with none."""
    mover = body["changed"]["largest_mover"]
    if mover is None:
        return {"mover_value": None, "mover_trailing_mean": None}
    name = mover["composite"]
    return {"mover_value": body["state_decision_trace"]["composites"][name]["score"],
            "mover_trailing_mean": body["changed"]["composites"][name]["trailing_mean"]}


def book_and_flow(read):
    """`one_sided` if either has no side, else `same_side` or `opposite_sides`."""
    product = read.composites["pressure"].side * read.composites["flow"].side
    return ("opposite_sides", "one_sided", "same_side")[product + 1]
