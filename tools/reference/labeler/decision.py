"""Candidates, the raw winner and the published state (section "Decision" of the labeling page)."""

from collections import namedtuple

from .composites import NOT_AVAILABLE
from .numbers import r6, trailing_mean

STATES = ("insufficient_evidence", "replay_context_ready", "pressure_building", "flow_shift_watch",
          "fragile_depth_watch", "depth_watch", "crowding_shift", "crowding_persistent",
          "regime_transition_candidate", "market_state_watch")

SOURCE_STATES, FLOOR = STATES[:2], STATES[-1]

# is_open: None for the source states and the floor.
Candidate = namedtuple("Candidate", "state score terms notes is_open")

Decision = namedtuple("Decision", "candidates winner winner_score runner_up runner_up_score margin")


def decide(composites, norms, holds, traces, support, book, activity, numbers):
    """Scores the ten candidates. `book`: its features, None while the family is missing; `traces`: all packets before,
    oldest first; norms of missing composites are 0."""
    rules, windows = numbers["candidates"], numbers["windows"]
    p_norm, f_norm, q_norm = norms["pressure"], norms["flow"], norms["fragility"]
    c_norm, r_norm = norms["crowding"], norms["regime"]
    lasts = {name: hold.packets >= numbers["dwell"]["held_packets"] for name, hold in holds.items()}
    p_side = composites["pressure"].side
    agree = p_side == composites["flow"].side
    active = activity > numbers["activity"]["active_from"]
    lean = r6(book.imb_5 * p_side) if book else 0.0

    c = composites["crowding"].score
    crowding_past = [t.scores["crowding"] for t in traces[-windows["crowding_mean_packets"]:]]
    crowding_mean = trailing_mean(crowding_past, c)
    crowding_change = r6(min(1, abs(c - crowding_mean) / rules["crowding_full_change"]))
    crowded_share = None
    if len(crowding_past) >= numbers["minimums"]["crowding_share_packets"]:
        crowded = sum(score >= holds["crowding"].enter_at for score in crowding_past)
        crowded_share = r6(crowded / len(crowding_past))

    book_stale = int(book is not None and not book.fresh)
    no_evidence = book is None or support < rules["support_minimum"]
    pressure_and_flow = {"pressure_norm": p_norm, "flow_norm": f_norm}
    # Score and terms; of the seven that can be open also whether they are.
    rows = {
        "insufficient_evidence": (int(no_evidence),
                                  {"book_seen": int(book is not None), "source_support_ratio": support}),
        "replay_context_ready": (book_stale, {"book_stale": book_stale}),
        "pressure_building": (rules["pressure_weight"] * p_norm + rules["flow_weight"] * f_norm * agree,
                              {**pressure_and_flow, "sides_agree": int(agree), "activity": activity},
                              lasts["pressure"] and (lasts["flow"] and agree or active)),
        "flow_shift_watch": (rules["flow_shift_weight"] * f_norm
                             * (1 - rules["flow_shift_pressure_discount"] * p_norm), pressure_and_flow,
                             lasts["flow"]),
        "fragile_depth_watch": (rules["fragility_weight"] * q_norm, {"fragility_norm": q_norm}, lasts["fragility"]),
        "depth_watch": (rules["depth_weight"] * p_norm * (1 - f_norm),
                        {**pressure_and_flow, "activity": activity, "newest_lean": lean},
                        lasts["pressure"] and not active and lean >= rules["depth_lean_from"]),
        "crowding_shift": (c_norm * crowding_change,
                           {"crowding_norm": c_norm, "crowding_mean": crowding_mean,
                            "crowding_change": crowding_change},
                           lasts["crowding"] and crowding_change >= rules["crowding_shift_open_from"]),
        "crowding_persistent": (c_norm * (crowded_share or 0.0),
                                {"crowding_norm": c_norm, "crowded_share": crowded_share},
                                lasts["crowding"] and (crowded_share or 0.0) >= rules["crowding_persistent_open_from"]),
        "regime_transition_candidate": (rules["regime_weight"] * r_norm, {"regime_norm": r_norm}, lasts["regime"]),
        "market_state_watch": (rules["floor_score"], {"floor": rules["floor_score"]}),
    }
    candidates = [_candidate(state, *_scored(*rows[state], rules=rules), composites) for state in STATES]
    first, second = sorted(candidates, key=lambda candidate: -candidate.score)[:2]
    return Decision(candidates, first.state, first.score, second.state, second.score, r6(first.score - second.score))


def _scored(score, terms, is_open=None, *, rules):
    """(score, terms, open): what is open stands above the floor, what can be open and is not stands under it."""
    score = r6(score)
    if is_open is None:
        return score, terms, None
    bounded = max(score, rules["open_score"]) if is_open else min(score, rules["closed_score"])
    return bounded, {**terms, "open": int(is_open)}, is_open


def _candidate(state, score, terms, is_open, composites):
    """Nulls the terms named after a composite that is not available, and notes why."""
    shown, notes = dict(terms), {}
    for name in terms:
        for composite, made in composites.items():
            if name.startswith(composite + "_") and not made.available:
                shown[name], notes[name] = None, absence(made)
        if shown[name] is None and name not in notes:
            notes[name] = NOT_AVAILABLE
    return Candidate(state, score, shown, notes, is_open)


def absence(composite):
    """Why a composite is not available: `source_missing` if one of its terms says so."""
    return "source_missing" if "source_missing" in composite.notes.values() else NOT_AVAILABLE


class Publication:
    """The published state: it changes when its rival has won often enough, on release, or for a source state."""

    def __init__(self, numbers):
        self._packets = numbers["dwell"]["packets"]
        self.state = None
        self.winner_streak = 0
        self.lost_streak = 0
        self.age_packets = 0
        self.rule = None
        self._winner = None
        self._since_ms = None

    def publish(self, decision, t_ms):
        """Takes the raw decision of the packet at T."""
        winner = decision.winner
        self.winner_streak = self.winner_streak + 1 if winner == self._winner else 1
        self.lost_streak += 1
        self._winner = winner
        self.rule = self._rule(decision)
        if self.rule != "held_by_dwell":
            self.lost_streak = 0
            if winner != self.state:
                self.state, self.age_packets, self._since_ms = winner, 0, t_ms
        self.age_packets += 1
        self.persistence_seconds = (t_ms - self._since_ms) / 1000

    def _rule(self, decision):
        """The first rule that holds; all but `held_by_dwell` publish the raw winner."""
        winner, before = decision.winner, self.state
        if before is None:
            return "first_packet"
        if winner == before:
            return "winner_is_published"
        if winner in SOURCE_STATES or before in SOURCE_STATES:
            return "changed_to_winner"
        if decision.candidates[STATES.index(before)].is_open is False:
            return "changed_on_release"
        streak = self.lost_streak if before == FLOOR else self.winner_streak
        return "changed_to_winner" if streak >= self._packets else "held_by_dwell"
