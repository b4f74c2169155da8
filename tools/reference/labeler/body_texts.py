"""Reasons, sentences, routes and guidance (packet body page, sections 9 and 12)."""

from urllib.parse import quote

from .body_plain import cursor


class Routes:
    """Resolves routes by name for one packet."""

    def __init__(self, policy, market, event_id, t_ms):
        self._rules = policy.files["routes"]
        interval = policy.numbers["windows"]["packet_interval_ms"]
        places = {"symbol": market, "event_id": event_id, "cursor": cursor(market, t_ms),
                  "window_start_ms": str(t_ms - interval + 1), "window_end_ms": str(t_ms + 1)}
        self._places = {name: quote(text, safe="-_.!~*'()") for name, text in places.items()}

    def __getitem__(self, name):
        return self._rules["routes"][name].format_map(self._places)

    def refs(self):
        """`route_refs`."""
        return {name: self[name] for name in self._rules["route_refs"]}

    def recommended(self, recommendation):
        """The route that a route recommendation leads to."""
        return self[self._rules["recommended"][recommendation]]


def reason_details(policy, facts, routes, winner):
    """Every reason whose condition holds and whose claim exists, in file order; one more where none weighs against."""
    horizons = {lane["lane_id"]: lane["horizon"] for lane in policy.files["lanes"]["lanes"]}
    details = []

    def take(reason):
        claim = policy.sentence(reason["claim"], facts) if policy.holds(reason["when"], facts) else None
        if claim is not None:
            details.append({
                "reason_id": reason["reason_id"], "stance": _stance(policy, reason, winner),
                "reason_family": reason["family"], "compute_lane": reason["lane"],
                "horizon": horizons[reason["lane"]], "claim": claim,
                "supporting_features": reason["features"],
                "evidence_routes": [routes[name] for name in reason["evidence"]]})

    for reason in policy.files["reasons"]["reasons"]:
        take(reason)
    if not any(reason["stance"] == "weighs_against" for reason in details):
        take(policy.files["reasons"]["nothing_against"])
    return details


def _stance(policy, reason, winner):
    """`supports` becomes `context` for a composite that stands under some state, but not under the raw winner."""
    rests_on, family = policy.numbers["state_composites"], reason["family"]
    elsewhere = family not in rests_on[winner] and any(family in names for names in rests_on.values())
    return "context" if reason["stance"] == "supports" and elsewhere else reason["stance"]


def client_texts(policy, facts, details):
    """`client_reason_summary` and `client_readout`."""
    texts = policy.files["texts"]
    against = [reason["reason_id"] for reason in details if reason["stance"] == "weighs_against"]
    summary = {
        "what_changed": " ".join(policy.sentences(texts["what_changed"], facts)),
        "why_now": policy.first_sentence(texts["why_now"], facts),
        "counterevidence": against or [policy.files["reasons"]["nothing_against"]["reason_id"]],
        "invalidation_conditions": list(policy.sentences(texts["invalidation"], facts)),
        "next_check": policy.first_sentence(texts["next_check"], facts),
        "claim_boundary": texts["claim_boundary"],
    }
    readout = {
        "headline": policy.first_sentence(texts["headline"], facts),
        "read": policy.first_sentence(texts["readout"], facts),
        "support": policy.first_sentence(texts["support"], facts),
        "next_step": policy.first_sentence(texts["next_step"], facts),
    }
    return {"client_reason_summary": summary, "client_readout": readout}


def quality_words(policy, facts):
    """The four guidance words that become facts; none of them reads another."""
    names = ("source_quality_class", "evidence_quality_class", "route_recommendation", "automation_status")
    return {name: policy.values(policy.files["guidance"][name], facts)[0] for name in names}


def guidance_members(policy, facts, routes):
    """`workflow_routes`, `route_guidance`, `automation_readiness` and `route_refs`."""
    guidance, texts = policy.files["guidance"], policy.files["texts"]
    allowed = policy.values(guidance["allowed_uses"], facts)
    recommendation, status = facts["route_recommendation"], facts["automation_status"]
    return {
        "workflow_routes": policy.values(guidance["workflow_routes"], facts),
        "route_refs": routes.refs(),
        "route_guidance": {
            "recommended_route": routes.recommended(recommendation),
            "route_recommendation": recommendation,
            "automation_status": status,
            "allowed_uses": allowed,
            "missing_routing_inputs": policy.values(guidance["missing_routing_inputs"], facts),
            "route_reason": policy.first_sentence(texts["route_reason"], facts)},
        "automation_readiness": {
            "allowed_uses": allowed,
            "blocked_uses": policy.values(guidance["blocked_uses"], facts),
            "claim_boundary": texts["claim_boundary"],
            "readiness_version": policy.files["versions"]["readiness_version"],
            "status": status},
    }
