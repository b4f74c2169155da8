"""The state of the session (section "Decision" of the labeling page)."""

from collections import Counter, deque, namedtuple

from .decision import STATES
from .numbers import r6

SessionState = namedtuple("SessionState", "state share packet_total age_packets runner_up runner_up_share")


def most_frequent(counts, among=STATES):
    """The state with the most packets; ties go to the higher row."""
    return max(among, key=lambda state: counts[state])


class Session:
    """Reads the states published in the newest 90 packets."""

    def __init__(self, numbers):
        self._rules = numbers["session_state"]
        self._published = deque(maxlen=self._rules["packets"])
        self._state = None
        self._age_packets = 0

    def add(self, published):
        """Takes the published state of this packet; None while fewer than 30 packets were made."""
        self._published.append(published)
        packet_total = len(self._published)
        if packet_total < self._rules["minimum_packets"]:
            return None
        counts = Counter(self._published)
        leader = most_frequent(counts)
        if self._state is None or counts[leader] - counts[self._state] >= self._rules["lead_packets"]:
            self._state, self._age_packets = leader, 0
        self._age_packets += 1
        runner_up = most_frequent(counts, [state for state in STATES if state != self._state])
        others = counts[runner_up]
        return SessionState(self._state, r6(counts[self._state] / packet_total), packet_total, self._age_packets,
                            runner_up if others else None, r6(others / packet_total) if others else None)
