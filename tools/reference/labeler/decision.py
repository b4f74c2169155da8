"""Candidates, the raw winner and the published state (section "Decision" of the labeling page)."""

from collections import namedtuple

from .composites import NOT_AVAILABLE
from .numbers import r6, trailing_mean

STATES = ("insufficient_evidence", "replay_context_ready", "pressure_building", "flow_shift_watch",
          "fragile_depth_watch", "depth_watch", "crowding_shift", "crowding_persistent",
          "regime_transition_candidate", "market_state_watch")

SOURCE_STATES = STATES[:2]

Candidate = namedtuple("Candidate", "state score terms notes")

Decision = namedtuple("Decision", "candidates winner winner_score runner_up runner_up_score margin")


def decide(composites, norms, traces, support, book_present, fresh, crowding_watch, numbers):
    """Scores the ten candidates. `traces`: all packets before, oldest first; norms of missing composites are 0."""
    rules, windows = numbers["candidates"], numbers["windows"]
    p_norm, f_norm, q_norm = norms["pressure"], norms["flow"], norms["fragility"]
    c_norm, r_norm = norms["crowding"], norms["regime"]
    f = composites["flow"].signed
    agree = composites["pressure"].side == composites["flow"].side

    flow_mean = trailing_mean([t.signed["flow"] for t in traces[-windows["flow_mean_packets"]:]], f)
    flow_change = r6(min(1, abs(f - flow_mean)))

    c = composites["crowding"].score
    crowding_past = [t.scores["crowding"] for t in traces[-windows["crowding_mean_packets"]:]]
    crowding_mean = trailing_mean(crowding_past, c)
    crowding_change = r6(min(1, abs(c - crowding_mean) / rules["crowding_full_change"]))
    crowded_share = None
    if len(crowding_past) >= numbers["minimums"]["crowding_share_packets"]:
        crowded_share = r6(sum(score >= crowding_watch for score in crowding_past) / len(crowding_past))

    book_stale = int(book_present and not fresh)
    no_evidence = not book_present or support < rules["support_minimum"]
    building = (rules["pressure_weight"] * p_norm + rules["flow_weight"] * f_norm if agree
                else rules["pressure_weight"] * p_norm * (1 - rules["disagreement_discount"] * f_norm))
    shift = ((rules["flow_shift_level_weight"] * f_norm + rules["flow_shift_change_weight"] * flow_change)
             * (1 - rules["flow_shift_pressure_discount"] * p_norm))
    scores = {
        "insufficient_evidence": (int(no_evidence),
                                  {"book_seen": int(book_present), "source_support_ratio": support}),
        "replay_context_ready": (book_stale, {"book_stale": book_stale}),
        "pressure_building": (building, {"pressure_norm": p_norm, "flow_norm": f_norm, "sides_agree": int(agree)}),
        "flow_shift_watch": (shift, {"pressure_norm": p_norm, "flow_norm": f_norm, "flow_mean": flow_mean,
                                     "flow_change": flow_change}),
        "fragile_depth_watch": (q_norm, {"fragility_norm": q_norm}),
        "depth_watch": (rules["depth_weight"] * p_norm * (1 - f_norm),
                        {"pressure_norm": p_norm, "flow_norm": f_norm}),
        "crowding_shift": (c_norm * crowding_change, {"crowding_norm": c_norm, "crowding_mean": crowding_mean,
                                                      "crowding_change": crowding_change}),
        "crowding_persistent": (c_norm * (crowded_share or 0.0), {"crowding_norm": c_norm,
                                                                  "crowded_share": crowded_share}),
        "regime_transition_candidate": (rules["regime_weight"] * r_norm, {"regime_norm": r_norm}),
        "market_state_watch": (rules["floor_score"], {"floor": rules["floor_score"]}),
    }
    candidates = [_candidate(state, r6(scores[state][0]), scores[state][1], composites) for state in STATES]
    first, second = sorted(candidates, key=lambda candidate: -candidate.score)[:2]
    return Decision(candidates, first.state, first.score, second.state, second.score, r6(first.score - second.score))


def _candidate(state, score, terms, composites):
    """Nulls the terms named after a composite that is not available, and notes why."""
    shown, notes = dict(terms), {}
    for name in terms:
        for composite, made in composites.items():
            if name.startswith(composite + "_") and not made.available:
                shown[name], notes[name] = None, absence(made)
        if shown[name] is None and name not in notes:
            notes[name] = NOT_AVAILABLE
    return Candidate(state, score, shown, notes)


def absence(composite):
    """Why a composite is not available: `source_missing` if one of its terms says so."""
    return "source_missing" if "source_missing" in composite.notes.values() else NOT_AVAILABLE


class Publication:
    """The published state: dwell of two wins, a clear margin, or a source state on either side."""

    def __init__(self, numbers):
        self._rules = numbers["dwell"]
        self.state = None
        self.streak = 0
        self.age_packets = 0
        self.rule = None
        self._winner = None
        self._since_ms = None

    def publish(self, winner, margin, t_ms):
        """Takes the raw winner of the packet at T."""
        self.streak = self.streak + 1 if winner == self._winner else 1
        self._winner = winner
        before = self.state
        if before is None or (winner != before and self._may_change(winner, margin)):
            self.state, self.age_packets, self._since_ms = winner, 0, t_ms
        self.age_packets += 1
        self.persistence_seconds = (t_ms - self._since_ms) / 1000
        if before is None:
            self.rule = "first_packet"
        elif self.state != winner:
            self.rule = "held_by_dwell"
        else:
            self.rule = "changed_to_winner" if self.state != before else "winner_is_published"

    def _may_change(self, winner, margin):
        return (self.streak >= self._rules["packets"] or margin >= self._rules["margin"]
                or winner in SOURCE_STATES or self.state in SOURCE_STATES)
