"""Composites, thresholds and calibration (section "Composites and thresholds" of the labeling page)."""

from collections import namedtuple

from .numbers import clamp, nearest_rank, r6, sign
from .ranges import range_ratio, regime_of_ratio

COMPOSITES = ("pressure", "flow", "fragility", "crowding", "forced_flow", "regime")

SOURCE_MISSING, NOT_AVAILABLE = "source_missing", "not_available"

# score, signed value and side are 0 where the composite is not available; terms are None there.
Composite = namedtuple("Composite", "score signed side available terms notes")

Threshold = namedtuple("Threshold", "composite level value threshold distance crossing")


class Notes(dict):
    """Terms of a composite with the reason for each that is None."""

    def __init__(self):
        super().__init__()
        self.notes = {}

    def put(self, name, value, reason=NOT_AVAILABLE):
        """Puts a term; `reason` is noted where it is None. Returns the term as the formulas take it: None as 0."""
        self[name] = value
        if value is None:
            self.notes[name] = reason
            return 0.0
        return value


def _made(terms, signed, sides, available):
    signed = signed if available else 0.0
    return Composite(abs(signed), signed, sign(signed) if sides else 0, available, dict(terms), terms.notes)


def pressure(book, books):
    """P = |p|, p = m180. `books`: the three minutes of books."""
    terms = Notes()
    terms.put("imb_5", book and book.imb_5, SOURCE_MISSING)
    terms.put("imb_1", book and book.imb_1, SOURCE_MISSING)
    p = terms.put("m180", books.m180, SOURCE_MISSING)
    terms.put("held_seconds", books.held_seconds, SOURCE_MISSING)
    terms.put("pressure_signed", p)
    return _made(terms, p, True, book is not None)


def flow(trades):
    """F = |f|, f = flow_180s. `trades`: the three minutes of trades."""
    terms = Notes()
    reason = SOURCE_MISSING if trades is None else NOT_AVAILABLE
    terms.put("trade_imbalance", trades and trades.imbalance, reason)
    terms.put("depth_ratio", trades and trades.depth_ratio, reason)
    terms.put("flow_10s", trades and trades.flow_10s, reason)
    f = (trades and trades.flow_180s) or 0.0
    terms.put("flow_signed", f)
    return _made(terms, f, True, trades is not None and trades.flow_180s is not None)


def fragility(book):
    """Q = `queue_fragility_score`."""
    terms = Notes()
    for name in ("thin", "churn", "wide"):
        terms.put(name, book and getattr(book, name), SOURCE_MISSING if book is None else NOT_AVAILABLE)
    return _made(terms, book.fragility if book else 0.0, False, book is not None)


def crowding(context, numbers):
    """C = r6(0.6 r6(min(1, |funding| 8,760 / 0.50)) + 0.4 r6(min(1, |oi_change_1h| / 0.05)))."""
    weights, terms = numbers["composites"], Notes()
    reason = SOURCE_MISSING if context is None else NOT_AVAILABLE
    funding = context and context.funding_rate_abs
    change = context and context.oi_change_1h
    if funding is not None:
        funding = r6(min(1, funding * weights["hours_per_year"] / weights["funding_full_per_year"]))
    interest = None if change is None else r6(min(1, abs(change) / weights["open_interest_full_change"]))
    funding_term = terms.put("funding_term", funding, reason)
    terms.put("oi_change_1h", change, reason)
    interest_term = terms.put("open_interest_term", interest, reason)
    c = r6(weights["crowding_weight_funding"] * funding_term + weights["crowding_weight_open_interest"] * interest_term)
    return _made(terms, c, False, context is not None)


def forced_flow(liquidations, trades, numbers):
    """L = r6(min(1, liquidated / max(50,000, 0.10 traded))); its side is `liquidation_pressure_direction`."""
    weights, terms = numbers["composites"], Notes()
    traded = 0.0 if trades is None else trades.notional_300s
    liquidated = terms.put("liquidation_notional_usd", liquidations and liquidations.notional_usd, SOURCE_MISSING)
    terms.put("traded_notional_usd", None if liquidations is None else traded, SOURCE_MISSING)
    floor = max(weights["forced_flow_floor_usd"], weights["forced_flow_traded_share"] * traded)
    score = r6(min(1, liquidated / floor)) if liquidations else 0.0
    made = _made(terms, score, False, liquidations is not None)
    return made._replace(side=liquidations.direction if liquidations else 0)


def regime(short, session, means, book_present, numbers):
    """R = r6(min(1, ln(range_ratio) / ln 4)), 0 up to a ratio of 1; the two volatilities only make it available."""
    terms = Notes()
    reason = NOT_AVAILABLE if book_present else SOURCE_MISSING
    terms.put("realized_vol_short", short, reason)
    terms.put("realized_vol_session", session, reason)
    available = short is not None and session is not None
    value = range_ratio(means) if available else None
    terms.put("range_ratio", value, reason)
    score = regime_of_ratio(value, numbers["composites"]["regime_full_ratio"])
    return _made(terms, score, False, available)


def norm(x, watch, elevated):
    """The score against its thresholds: 0.5 at watch, 1 from elevated on."""
    if x < watch:
        return r6(0.5 * x / watch)
    if x <= elevated:
        return r6(0.5 + 0.5 * (x - watch) / (elevated - watch))
    return 1.0


class Calibration:
    """The calibrated thresholds: the policy's, until the session holds 180 packets; then the symbol's quantiles."""

    def __init__(self, numbers):
        self._numbers = numbers
        self._policy = numbers["thresholds"]
        self._pairs = {name: (pair["watch"], pair["elevated"]) for name, pair in self._policy.items()}
        self.samples_behind = None

    def in_force(self, activity):
        """(watch, elevated) by composite; those of P, F and Q times clamp(1 / activity^2, 1/3, 3)."""
        most = self._numbers["activity"]["scale_maximum"]
        scale = clamp(1 / (activity * activity), 1 / most, most) if activity else most
        return {name: self._scaled(pair, scale) if self._policy[name]["calibrated"] else pair
                for name, pair in self._pairs.items()}

    def _scaled(self, pair, scale):
        rules = self._numbers["calibration"]
        watch, elevated = (r6(min(threshold * scale, rules["threshold_maximum"])) for threshold in pair)
        return watch, max(elevated, r6(watch + rules["elevated_gap"]))

    def refresh(self, session, t_ms):
        """Before the packet at T: calibrates at the first T with enough samples, and at multiples of 300 s."""
        rules = self._numbers["calibration"]
        first = self.samples_behind is None
        if len(session) < rules["sample_minimum"] or not (first or t_ms % rules["refresh_ms"] == 0):
            return
        self.samples_behind = len(session)
        for name, policy in self._policy.items():
            if policy["calibrated"]:
                scores = [trace.scores[name] for trace in session]
                watch = self._clamped(scores, rules["watch_quantile"], policy["watch"])
                elevated = self._clamped(scores, rules["elevated_quantile"], policy["elevated"])
                self._pairs[name] = (watch, max(elevated, r6(watch + rules["elevated_gap"])))

    def _clamped(self, scores, quantile, policy_value):
        rules = self._numbers["calibration"]
        low, high = rules["clamp_low"] * policy_value, rules["clamp_high"] * policy_value
        return r6(min(clamp(nearest_rank(scores, quantile), low, high), rules["threshold_maximum"]))


def thresholds(composites, pairs, numbers):
    """All twelve, `<composite>_watch` then `<composite>_elevated`; crossing is None where neither crossed nor near."""
    result = []
    for name in COMPOSITES:
        score = composites[name].score
        for level, value in zip(("watch", "elevated"), pairs[name]):
            near = r6(numbers["calibration"]["near_ratio"] * value)
            crossing = "crossed" if score >= value else "near_threshold" if score >= near else None
            result.append(Threshold(name, level, score, value, r6(score - value), crossing))
    return result
