"""The body of a packet, in the order in which things are decided (packet body page, section 6)."""

from . import classify
from .body_change import changed, changed_tags, hierarchy, lineage_summary, sophistication
from .body_decision import decision_trace, diagnosis
from .body_lanes import enrichment_boundary, lane_entries
from .body_plain import driver_strengths, plain_members, source_members, taxonomy_bindings
from .body_texts import Routes, client_texts, guidance_members, quality_words, reason_details
from .facts import Facts


def write(state, window, read, input_digest, name):
    """The body of the packet at T. `state`: the labeler; its memory of this packet is made on the way.

    `name`: the 26 characters of the packet's identity.
    """
    policy, history, numbers = state.policy, state.history, state.numbers
    last, packets_before = history.last, len(history.traces)
    ids = {"packet_id": "pkt_" + name, "event_id": "evt_" + name, "policy_digest": policy.digest,
           "input_digest": input_digest, "previous_lineage_digest": state.lineage}

    # 1. What the market facts read.
    strengths = driver_strengths(read)
    body = {
        **plain_members(policy, read, state.market_key, state.feed, ids),
        **source_members(policy, read, strengths),
        "driver_strengths": strengths,
        "state_decision_trace": decision_trace(policy, read),
        "state_diagnosis": diagnosis(policy, read),
        "changed": changed(policy, read, history),
        "packet_lineage_summary": lineage_summary(read, window, history),
        "packet_sophistication": sophistication(read),
        "state_hierarchy": hierarchy(policy, read),
    }
    facts = Facts(policy, body, read, window, last is not None)

    # 2. Tags; then novelty, transition type, diagnosis class.
    body["tags"] = policy.tags(policy.files["tags"]["groups"], facts)
    counted = policy.counted(body["tags"])
    past = [trace.tag_set for trace in history.traces[-numbers["windows"]["novelty_packets"]:]]
    novelty = classify.novelty(frozenset(counted), past)
    transition = classify.transition_type(
        last, packets_before, state.feed.cuts.take_first_after(read.t_ms), read.publication.state,
        read.event_class, read.event_profile, frozenset(counted), numbers)
    diagnosed = classify.diagnosis_class(read.contradiction, read.decision.margin, read.decision.winner,
                                         read.composites, read.pairs, numbers)
    body.update(novelty_score=novelty, transition_type=transition)
    body["state_diagnosis"].update(novelty_score=novelty, transition_type=transition, diagnosis_class=diagnosed)
    body["packet_sophistication"]["novelty"] = {"score": novelty}
    body["changed"].update(changed_tags(counted, last and last.counted_tags))

    # 3. The other packet facts: lanes read this packet too.
    state.remember(read, ids["packet_id"], counted)
    reads = state.lanes.read(history.traces, state.feed.cuts)
    body["compute_lanes"] = lane_entries(policy, read, reads)
    facts.lanes(body["compute_lanes"])

    # 4. Guidance words, which then are facts.
    words = quality_words(policy, facts)
    body["source_quality_class"] = words.pop("source_quality_class")
    body["state_diagnosis"].update(words)

    # 5. and 6. Uses, reasons, other sentences.
    routes = Routes(policy, state.market_key, ids["event_id"], read.t_ms)
    body["reason_details"] = reason_details(policy, facts, routes, read.decision.winner)
    body["reasons"] = [reason["reason_id"] for reason in body["reason_details"]]
    body.update(client_texts(policy, facts, body["reason_details"]))
    body.update(guidance_members(policy, facts, routes))
    body["state_diagnosis"]["buyer_use"] = policy.first_sentence(policy.files["texts"]["buyer_use"], facts)
    body["lane_enrichment_boundary"] = enrichment_boundary(policy, body["compute_lanes"])
    body["taxonomy_bindings"] = taxonomy_bindings(policy, body)
    return body
