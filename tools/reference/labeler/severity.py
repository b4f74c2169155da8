"""Severity (section "Event class, severity, contradiction, confidence" of the labeling page)."""

from collections import namedtuple

from .composites import COMPOSITES
from .decision import SOURCE_STATES
from .numbers import r6
from .ranges import movement_share

LEVELS = ("elevated", "high", "critical")

# Shares are None where nothing is known.
Severity = namedtuple("Severity", "score severity_class basis movement_share thin_share strongest_share bounds")


def severity(winner, composites, holds, means, near_depth, numbers):
    """0.8 movement_share + 0.2 thin_share; 0 for a source state. `means`: of price ranges, None before the first."""
    rules = numbers["severity"]
    movement, thin = movement_share(means, numbers), near_depth.thin_share
    strongest = max(r6(composites[name].score / (composites[name].score + holds[name].enter_at))
                    for name in COMPOSITES)
    bounds = {level: rules[level + "_from"] for level in LEVELS}
    if winner in SOURCE_STATES:
        score, level, basis = 0.0, "routine", []
    else:
        score = r6(rules["movement_weight"] * (movement or 0.0) + rules["thin_weight"] * (thin or 0.0))
        level = next((name for name in reversed(LEVELS) if score >= bounds[name]), "routine")
        basis = (["movement"] * ((movement or 0.0) >= rules["movement_basis_from"])
                 + ["thin_depth"] * ((thin or 0.0) >= rules["thin_basis_from"]))
    return Severity(score, level + "_context", basis, movement, thin, strongest, bounds)
