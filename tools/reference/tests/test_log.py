"""Windows, order of application, repeats and late events."""

import unittest

from labeler.log import EventLog, venue_id_order

WINDOWS = {"packet_interval_ms": 10000, "tick_jump_ms": 60000, "duplicate_ms": 600000}


class Feed:
    """Writes rows into a log; times are in seconds."""

    def __init__(self, lag_ms=1000):
        self.log = EventLog(WINDOWS)
        self.ordinal = 0
        self.status("connected", closing_lag_ms=lag_ms)

    def _apply(self, kind, seconds, **fields):
        self.ordinal += 1
        return self.log.apply({"venue": "v", "symbol": "S", "pass": 0, "venue_id": "", "ordinal": self.ordinal,
                               "exchange_ts_is_receive_time": False, "kind": kind,
                               "exchange_ts_ms": int(seconds * 1000), **fields})

    def status(self, name, **fields):
        return self._apply("feed_status", 0, status={"type": name, **fields})

    def tick(self, seconds):
        return self._apply("tick", seconds, feed_clock_ms=int(seconds * 1000))

    def trade(self, seconds, venue_id):
        return self._apply("trade", seconds, venue_id=venue_id, price="1", size="1", aggressor_side="buy")

    def book(self, seconds, venue_id):
        return self._apply("book", seconds, venue_id=venue_id, bids=[["1", "1"]], asks=[["2", "1"]])


def ids(window):
    return [row["venue_id"] for row in window.events]


class Windows(unittest.TestCase):
    def test_a_window_closes_at_the_first_tick_at_or_past_its_end_plus_the_lag(self):
        feed = Feed(lag_ms=1000)
        self.assertEqual(feed.tick(93), [])
        self.assertEqual(feed.tick(100.999), [])
        self.assertEqual([w.end_ms for w in feed.tick(101)], [100000])

    def test_one_tick_may_close_several_windows_and_the_first_takes_all_statuses(self):
        feed = Feed()
        feed.tick(93)
        closed = feed.tick(121)
        self.assertEqual([(w.end_ms, len(w.statuses)) for w in closed], [(100000, 1), (110000, 0), (120000, 0)])

    def test_a_jump_skips_windows_and_cuts_at_the_end_of_the_last_skipped_one(self):
        feed = Feed()
        feed.tick(93)
        feed.trade(95, "1")
        self.assertEqual(feed.tick(154), [])
        closed = feed.tick(161)
        self.assertEqual([(w.end_ms, w.skip_cuts, w.late_total) for w in closed], [(160000, [150000], 1)])

    def test_nothing_moves_before_the_feed_is_connected(self):
        log = EventLog(WINDOWS)
        tick = {"kind": "tick", "ordinal": 1, "feed_clock_ms": 500000}
        self.assertEqual(log.apply(tick), [])
        self.assertEqual(log.apply({**tick, "ordinal": 2, "feed_clock_ms": 900000}), [])


class Order(unittest.TestCase):
    def test_exchange_time_then_channel_then_venue_id(self):
        feed = Feed()
        feed.tick(93)
        for venue_id in ("b", "10", "007", "9", "7", "10a"):
            feed.trade(95, venue_id)
        feed.book(95, "99")
        feed.trade(94, "z")
        self.assertEqual(ids(feed.tick(101)[0]), ["z", "99", "007", "7", "9", "10", "10a", "b"])

    def test_ids_of_digits_may_have_any_length(self):
        long = "1" * 5000
        self.assertLess(venue_id_order(long), venue_id_order(long + "0"))


class Repeats(unittest.TestCase):
    def test_the_first_in_order_of_application_counts(self):
        feed = Feed()
        feed.tick(93)
        feed.trade(97, "1")
        feed.trade(95, "1")
        window = feed.tick(101)[0]
        self.assertEqual([row["exchange_ts_ms"] for row in window.events], [95000])

    def test_an_identity_is_known_for_600_s(self):
        feed = Feed()
        feed.tick(93)
        feed.trade(95, "1")
        for clock in range(101, 692, 10):
            feed.tick(clock)
        feed.trade(695, "1")
        feed.trade(696, "2")
        self.assertEqual(ids(feed.tick(701)[0]), ["2"])
        feed.trade(705, "1")
        self.assertEqual(ids(feed.tick(711)[0]), ["1"])

    def test_a_late_event_counts_once_and_not_when_it_was_applied(self):
        feed = Feed()
        feed.tick(93)
        feed.trade(95, "1")
        feed.tick(101)
        feed.trade(96, "1")
        feed.trade(97, "2")
        feed.trade(97, "2")
        self.assertEqual(feed.tick(111)[0].late_total, 1)

    def test_a_late_copy_takes_no_waiting_events_place(self):
        feed = Feed()
        feed.tick(93)
        feed.tick(101)
        feed.trade(97, "2")
        feed.trade(105, "2")
        window = feed.tick(111)[0]
        self.assertEqual((ids(window), window.late_total), (["2"], 1))

    def test_what_is_older_than_the_logs_first_window_is_not_late(self):
        feed = Feed()
        feed.trade(90, "1")
        feed.tick(93)
        feed.trade(80, "2")
        self.assertEqual(feed.tick(101)[0].late_total, 0)


if __name__ == "__main__":
    unittest.main()
