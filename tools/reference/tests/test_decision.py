"""What is held, which state is open, published and the session's; severity and its bounds."""

import unittest
from types import SimpleNamespace

from labeler.composites import COMPOSITES, Composite
from labeler.decision import STATES, Candidate, Decision, Publication, decide
from labeler.held import Hold, Holds
from labeler.session_state import Session
from labeler.severity import severity
from tests.test_formulas import NUMBERS

PAIRS = {name: (pair["watch"], pair["elevated"]) for name, pair in NUMBERS["thresholds"].items()}


def composites(available=True, **signed):
    def made(value, sided):
        side = (value > 0) - (value < 0)
        return Composite(abs(value), value, side if sided else 0, available, {}, {})

    return {name: made(signed.get(name, 0.0), name in ("pressure", "flow", "forced_flow")) for name in COMPOSITES}


def holds(*names, packets=2):
    return {name: Hold(name in names, PAIRS[name][0], 0.0, packets * (name in names), 0) for name in COMPOSITES}


class Held(unittest.TestCase):
    def test_it_begins_at_watch_and_ends_under_leave_or_on_the_other_side(self):
        made, packets = Holds(NUMBERS), []
        for p in (0.15, 0.16, 0.064, 0.063999, 0.1, 0.2, -0.1, -0.16, -0.09):
            packets.append(made.update(composites(pressure=p), PAIRS)["pressure"].packets)
        self.assertEqual(packets, [0, 1, 2, 0, 0, 1, 0, 1, 2])

    def test_another_side_at_watch_is_held_again(self):
        made = Holds(NUMBERS)
        for p, packets in ((0.2, 1), (0.2, 2), (-0.2, 1)):
            hold = made.update(composites(pressure=p), PAIRS)["pressure"]
            self.assertEqual((hold.held, hold.packets), (True, packets))
        self.assertEqual((hold.enter_at, hold.leave_at), (0.16, 0.064))

    def test_what_cannot_be_read_is_not_held(self):
        made = Holds(NUMBERS)
        made.update(composites(flow=0.5), PAIRS)
        self.assertFalse(made.update(composites(available=False), PAIRS)["flow"].held)
        self.assertFalse(made.update(composites(flow=0.2), PAIRS)["flow"].held)


class Open(unittest.TestCase):
    def decide(self, made, held, norms, crowding_before=(), activity=1.0, imb_5=0.0, packets=2):
        traces = [SimpleNamespace(scores={"crowding": score}) for score in crowding_before]
        norms = {**dict.fromkeys(COMPOSITES, 0.0), **norms}
        decision = decide(made, norms, holds(*held, packets=packets), traces, 0.8,
                          SimpleNamespace(imb_5=imb_5, fresh=True), activity, NUMBERS)
        return decision, {candidate.state: candidate for candidate in decision.candidates}

    def test_what_is_open_stands_above_the_floor_and_what_is_not_under_it(self):
        decision, by = self.decide(composites(), ["fragility"], {"fragility": 0.2, "regime": 1.0})
        self.assertEqual((decision.winner, decision.runner_up, decision.margin),
                         ("fragile_depth_watch", "market_state_watch", 0.01))
        self.assertEqual((by["fragile_depth_watch"].score, by["regime_transition_candidate"].score), (0.36, 0.34))
        self.assertEqual(by["regime_transition_candidate"].terms["open"], 0)
        decision, _ = self.decide(composites(), [], dict.fromkeys(COMPOSITES, 1.0))
        self.assertEqual(decision.winner, "market_state_watch")

    def test_nothing_opens_in_the_first_packet_in_which_its_composite_is_held(self):
        made, norms = composites(pressure=0.2, flow=0.3, crowding=0.5), dict.fromkeys(COMPOSITES, 1.0)
        for packets, is_open in ((1, False), (2, True)):
            decision, by = self.decide(made, COMPOSITES, norms, [0.45] * 60, 1.0, 0.9, packets)
            self.assertEqual([by[state].is_open for state in STATES[2:6] + ("regime_transition_candidate",)], [is_open] * 5)
            self.assertEqual(decision.winner == "market_state_watch", not is_open)

    def test_pressure_builds_with_flow_on_its_side_or_in_an_active_market(self):
        for f, activity, is_open in ((0.3, 1.0, True), (-0.3, 1.1, False), (-0.3, 1.100001, True)):
            _, by = self.decide(composites(pressure=0.2, flow=f), ["pressure", "flow"], {"pressure": 0.9, "flow": 0.6},
                                activity=activity)
            self.assertEqual(by["pressure_building"].is_open, is_open)
            # 0.45 * 0.9 + 0.3 * 0.6; without trades on its side 0.405, at most 0.34 while not open
            self.assertEqual(by["pressure_building"].score, 0.585 if f > 0 else 0.405 if is_open else 0.34)
            self.assertEqual(by["pressure_building"].terms["activity"], activity)
            self.assertEqual(by["flow_shift_watch"].score, 0.36)  # 0.75 * 0.6 * 0.55 is under it

    def test_depth_is_watched_where_the_newest_book_leans_too_and_the_market_is_not_active(self):
        for imb_5, activity, is_open in ((-0.3, 1.1, True), (-0.299999, 1.0, False), (0.9, 1.0, False), (-0.9, 1.2, False)):
            _, by = self.decide(composites(pressure=-0.2), ["pressure"], {"pressure": 0.8}, activity=activity, imb_5=imb_5)
            self.assertEqual((by["depth_watch"].is_open, by["depth_watch"].score), (is_open, 0.6 if is_open else 0.34))
            self.assertEqual(by["depth_watch"].terms["newest_lean"], -imb_5)

    def test_without_a_book_the_newest_lean_is_0(self):
        norms = dict.fromkeys(COMPOSITES, 0.0)
        decision = decide(composites(available=False), norms, holds(), [], 0.8, None, 1.0, NUMBERS)
        depth = decision.candidates[STATES.index("depth_watch")]
        self.assertEqual((decision.winner, depth.terms["newest_lean"]), ("insufficient_evidence", 0))

    def test_crowding_opens_by_its_change_or_by_its_share(self):
        made = composites(crowding=0.5)
        _, by = self.decide(made, ["crowding"], {"crowding": 0.7}, [0.45] * 30 + [0.35] * 30)
        self.assertEqual((by["crowding_shift"].terms["crowding_change"], by["crowding_shift"].is_open), (1, True))
        self.assertEqual((by["crowding_persistent"].score, by["crowding_persistent"].is_open), (0.36, True))
        _, by = self.decide(made, ["crowding"], {"crowding": 0.7}, [0.46] * 59)
        self.assertEqual((by["crowding_shift"].score, by["crowding_persistent"].is_open), (0.28, False))


class Published(unittest.TestCase):
    def rules(self, *packets):
        """The rule and state of each packet; a packet is its winner, and what else is open."""
        publication, seen = Publication({**NUMBERS, "dwell": {"packets": 3}}), []
        for index, (winner, *others) in enumerate(packets):
            candidates = [Candidate(state, 0, {}, {}, None if state in STATES[:2] + STATES[-1:] else
                                    state in (winner, *others)) for state in STATES]
            publication.publish(Decision(candidates, winner, 1, None, 0, 0), index * 10000)
            seen.append((publication.rule, publication.state, publication.lost_streak))
        return publication, seen

    def test_a_state_that_is_not_open_any_more_gives_way_at_once(self):
        _, seen = self.rules(["depth_watch"], ["flow_shift_watch"])
        self.assertEqual(seen[1], ("changed_on_release", "flow_shift_watch", 0))

    def test_a_state_that_is_open_gives_way_to_one_and_the_same_winner_of_three_packets(self):
        a, b, c = "depth_watch", "flow_shift_watch", "fragile_depth_watch"
        _, seen = self.rules([a], [b, a], [b, a], [c, a], [b, a], [b, a], [b, a])
        self.assertEqual([state for _, state, _ in seen], [a, a, a, a, a, a, b])
        self.assertEqual([lost for _, _, lost in seen], [0, 1, 2, 3, 4, 5, 0])

    def test_the_floor_gives_way_after_three_lost_packets_to_any_states(self):
        floor = "market_state_watch"
        publication, seen = self.rules([floor], ["depth_watch"], ["flow_shift_watch"], ["fragile_depth_watch"],
                                       ["fragile_depth_watch"])
        self.assertEqual([rule for rule, _, _ in seen], ["first_packet", "held_by_dwell", "held_by_dwell",
                                                         "changed_to_winner", "winner_is_published"])
        self.assertEqual((publication.state, publication.age_packets, publication.persistence_seconds),
                         ("fragile_depth_watch", 2, 10))

    def test_a_source_state_changes_it_at_once(self):
        _, seen = self.rules(["depth_watch"], ["replay_context_ready", "depth_watch"], ["depth_watch"])
        self.assertEqual([rule for rule, _, _ in seen], ["first_packet", "changed_to_winner", "changed_to_winner"])


class SessionStates(unittest.TestCase):
    def test_it_is_set_at_the_30th_packet_and_replaced_by_a_lead_of_9(self):
        session = Session(NUMBERS)
        seen = [session.add(state) for state in ["depth_watch"] * 20 + ["market_state_watch"] * 40]
        self.assertEqual([read is None for read in seen[28:30]], [True, False])
        self.assertEqual(seen[29], ("depth_watch", 0.666667, 30, 1, "market_state_watch", 0.333333))
        self.assertEqual([read.state for read in seen[47:49]], ["depth_watch", "market_state_watch"])  # 28, 29 to 20
        self.assertEqual([read.age_packets for read in seen[47:50]], [19, 1, 2])

    def test_no_other_state_leaves_the_runner_up_null(self):
        session = Session(NUMBERS)
        read = [session.add("depth_watch") for _ in range(100)][-1]
        self.assertEqual(read, ("depth_watch", 1, 90, 71, None, None))

    def test_ties_go_to_the_higher_row(self):
        session = Session(NUMBERS)
        read = [session.add(state) for state in ["market_state_watch", "depth_watch"] * 15][-1]
        self.assertEqual((read.state, read.runner_up), ("depth_watch", "market_state_watch"))


class Severity(unittest.TestCase):
    def near(self, depth, level):
        return SimpleNamespace(thin_share=level / (level + depth) if level else None)

    def test_movement_counts_eight_tenths_and_thin_depth_two(self):
        means = dict.fromkeys(("newest", "fast", "middle", "slow"), 2.0) | {"level": 1.0}
        made = severity("depth_watch", composites(pressure=0.48), holds("pressure"), means, self.near(1, 3), NUMBERS)
        # 0.8 * 2 / 4 + 0.2 * 3 / 4
        self.assertEqual((made.score, made.severity_class, made.basis),
                         (0.55, "critical_context", ["movement", "thin_depth"]))
        self.assertEqual((made.movement_share, made.thin_share, made.strongest_share), (0.5, 0.75, 0.75))

    def test_a_source_state_has_none(self):
        made = severity("insufficient_evidence", composites(flow=0.25), holds("flow"), None, self.near(0, 0), NUMBERS)
        self.assertEqual((made.score, made.severity_class, made.basis), (0, "routine_context", []))
        self.assertEqual((made.movement_share, made.thin_share, made.strongest_share), (None, None, 0.5))


if __name__ == "__main__":
    unittest.main()
