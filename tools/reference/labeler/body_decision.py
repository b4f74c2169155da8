"""The decision in the body: `state_decision_trace` and `state_diagnosis` (packet body page, section 11)."""

from .composites import COMPOSITES, NOT_AVAILABLE, SOURCE_MISSING
from .decision import SOURCE_STATES, absence
from .facts import side_word
from .sources import PARTIAL, RESOLVED, families_with

_SIDE_WORDS = {"pressure": ("bid", "ask"), "flow": ("buy", "sell"), "forced_flow": ("shorts", "longs")}


def threshold_id(threshold):
    """`<composite>_watch` or `<composite>_elevated`."""
    return f"{threshold.composite}_{threshold.level}"


def driver(read):
    """(name, norm) of the available composite with the highest norm, the earlier on a tie; `none` at 0."""
    name = max(COMPOSITES, key=lambda name: read.norms[name])
    return (name, read.norms[name]) if read.norms[name] > 0 else ("none", 0)


def _level(name, read):
    if not read.composites[name].available:
        return "no_source" if absence(read.composites[name]) == SOURCE_MISSING else NOT_AVAILABLE
    if read.decision.winner in SOURCE_STATES:
        return "not_current"
    crossing = {threshold.level: threshold.crossing for threshold in read.thresholds if threshold.composite == name}
    if crossing["elevated"] == "crossed":
        return "elevated"
    return {"crossed": "watch", "near_threshold": "near_watch", None: "below_watch"}[crossing["watch"]]


def _composite(name, read):
    made, (watch, elevated), hold = read.composites[name], read.pairs[name], read.holds[name]
    shown = {"score": made.score, "norm": read.norms[name]} if made.available else {"score": None, "norm": None}
    return {**shown, "side": side_word(made.side, *_SIDE_WORDS.get(name, ("none", "none"))),
            "level": _level(name, read), "watch": watch, "elevated": elevated, "held": hold.held,
            "enter_at": hold.enter_at, "leave_at": hold.leave_at, "held_packets": hold.packets,
            **_terms(made.terms, made.notes)}


def _terms(terms, notes):
    """`terms`, and `term_notes` where a term is null."""
    return {"terms": terms, "term_notes": notes} if notes else {"terms": terms}


def _candidate(candidate):
    """One of `candidate_states`; norms stand in `composites` alone."""
    norms = [f"{name}_norm" for name in COMPOSITES]
    terms, notes = ({name: value for name, value in part.items() if name not in norms}
                    for part in (candidate.terms, candidate.notes))
    return {"state": candidate.state, "score": candidate.score, **_terms(terms, notes)}


def _rejection(candidate, read, state_composites):
    """Why a candidate did not win; the first reason that holds."""
    decision = read.decision
    if candidate.state in SOURCE_STATES and candidate.score == 0:
        return "not_triggered"
    if decision.winner in SOURCE_STATES:
        return "overridden_by_source_state"
    rests_on = [read.composites[name] for name in state_composites[candidate.state]]
    if rests_on and not any(made.available for made in rests_on):
        return SOURCE_MISSING if SOURCE_MISSING in map(absence, rests_on) else "not_measurable"
    if candidate.is_open is False:
        return "not_open"
    if candidate.score == decision.winner_score:
        return "tie_lost_to_higher_row"
    return "score_zero" if candidate.score == 0 else "outscored"


def decision_trace(policy, read):
    """`state_decision_trace`."""
    decision, publication, numbers, texts = read.decision, read.publication, policy.numbers, policy.files["texts"]
    nearest = read.nearest
    book, trades = read.book, read.trades
    return {
        "trace_version": policy.files["versions"]["trace_version"],
        "winner_state": decision.winner,
        "runner_up_state": decision.runner_up,
        "state_margin": decision.margin,
        "publication": {"published_state": publication.state, "rule": publication.rule,
                        "winner_streak": publication.winner_streak, "lost_streak": publication.lost_streak,
                        "streak_required": numbers["dwell"]["packets"]},
        "candidate_states": [_candidate(candidate) for candidate in decision.candidates],
        "rejected_states": [{"state": candidate.state,
                             "reason": _rejection(candidate, read, numbers["state_composites"])}
                            for candidate in decision.candidates if candidate.state != decision.winner],
        "threshold_crossings": {
            "crossed_total": len(read.crossed), "near_threshold_total": len(read.near),
            "nearest": nearest and {"feature_id": threshold_id(nearest), "distance": nearest.distance}},
        "composites": {name: _composite(name, read) for name in COMPOSITES},
        "imbalances": {"top1": book and book.imb_1, "top3": book and book.imb_3, "top5": book and book.imb_5,
                       "trade": trades and (trades.imbalance or 0.0), "price_move_bps": read.move_bps},
        "absorption_bound_bps": read.absorption_bound_bps,
        "market_outcome_claim": texts["market_outcome_claim"],
        "trade_instruction": texts["trade_instruction"],
    }


def diagnosis(policy, read):
    """`state_diagnosis` but for what tags and guidance decide; body.py adds those members."""
    decision, publication = read.decision, read.publication
    resolved, partial = families_with(read.sources, RESOLVED), families_with(read.sources, PARTIAL)
    listed = [threshold for threshold in read.thresholds if threshold.crossing]
    return {
        "diagnosis_version": policy.files["versions"]["diagnosis_version"],
        "winner_state": decision.winner,
        "winner_score": decision.winner_score,
        "runner_up_state": decision.runner_up,
        "runner_up_score": decision.runner_up_score,
        "state_margin": decision.margin,
        "crossed_thresholds": [{"feature_id": threshold_id(threshold), "threshold": threshold.threshold,
                                "value": threshold.value, "distance": threshold.distance,
                                "crossed": threshold.crossing == "crossed", "crossing_class": threshold.crossing}
                               for threshold in listed],
        "source_support": {"resolved_families": resolved, "partial_families": partial,
                           "resolved_family_total": len(resolved), "partial_family_total": len(partial),
                           "source_support_ratio": read.support},
        "severity_class": read.severity.severity_class,
        "severity_score": read.severity.score,
        "contradiction_score": read.contradiction,
        "state_age_packets": publication.age_packets,
        "state_persistence_seconds": publication.persistence_seconds,
        "claim_boundary": policy.files["texts"]["claim_boundary"],
    }
