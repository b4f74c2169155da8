"""Features, composites, decision and classification on worked numbers."""

import json
import unittest
from types import SimpleNamespace
from pathlib import Path

from labeler import classify, composites as composed, ranges
from labeler.cuts import Cuts, Feed
from labeler.ranges import NearDepth, Ranges
from labeler.features import BookFeatures, ContextFeatures, LiquidationFeatures, TradeFeatures, realized_vol
from labeler.market import Market, imbalance
from labeler.features import book_features
from labeler.sources import quality_score
from labeler.state_window import BookWindow, TradeWindow

POLICY = Path(__file__).resolve().parents[3] / "libs/domain/labeler/policy"
NUMBERS = json.loads((POLICY / "numbers.json").read_text(encoding="utf-8"))
# Worked examples rely on these, so that tuning the policy does not change them.
FROZEN = {
    "pressure": (0.16, 0.3),
    "flow": (0.25, 0.5),
    "fragility": (0.35, 0.6),
    "crowding": (0.4, 0.7),
    "forced_flow": (0.2, 0.5),
    "regime": (0.2, 0.35),
}
for name, (watch, elevated) in FROZEN.items():
    NUMBERS["thresholds"][name].update(watch=watch, elevated=elevated)


def book_row(ts_ms, bid, bid_size, ask, ask_size):
    return {"kind": "book", "exchange_ts_ms": ts_ms, "bids": [[bid, bid_size]], "asks": [[ask, ask_size]]}


def trade_row(ts_ms, price, size):
    return {"kind": "trade", "exchange_ts_ms": ts_ms, "price": price, "size": size, "aggressor_side": "sell"}


def book(**values):
    empty = dict.fromkeys(BookFeatures.__dataclass_fields__, 0.0)
    return BookFeatures(**{**empty, **values})


class Features(unittest.TestCase):
    def test_imbalance(self):
        self.assertEqual(imbalance([(1, 3), (0, 1)], [(2, 1)], 1), 0.5)
        self.assertEqual(imbalance([(1, 3), (0, 1)], [(2, 1)], 5), 0.6)
        self.assertIsNone(imbalance([(1, 0)], [(2, 0)], 5))

    def test_a_rate_of_an_unknown_interval_ends_the_rate_per_hour(self):
        market = Market(NUMBERS)
        for facts, rate in (({"funding_rate": "0.0001"}, 0.0001), ({"venue_funding_rate": "0.0008"}, None)):
            market.apply({"kind": "context", "exchange_ts_ms": 50000, **facts})
            self.assertEqual(market.funding_rate, rate)

    def test_churn_counts_steps_of_unchanged_prices_whose_size_fell_without_trades(self):
        market, cuts = Market(NUMBERS), Cuts()
        market.apply(book_row(50000, "99", "4", "101", "4"))
        market.apply(trade_row(51000, "99.0", "2"))
        market.apply(book_row(51000, "99", "2", "101", "4"))  # fell by the 2 that traded
        market.apply(book_row(52000, "99", "1", "101", "4"))  # fell by half without a trade
        market.apply(book_row(53000, "99.5", "1", "101", "1"))  # a best price changed: not counted
        market.finish_window(60000)
        self.assertEqual(book_features(market, cuts, [], 5000, NUMBERS, 60000).churn, 0.5)
        cuts.cut("book", 52000)  # the one step left is not counted
        self.assertIsNone(book_features(market, cuts, [], 5000, NUMBERS, 60000).churn)

    def test_volatility_needs_30_returns_and_reads_the_newest(self):
        self.assertIsNone(realized_vol([0.001] * 29, 30, 30))
        self.assertEqual(realized_vol([0.5] * 10 + [0.003] * 15 + [-0.003] * 15, 30, 30), 0.003)


class Composites(unittest.TestCase):
    def test_pressure_is_the_mean_of_three_minutes(self):
        made = composed.pressure(book(imb_5=-0.4, imb_1=0.2), BookWindow(m180=-0.19, held_seconds=90))
        self.assertEqual((made.score, made.signed, made.side), (0.19, -0.19, -1))
        self.assertEqual(made.terms, {"imb_5": -0.4, "imb_1": 0.2, "m180": -0.19, "held_seconds": 90,
                                      "pressure_signed": -0.19})

    def test_flow_without_depth_is_not_available_and_without_trades_missing(self):
        made = composed.flow(TradeWindow(0.8, None, None, None, 5))
        self.assertEqual((made.score, made.available, made.terms["flow_signed"]), (0, False, 0))
        self.assertEqual(made.notes, {"depth_ratio": "not_available", "flow_10s": "not_available"})
        self.assertEqual(set(composed.flow(None).notes.values()), {"source_missing"})

    def test_crowding_without_a_change_of_open_interest(self):
        made = composed.crowding(ContextFeatures(0.0000125, None), NUMBERS)
        self.assertEqual(made.terms["funding_term"], 0.219)  # 0.0000125 * 8760 / 0.5
        self.assertEqual(made.score, 0.1314)
        self.assertEqual(made.notes["oi_change_1h"], "not_available")

    def test_forced_flow_is_measured_against_a_tenth_of_the_traded_notional(self):
        liquidations = LiquidationFeatures(2, 60000.0, 1.0, -1)
        made = composed.forced_flow(liquidations, TradeFeatures(1, 0.0, 0.0, 1000000.0), NUMBERS)
        self.assertEqual((made.score, made.side), (0.6, -1))
        self.assertEqual(composed.forced_flow(liquidations, None, NUMBERS).score, 1)

    def test_regime_rises_with_widening_ranges_alone(self):
        means = {"newest": 1.0, "fast": 2.0, "middle": 2.0, "slow": 1.0, "level": 1.0}
        self.assertEqual(composed.regime(0.001, 0.002, means, True, NUMBERS).score, 0.5)
        self.assertEqual(composed.regime(0.001, 0.002, means | {"slow": 4.0}, True, NUMBERS).score, 0)
        self.assertFalse(composed.regime(None, 0.002, means, True, NUMBERS).available)

    def test_range_means_fill_up_then_move_by_the_difference_over_their_length(self):
        ranges = Ranges(NUMBERS)
        for range_bps in (1, 2, 3, 4, 5, 6, 9.5):
            ranges.add(range_bps)
        self.assertEqual(ranges.means, {"newest": 9.5, "fast": 4.5, "middle": 4.357142857143, "slow": 4.357142857143,
                                        "level": 4.357142857143})

    def test_near_depth_counts_levels_within_3_bps(self):
        near = NearDepth(NUMBERS)
        near.add(SimpleNamespace(mid=10000.0, bids=[(9999, 1.0), (9997, 2.0), (9996.9, 4.0)],
                                 asks=[(10001, 8.0), (10003.1, 16.0)]))
        self.assertEqual((near.depth, near.thin_share), (11.0, 0.5))

    def test_a_missing_source_is_null_and_counts_as_0(self):
        made = composed.pressure(None, BookWindow())
        self.assertEqual((made.score, made.available, made.terms["imb_5"]), (0, False, None))
        self.assertEqual(made.notes["imb_5"], "source_missing")

    def test_thresholds_by_activity(self):
        for activity, watch, elevated in ((1, 0.16, 0.3), (1.25, 0.1024, 0.192), (2, 0.053333, 0.103333), (0, 0.48, 0.9)):
            pairs = composed.Calibration(NUMBERS).in_force(activity)
            self.assertEqual(pairs["pressure"], (watch, elevated))
            self.assertEqual(pairs["regime"], (0.2, 0.35))
        # 3 * 0.35 and 3 * 0.6 are above the largest threshold; elevated stays 0.05 above watch
        self.assertEqual(composed.Calibration(NUMBERS).in_force(0.5)["fragility"], (0.95, 1.0))

    def test_activity(self):
        means = {"newest": 9, "fast": 9, "middle": 3, "slow": 2, "level": 2}
        self.assertEqual([ranges.activity(each) for each in (means, {**means, "level": 0}, None)], [1.25, 1.0, 1.0])

    def test_norm(self):
        self.assertEqual([composed.norm(x, 0.35, 0.6) for x in (0, 0.175, 0.35, 0.475, 0.6, 0.9)],
                         [0, 0.25, 0.5, 0.75, 1, 1])


class Decision(unittest.TestCase):
    def test_confidence(self):
        # 0.6 * (0.3 + 0.2 * 0.5 + 0.2 * 0.5 + 0.1 * 1 + 0.2 * 0.75)
        self.assertEqual(classify.confidence(0.6, 0.1, 90, 1.0, 0.75, NUMBERS), (0.45, 0.5, 0.5))

    def test_an_absorption_lasts_up_to_twice_the_move_that_begins_it(self):
        self.assertEqual(classify.absorption_bound_bps(0.4, None, NUMBERS), 2)
        self.assertEqual(classify.absorption_bound_bps(1.5, "routine_context", NUMBERS), 3)
        self.assertEqual(classify.absorption_bound_bps(1.5, "contra_flow_absorption", NUMBERS), 6)

    def test_novelty_is_one_less_the_mean_similarity(self):
        self.assertEqual(classify.novelty({"a", "b"}, [{"a"}, {"a", "b"}]), 0.25)
        self.assertEqual(classify.novelty(frozenset(), [frozenset()]), 0)
        self.assertEqual(classify.novelty({"a"}, []), 1)


class Gaps(unittest.TestCase):
    def status(self, feed, t_ms, **status):
        feed.apply([{"status": status, "exchange_ts_ms": t_ms, "pass": 0, "venue": "v"}], t_ms)

    def test_overlapping_spans_count_once(self):
        feed = Feed(NUMBERS)
        self.status(feed, 700000, type="gap", gap_id="a", channel="book", start_ms=650000, end_ms=660000, reason="r")
        self.status(feed, 700000, type="gap", gap_id="b", channel=None, start_ms=655000, end_ms=0, reason="r")
        self.assertEqual(feed.gap_ms(700000, []), 50000)
        self.assertEqual(feed.gap_ms(700000, [(390000, 410000), (645000, 652000)]), 65000)
        self.status(feed, 710000, type="resynced", gap_id="b", channel=None, start_ms=655000, end_ms=670000)
        self.assertEqual(feed.gap_ms(710000, []), 20000)
        self.assertEqual(feed.cuts.newest("trade", 710000), 655000)

    def test_what_arrived_late_takes_its_gap_and_one_cut_out(self):
        feed = Feed(NUMBERS)
        gap = {"type": "gap", "channel": "trade", "start_ms": 650000, "end_ms": 0}
        self.status(feed, 700000, **gap, gap_id="a", reason="sequence_gap")
        self.status(feed, 710000, **gap, gap_id="b", reason="sequence_gap")
        for gap_id, cut_ms in (("a", 650000), ("b", None), ("c", None)):
            self.status(feed, 720000, **gap, gap_id=gap_id, reason="arrived_late")
            self.assertNotIn(gap_id, feed.ledger)
            self.assertEqual(feed.cuts.newest("trade", 720000), cut_ms)

    def test_a_cut_of_600_s_ago_is_not_taken_back(self):
        feed = Feed(NUMBERS)
        gap = {"type": "gap", "gap_id": "a", "channel": None, "start_ms": 650000, "end_ms": 0}
        self.status(feed, 700000, **gap, reason="overflow")
        self.status(feed, 1250000, **gap, reason="arrived_late")
        self.assertEqual((feed.ledger, feed.cuts.newest("book", 1250000)), ({}, 650000))

    def test_a_channel_is_unreported_for_want_of_the_venue_or_of_the_source(self):
        for venue, kind, channel, reason in (("hyperliquid", "live", "liquidation", "not_reported_by_venue"),
                                             ("hyperliquid", "live", "context", "not_subscribed"),
                                             ("hyperliquid", "recorded", "context", "not_in_this_source"),
                                             ("elsewhere", "live", "liquidation", "not_in_this_source")):
            feed = Feed(NUMBERS)
            feed.venue, feed.connected = venue, {"source_kind": kind}
            self.assertEqual(feed.why_unreported(channel), reason)

    def test_a_cut_lies_before_t(self):
        cuts = Cuts()
        cuts.cut(None, 100)
        self.assertIsNone(cuts.newest("book", 100))
        self.assertEqual(cuts.newest("book", 101), 100)
        self.assertFalse(cuts.take_first_after(100))
        self.assertTrue(cuts.take_first_after(101))
        self.assertFalse(cuts.take_first_after(102))

    def test_quality(self):
        self.assertEqual(quality_score(0.9, 5.06, NUMBERS), 86)  # 90 * (1 - 0.5 * 0.084333) = 86.205015


if __name__ == "__main__":
    unittest.main()
