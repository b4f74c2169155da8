"""Event class, contradiction, confidence, novelty, transition, diagnosis.

Section "Event class, severity, contradiction, confidence" of the labeling page.
"""

from .decision import SOURCE_STATES
from .numbers import clamp, r6, total


def absorption_bound_bps(spread_bps, profile_before, numbers):
    """max(2, r6(2 * spread)): the largest mid move over six windows that is absorbed; twice that while it lasts."""
    rules = numbers["event_class"]
    bound = max(rules["absorption_move_bps"], r6(rules["absorption_move_spreads"] * spread_bps))
    if profile_before == "contra_flow_absorption":
        return r6(rules["absorption_hold_factor"] * bound)
    return bound


def event_class(winner, composites, holds, move_bps_abs, bound_bps):
    """(event class, profile, direction): the first row of the table that holds."""
    if winner in SOURCE_STATES:
        return "retained_context_only", "retained_context", "no_current_read"
    p, f = composites["pressure"], composites["flow"]
    p_held, f_held = holds["pressure"].held, holds["flow"].held
    book = "bid" if p.side > 0 else "ask"
    trades = "buy" if f.side > 0 else "sell"
    if p_held and f_held and p.side == f.side:
        return (f"{book}_pressure_confirmed_by_{trades}_flow", "flow_confirmed_pressure",
                "book_pressure_and_trade_flow_confirmed")
    if p_held and f_held and p.side * f.side < 0 and move_bps_abs <= bound_bps:
        return (f"{book}_depth_absorption_against_{trades}_flow", "contra_flow_absorption",
                f"{trades}_flow_absorbed_by_{book}_liquidity")
    if f_held:
        return "trade_flow_leading_visible_book", "trade_flow_lead", f"aggressive_{trades}_flow"
    if p_held:
        return ("visible_depth_pressure_without_trade_confirmation", "depth_only_pressure", f"{book}_heavy_depth")
    if holds["crowding"].held:
        return "funding_oi_crowding_context", "crowding_context", "open_interest_context_attached"
    return "balanced_two_sided_context", "routine_context", "no_dominant_side"


def contradiction(composites, norms, support, numbers):
    """(score, a, b, c)."""
    rules = numbers["contradiction"]
    f_side = composites["flow"].side
    a = b = 0.0
    if composites["pressure"].side * f_side < 0:
        a = r6(rules["flow_weight"] * min(norms["pressure"], norms["flow"]))
    if composites["forced_flow"].side * f_side < 0:
        b = rules["liquidation_weight"]
    c = r6(rules["support_weight"] * (1 - support))
    return r6(min(1, a + b + c)), a, b, c


def fresh_share(book, limit_ms, numbers):
    """1 up to 1,000 ms, falling to 0 at the staleness limit; 0 without a book."""
    full_ms = numbers["confidence"]["fresh_full_ms"]
    if book is None:
        return 0.0
    if book.freshness_ms <= full_ms:
        return 1.0
    return r6(clamp((limit_ms - book.freshness_ms) / (limit_ms - full_ms), 0, 1))


def confidence(support, margin, sample_total, fresh, evidence, numbers):
    """(score, margin share, sample share)."""
    rules = numbers["confidence"]
    margin_share = r6(min(1, margin / rules["margin_full"]))
    sample_share = r6(min(1, sample_total / rules["sample_full"]))
    score = r6(support * (rules["base"] + rules["margin_weight"] * margin_share
                          + rules["sample_weight"] * sample_share + rules["fresh_weight"] * fresh
                          + rules["evidence_weight"] * evidence))
    return score, margin_share, sample_share


def confidence_label(score, numbers):
    """`low`, `medium` or `high`."""
    rules = numbers["confidence"]
    if score >= rules["high_from"]:
        return "high"
    return "medium" if score >= rules["medium_from"] else "low"


def novelty(tags, past):
    """r6(1 - mean Jaccard similarity of the counted tags with those of packets before, oldest first)."""
    if not past:
        return 1.0
    return r6(1 - total(_similarity(tags, before) for before in past) / len(past))


def _similarity(a, b):
    union = len(a | b)
    return len(a & b) / union if union else 1.0


def transition_type(last, packets_before, first_after_cut, published, event, profile, tags, numbers):
    """The first that holds. `last`: the trace of the packet before."""
    if packets_before < numbers["minimums"]["lineage_packets"] or first_after_cut:
        return "lineage_context_pending"
    if published != last.published:
        return "state_changed"
    if (event, profile, tags) != (last.event_class, last.event_profile, last.tag_set):
        return "same_state_new_context"
    return "state_reaffirmed"


def diagnosis_class(contradiction_score, margin, winner, composites, pairs, numbers):
    """The first that holds."""
    rules = numbers["diagnosis"]
    if contradiction_score >= rules["contested_contradiction"]:
        return "contested_context_review"
    rests_on = numbers["state_composites"][winner]
    crossed = any(composites[name].score >= pairs[name][0] for name in rests_on)
    if margin >= rules["active_margin"] and crossed:
        return "active_context_read"
    return "competing_state_read"
