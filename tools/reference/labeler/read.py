"""The read at T: everything that is decided before the body is written, in the page's order of evaluation.

Order: features, composites, thresholds, held, sources and flags, raw decision, vote, published state, session state,
class, severity, contradiction, confidence, quality. Tags, novelty, transition type and diagnosis
follow in body.py.
"""

from dataclasses import dataclass

from . import classify, composites as composed, decision as decided, features, ranges, sources as sourced, state_window
from . import severity as severities
from .numbers import r6
from .session_state import SessionState
from .silence import book_silences


@dataclass
class Read:
    """One read. Feature groups are None where their source family is missing."""

    t_ms: int
    book: features.BookFeatures
    trades: features.TradeFeatures
    trade_window: state_window.TradeWindow
    liquidations: features.LiquidationFeatures
    context: features.ContextFeatures
    move_bps: float
    has_return: bool
    realized_vol_short: float
    realized_vol_session: float
    sources: dict
    support: float
    composites: dict
    norms: dict
    pairs: dict
    holds: dict
    thresholds: list
    threshold_source: str
    sample_total: int
    flags: list
    spans: list
    gap_seconds: float
    decision: decided.Decision
    vote_score: float
    publication: decided.Publication
    session_state: SessionState
    absorption_bound_bps: float
    event_class: str
    event_profile: str
    direction: str
    movement_bps: float
    range_means: dict
    severity: severities.Severity
    contradiction: float
    contradiction_terms: tuple
    confidence: float
    confidence_label: str
    margin_share: float
    sample_share: float
    fresh_share: float
    evidence_share: float
    quality: float
    quality_class: str
    reconnect_total: int
    late_total: int

    @property
    def crossed(self):
        """Thresholds at or above which their composite stands."""
        return [threshold for threshold in self.thresholds if threshold.crossing == "crossed"]

    @property
    def near(self):
        """Thresholds that their composite is near."""
        return [threshold for threshold in self.thresholds if threshold.crossing == "near_threshold"]

    @property
    def nearest(self):
        """The smallest absolute distance among available composites, the earlier on a tie; None with none available."""
        among = [threshold for threshold in self.thresholds if self.composites[threshold.composite].available]
        return min(among, key=lambda threshold: abs(threshold.distance), default=None)


def read_at(t_ms, late_total, state):
    """The read at T, after the window's statuses and events were applied to `state` (a labeler.Labeler)."""
    numbers, feed, market = state.numbers, state.feed, state.market
    history, calibration, cuts = state.history, state.calibration, state.feed.cuts
    windows = numbers["windows"]

    recent = features.recent_liquidations(market, cuts, windows, t_ms)
    sources = sourced.resolve(feed, market, recent, t_ms)
    present = {family: source.status != sourced.MISSING for family, source in sources.items()}
    session = history.session()
    book = trades = recent_trades = liquidations = context = None
    recent_books = state_window.BookWindow()
    if present["book"]:
        book = features.book_features(market, cuts, session, feed.limits_ms["book"], numbers, t_ms)
        recent_books = state_window.book_window(market, cuts, feed.limits_ms["book"], numbers, t_ms)
    if present["trades"]:
        trades = features.trade_features(market, cuts, numbers, t_ms)
        recent_trades = state_window.trade_window(market, cuts, recent_books.depth_mean, numbers, t_ms)
    if present["liquidations"]:
        liquidations = features.liquidation_features(recent)
    if present["asset_context"]:
        context = features.context_features(market, cuts, numbers, t_ms)

    interval = windows["packet_interval_ms"]
    move = features.price_move_bps(
        cuts, history.by_end.get(t_ms - windows["price_move_packets"] * interval), book)
    step = features.log_return(cuts, history.by_end.get(t_ms - interval), book)
    if step is not None:
        state.returns.append(step)
        state.ranges.add(ranges.range_bps(market, cuts, feed.limits_ms["book"], numbers, t_ms))
    if book and book.fresh:
        state.near_depth.add(market.book)
    means = state.ranges.means
    minimum = numbers["minimums"]["returns"]
    short = features.realized_vol(state.returns, windows["short_return_total"], minimum) if book else None
    session_vol = features.realized_vol(state.returns, windows["session_return_total"], minimum) if book else None

    made = {
        "pressure": composed.pressure(book, recent_books),
        "flow": composed.flow(recent_trades),
        "fragility": composed.fragility(book),
        "crowding": composed.crowding(context, numbers),
        "forced_flow": composed.forced_flow(liquidations, trades, numbers),
        "regime": composed.regime(short, session_vol, means, book is not None, numbers),
    }
    calibration.refresh(session, t_ms)
    activity = ranges.activity(means)
    pairs = calibration.in_force(activity)
    norms = {name: composed.norm(made[name].score, *pairs[name]) for name in made}
    holds = state.holds.update(made, pairs)
    calibrated = calibration.samples_behind is not None
    sample_total = calibration.samples_behind if calibrated else len(session)

    support = sourced.support_ratio(sources)
    spans = feed.overlapping(t_ms)
    silences = book_silences(market, feed, windows["quality_ms"], t_ms)
    gap_seconds = r6(feed.gap_ms(t_ms, silences) / 1000)
    base = history.newest_at(t_ms - windows["quality_ms"])
    flags = sourced.gap_flags(spans, silences, sources,
                              feed.reconnect_total - (base.reconnect_total if base else 0),
                              late_total - (base.late_total if base else 0))

    decision = decided.decide(made, norms, holds, history.traces, support, book, activity, numbers)
    voters = [trace.winner for trace in history.traces[-(windows["vote_packets"] - 1):]] + [decision.winner]
    vote = r6(voters.count(decision.winner) / len(voters))
    state.publication.publish(decision, t_ms)
    session_state = state.session_state.add(state.publication.state)

    profile_before = history.last and history.last.event_profile
    bound = classify.absorption_bound_bps(book.spread_bps, profile_before, numbers) if book else None
    event, profile, direction = classify.event_class(decision.winner, made, holds, abs(move or 0.0), bound)
    severity = severities.severity(decision.winner, made, holds, means, state.near_depth, numbers)
    contradiction, *contradiction_terms = classify.contradiction(made, norms, support, numbers)
    fresh = classify.fresh_share(book, feed.limits_ms["book"], numbers)
    evidence = state_window.evidence(recent_books, recent_trades, numbers)
    confidence, margin_share, sample_share = classify.confidence(
        support, decision.margin, sample_total, fresh, evidence, numbers)
    quality = sourced.quality_score(support, gap_seconds, numbers)

    return Read(
        t_ms=t_ms, book=book, trades=trades, trade_window=recent_trades, liquidations=liquidations, context=context,
        move_bps=move, has_return=step is not None, realized_vol_short=short, realized_vol_session=session_vol,
        sources=sources, support=support, composites=made, norms=norms, pairs=pairs, holds=holds,
        thresholds=composed.thresholds(made, pairs, numbers),
        threshold_source="symbol_rolling_quantile" if calibrated else "policy_default", sample_total=sample_total,
        flags=flags, spans=spans, gap_seconds=gap_seconds, decision=decision, vote_score=vote,
        publication=state.publication, session_state=session_state, absorption_bound_bps=bound,
        event_class=event, event_profile=profile, direction=direction,
        movement_bps=recent_books.movement_bps, range_means=means,
        severity=severity, contradiction=contradiction, contradiction_terms=tuple(contradiction_terms),
        confidence=confidence, confidence_label=classify.confidence_label(confidence, numbers),
        margin_share=margin_share, sample_share=sample_share, fresh_share=fresh,
        evidence_share=evidence,
        quality=quality, quality_class=sourced.quality_class(quality, numbers),
        reconnect_total=feed.reconnect_total, late_total=late_total)
