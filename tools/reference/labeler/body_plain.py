"""Members that are numbers and words of the packet itself, and its sources (packet body page, sections 8, 10, 14)."""

from datetime import datetime, timezone

from .numbers import r6
from .sources import MISSING, RESOLVED, families_with

FEATURES = ("spread_bps", "visible_depth_imbalance_top1_abs", "visible_depth_imbalance_top3_abs",
            "visible_depth_imbalance_top5_abs", "recent_trade_count", "trade_imbalance_abs", "large_trade_share",
            "funding_rate_abs", "open_interest_context_present", "liquidation_event_count",
            "liquidation_notional_usd", "liquidation_skew_abs", "liquidation_pressure_direction",
            "queue_fragility_score", "freshness_ms", "lineage_price_move_bps_abs", "lineage_vote_score",
            "source_resolved_family_total")


def utc(ms):
    """RFC 3339 text in UTC with three decimals."""
    whole = datetime.fromtimestamp(ms // 1000, tz=timezone.utc)
    return f"{whole:%Y-%m-%dT%H:%M:%S}.{ms % 1000:03d}Z"


def cursor(market, t_ms):
    """Where the packet's window can be replayed from."""
    return f"rc1.{market}.{t_ms}"


def driver_strengths(read):
    """The features by name; null where their family is missing."""
    book, trades, liquidations = read.book, read.trades, read.liquidations
    values = dict.fromkeys(FEATURES)
    if book:
        values.update(
            spread_bps=book.spread_bps,
            visible_depth_imbalance_top1_abs=abs(book.imb_1),
            visible_depth_imbalance_top3_abs=abs(book.imb_3),
            visible_depth_imbalance_top5_abs=abs(book.imb_5),
            queue_fragility_score=book.fragility, freshness_ms=book.freshness_ms,
            lineage_price_move_bps_abs=abs(read.move_bps or 0.0))
    if trades:
        values.update(recent_trade_count=trades.count, trade_imbalance_abs=abs(trades.imbalance or 0.0),
                      large_trade_share=trades.large_share or 0.0)
    if liquidations:
        values.update(liquidation_event_count=liquidations.count, liquidation_notional_usd=liquidations.notional_usd,
                      liquidation_skew_abs=abs(liquidations.skew or 0.0),
                      liquidation_pressure_direction=liquidations.direction)
    values.update(
        funding_rate_abs=read.context and read.context.funding_rate_abs,
        open_interest_context_present=int(read.sources["asset_context"].status == RESOLVED),
        lineage_vote_score=read.vote_score,
        source_resolved_family_total=len(families_with(read.sources, RESOLVED)))
    return values


def source_members(policy, read, strengths):
    """`source_status` and `source_resolution`."""
    def unavailable(family):
        return [name for name in FEATURES
                if strengths[name] is None and policy.facts[name].get("source_family") == family]

    status = {}
    for family, source in read.sources.items():
        status[family] = {"status": source.status, "reason": source.reason, "age_ms": source.age_ms}
        if unavailable(family):
            status[family]["unavailable_features"] = unavailable(family)
    resolution = {
        "missing_families": families_with(read.sources, MISSING),
        "source_family_total": len(read.sources),
        "gaps": [_gap(span) for span in read.spans],
        "late_event_total": read.late_total,
        "not_available": _not_available(read),
    }
    return {"source_status": status, "source_resolution": resolution}


def _gap(span):
    channel = span["channel"]
    return {"gap_id": span["gap_id"], "channel": "all" if channel in (None, "control") else channel,
            "start_utc": utc(span["start_ms"]), "end_utc": utc(span["end_ms"]) if span["end_ms"] else None,
            "reason": span["reason"]}


def _not_available(read):
    names = []
    if read.book and read.book.churn is None:
        names.append("churn")
    if read.trades and read.trades.imbalance is None:
        names += ["trade_imbalance_abs", "large_trade_share"]
    if read.trade_window and read.trade_window.flow_180s is None:
        names += ["flow_180s", "flow_10s"]
    if read.liquidations and read.liquidations.skew is None:
        names.append("liquidation_skew_abs")
    return names


def plain_members(policy, read, market, feed, ids):
    """Everything of section 8 that needs no tag. `ids`: packet_id, event_id and the digests."""
    numbers, texts, t_ms, symbol = policy.numbers, policy.files["texts"], read.t_ms, market.split("@")[0]
    book, publication, severity = read.book, read.publication, read.severity
    times = {"window_start_utc": utc(t_ms - numbers["windows"]["packet_interval_ms"]), "window_end_utc": utc(t_ms)}
    confidence = {"label": read.confidence_label, "score": read.confidence}
    live = read.threshold_source == "policy_default"
    against_book, against_liquidations, unsupported = read.contradiction_terms
    return {
        **policy.files["versions"], **ids,
        "packet_type": "market_state.v1",
        "symbol": symbol,
        "ts": utc(t_ms),
        "state": publication.state,
        "state_label": policy.label("states", publication.state),
        "state_age_packets": publication.age_packets,
        "state_persistence_seconds": publication.persistence_seconds,
        "session_state": read.session_state and read.session_state._asdict(),
        "event_class": read.event_class,
        "event_profile": read.event_profile,
        "market_read_direction": read.direction,
        "contradiction_score": read.contradiction,
        "packet_producer_lane": policy.files["lanes"]["producer_lane"],
        "model_assisted": False,
        "claim_boundary": texts["claim_boundary"],
        "scope": {"symbol": symbol, "venue": feed.venue, "market_type": "perpetual_contract",
                  "source_kind": feed.connected["source_kind"], "packet_time_policy": "source_window_end",
                  "window_seconds": numbers["windows"]["packet_interval_ms"] / 1000, **times},
        "reference_prices": {"mid_price": r6(book.mid) if book else None, "best_bid": book and book.best_bid,
                             "best_ask": book and book.best_ask},
        "replay": {"cursor": cursor(market, t_ms), "status": "ready"},
        "event_severity": {"score": severity.score, "severity_class": severity.severity_class, "basis": severity.basis,
                           "movement_bps": read.movement_bps,
                           "range_bps": read.range_means and {name: r6(mean) for name, mean in read.range_means.items()},
                           "movement_share": severity.movement_share, "thin_share": severity.thin_share,
                           "strongest_share": severity.strongest_share,
                           "bounds": {**severity.bounds, "source": "policy_default"},
                           "threshold_crossing_total": len(read.crossed), "claim_boundary": texts["claim_boundary"]},
        "confidence": {**confidence, "terms": {
            "source_support_ratio": read.support, "margin_share": read.margin_share,
            "sample_share": read.sample_share, "fresh_share": read.fresh_share,
            "evidence_share": read.evidence_share}},
        "calibration_context": {
            "calibration_scope": "symbol", "live_during_calibration": live, "sample_event_total": read.sample_total,
            "samples_required": numbers["calibration"]["sample_minimum"], "threshold_source": read.threshold_source},
        "packet_quality": {
            "quality_class": read.quality_class, "quality_score": read.quality, "source_support_ratio": read.support,
            "state_margin": read.decision.margin, "contradiction_score": read.contradiction,
            "contradiction_terms": {
                "book_against_flow": against_book,
                "liquidations_against_flow": against_liquidations if read.liquidations else None,
                "unsupported_sources": unsupported},
            "gap_flags": read.flags, "gap_seconds": read.gap_seconds, "live_during_calibration": live,
            "not_a_signal": True},
    }


def taxonomy_bindings(policy, body):
    """What the packet's words are bound to one level up (section 13), from taxonomy.json."""
    def binding(kind, value):
        term = policy.term(kind, value)
        bound = {"bound_to": term["binding"]} if "binding" in term else {}
        return {"term": f"{kind}/{value}", "label": term["label"], **bound}

    families = dict.fromkeys(tag.split(":")[0] for tag in body["tags"])
    return {
        "taxonomy_version": policy.files["versions"]["taxonomy_version"],
        "state": binding("states", body["state"]),
        "event_class": binding("event_classes", body["event_class"]),
        "event_profile": binding("event_profiles", body["event_profile"]),
        "tag_families": {family: policy.term("tag_families", family)["binding"] for family in families},
    }
