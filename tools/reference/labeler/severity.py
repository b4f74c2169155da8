"""Severity and its bounds (section "Event class, severity, contradiction, confidence" of the labeling page)."""

from collections import namedtuple

from .composites import COMPOSITES
from .decision import SOURCE_STATES
from .numbers import clamp, nearest_rank, r6

LEVELS = ("elevated", "high", "critical")

# movement_bps, movement_share: None where the book family is missing.
Severity = namedtuple("Severity", "score severity_class basis movement_bps movement_share strongest_share "
                                  "bounds source")


class Bounds:
    """The bounds in force: the policy's, until there have been 180 samples; then the symbol's quantiles."""

    def __init__(self, numbers):
        self._rules = numbers["severity"]
        self._policy = {level: self._rules[level + "_from"] for level in LEVELS}
        self.values = dict(self._policy)
        self.source = "policy_default"

    def refresh(self, session, t_ms):
        """Before the packet at T: renews the bounds at the first T with enough samples, and at multiples of 300 s."""
        first = self.source == "policy_default"
        if not first and t_ms % self._rules["refresh_ms"] != 0:
            return
        samples = [trace.severity for trace in session if trace.winner not in SOURCE_STATES]
        if len(samples) < (self._rules["sample_minimum"] if first else 1):
            return
        self.source = "symbol_rolling_quantile"
        below = None
        for level in LEVELS:
            value = self._clamped(level, nearest_rank(samples, self._rules[level + "_quantile"]))
            below = value if below is None else max(value, r6(below + self._rules["bound_gap"]))
            self.values[level] = below

    def _clamped(self, level, quantile):
        policy = self._policy[level]
        return r6(clamp(quantile, self._rules["clamp_low"] * policy, self._rules["clamp_high"] * policy))


def severity(winner, composites, holds, movement_bps, bounds, numbers):
    """Seven tenths how far the price ranged in W, three tenths the strongest evidence; 0 for a source state."""
    rules = numbers["severity"]
    half_bps = rules["movement_half_bps"]
    moved = movement_bps or 0.0
    movement_share = r6(moved / (moved + half_bps))
    strongest = max(r6(composites[name].score / (composites[name].score + holds[name].enter_at))
                    for name in COMPOSITES)
    if winner in SOURCE_STATES:
        score, level, basis = 0.0, "routine", []
    else:
        score = r6(rules["movement_weight"] * movement_share + rules["strongest_weight"] * strongest)
        level = next((name for name in reversed(LEVELS) if score >= bounds.values[name]), "routine")
        basis = ["movement"] * (moved >= half_bps) + [name for name in COMPOSITES if holds[name].held]
    return Severity(score, level + "_context", basis, movement_bps,
                    None if movement_bps is None else movement_share, strongest, dict(bounds.values), bounds.source)
