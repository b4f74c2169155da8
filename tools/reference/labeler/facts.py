"""Facts (packet body page, section 2): named values that conditions and sentences read.

A fact with a `packet_field` is the value of that field of the body, so it is looked up there. A fact whose field is
not written yet raises: nothing may read a later step.
"""

from .numbers import sign


def side_word(value, positive, negative):
    """The side of a signed number in words; None of None."""
    return None if value is None else (negative, "none", positive)[sign(value) + 1]


class Facts:
    """The `market` and `packet` facts of the body being written."""

    def __init__(self, policy, body, read, window, has_previous):
        self._facts, self._body = policy.facts, body
        self._values = _without_field(read, window, has_previous)
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
        "minute_side": side_word(made["pressure"].terms["m180"], "bid", "ask"),
        "liquidated_side": side_word(direction, "shorts", "longs"),
        "book_and_flow": book_and_flow(read),
        "price_move_with_book_bps": move_with("pressure"),
        "price_move_with_flow_bps": move_with("flow"),
        "volatility_change": change,
        "unreported_families": missing("not_reported_by_venue"),
        "unseen_families": missing("never_seen"),
        "has_previous": has_previous,
    }


def book_and_flow(read):
    """`one_sided` if either has no side, else `same_side` or `opposite_sides`."""
    product = read.composites["pressure"].side * read.composites["flow"].side
    return ("opposite_sides", "one_sided", "same_side")[product + 1]
