"""Composites that are held: started at watch, kept down to leave (section "Composites and thresholds")."""

from collections import namedtuple

from .composites import COMPOSITES
from .numbers import r6

# enter_at: the watch in force. packets: in a row on this side, this one in; 0 where it is not held.
Hold = namedtuple("Hold", "held enter_at leave_at packets side")


class Holds:
    """The holds of the packet made last, by composite, whatever lies between."""

    def __init__(self, numbers):
        self._leave_ratio = numbers["calibration"]["leave_ratio"]
        self._last = {}

    def update(self, composites, pairs):
        """The holds of this packet."""
        self._last = {name: self._hold(self._last.get(name), composites[name], pairs[name][0]) for name in COMPOSITES}
        return self._last

    def _hold(self, last, made, watch):
        leave = r6(self._leave_ratio * watch)
        goes_on = last is not None and last.held and last.side == made.side
        held = made.available and (made.score >= watch or (goes_on and made.score >= leave))
        packets = 0 if not held else last.packets + 1 if goes_on else 1
        return Hold(held, watch, leave, packets, made.side)
