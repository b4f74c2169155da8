"""Three minutes of book and trades, and book silence, on worked numbers."""

import unittest

from labeler.cuts import Cuts, Feed
from labeler.market import Market
from labeler.silence import book_silences
from labeler.state_window import BookWindow, book_window, evidence, trade_window
from tests.test_formulas import NUMBERS, book_row, trade_row

LIMIT_MS = 5000


def market(*rows):
    made = Market(NUMBERS)
    for row in rows:
        made.apply(row)
    return made


def books_at(t_ms, made, cuts=None, limit_ms=LIMIT_MS):
    return book_window(made, cuts or Cuts(), limit_ms, NUMBERS, t_ms)


class BooksOfThreeMinutes(unittest.TestCase):
    def test_a_book_is_in_force_until_the_next_but_not_beyond_the_limit(self):
        made = market(book_row(100000, "99", "3", "101", "1"),  # imbalance 0.5, held 2 s
                      book_row(102000, "99", "1", "101", "3"))  # -0.5, held 5 s of the 98 s to T
        window = books_at(200000, made)
        self.assertEqual(window.held_seconds, 7)
        self.assertEqual(window.m180, -0.025)  # (0.5 * 2 - 0.5 * 5) / 60: the first minute is filled with balance
        self.assertEqual((window.depth_mean, window.book_total), (4, 2))

    def test_a_book_with_the_stamp_of_the_next_is_in_force_for_no_time(self):
        made = market(book_row(100000, "99", "3", "101", "1"), book_row(100000, "99", "1", "101", "3"))
        self.assertEqual(books_at(104000, made).m180, -0.033333)  # -0.5 * 4 / 60

    def test_what_lies_before_the_window_counts_from_its_start(self):
        made = market(book_row(100000, "99", "3", "101", "1"))
        self.assertEqual(books_at(283000, made).held_seconds, 2)  # to 105, from 283 - 180
        window = books_at(285000, made)
        self.assertEqual((window.held_seconds, window.m180, window.depth_mean, window.book_total), (0, 0, 0, 0))

    def test_only_books_after_the_newest_cut_weigh(self):
        made, cuts = market(book_row(100000, "99", "3", "101", "1"), book_row(110000, "98", "1", "100", "3")), Cuts()
        cuts.cut("book", 100000)
        window = books_at(120000, made, cuts)
        self.assertEqual((window.held_seconds, window.book_total, window.movement_bps), (5, 1, 0))

    def test_movement_is_the_range_of_mid_with_the_book_in_force_at_the_start(self):
        made = market(book_row(100000, "99", "1", "101", "1"), book_row(200000, "99.5", "1", "101.5", "1"))
        self.assertEqual(books_at(284999, made).movement_bps, 50)  # 100.5 / 100; 104.999 is inside 100 + 5
        self.assertEqual(books_at(285000, made).movement_bps, 50)  # at the limit still
        self.assertEqual(books_at(285001, made).movement_bps, 0)

    def test_sizes_count_in_full_where_as_much_trades_as_is_shown_once_a_minute(self):
        rows = [trade_row(100000, "99", "30"), {**trade_row(191000, "99", "6"), "aggressor_side": "buy"}]
        window = trade_window(market(*rows), Cuts(), 40.0, NUMBERS, 200000)
        self.assertEqual(window.flow_180s, -0.2)  # (6 - 30) / max(36, 3 * 40)
        self.assertEqual(window.flow_10s, 0.9)  # 6 / max(6, 40 / 6)
        self.assertEqual((window.depth_ratio, window.imbalance, window.trade_total), (0.3, -0.666667, 2))

    def test_without_depth_no_flow_is_available_and_without_trades_it_is_0(self):
        window = trade_window(market(trade_row(195000, "99", "1")), Cuts(), 0.0, NUMBERS, 200000)
        self.assertEqual((window.flow_180s, window.flow_10s, window.depth_ratio), (None, None, None))
        self.assertEqual(window.imbalance, -1)
        window = trade_window(market(), Cuts(), 5.0, NUMBERS, 200000)
        self.assertEqual((window.flow_180s, window.flow_10s, window.depth_ratio, window.imbalance), (0, 0, 0, None))

    def test_evidence_counts_books_and_trades(self):
        trades = trade_window(market(*[trade_row(195000, "99", "1")] * 90), Cuts(), 5.0, NUMBERS, 200000)
        self.assertEqual(evidence(BookWindow(book_total=15), trades, NUMBERS), 0.625)
        self.assertEqual(evidence(BookWindow(book_total=15), None, NUMBERS), 0.125)


class BookSilence(unittest.TestCase):
    def feed(self, *seams):
        feed = Feed(NUMBERS)
        feed.limits_ms = {"book": LIMIT_MS}
        rows = [{"status": {"type": "seam", "gap_id": str(start), "start_ms": start, "end_ms": end},
                 "exchange_ts_ms": start} for start, end in seams]
        feed.apply(rows, 400000)
        return feed

    def silences(self, made, *seams):
        return book_silences(made, self.feed(*seams), 300000, 400000)

    def test_it_begins_a_limit_after_a_book_and_ends_with_the_next(self):
        made = market(*[book_row(ts, "99", "1", "101", "1") for ts in (50000, 150000, 154000, 160000, 396000)])
        self.assertEqual(self.silences(made), [(100000, 150000), (159000, 160000), (165000, 396000)])

    def test_without_a_book_there_is_none(self):
        self.assertEqual(self.silences(market(), (200000, 210000)), [])

    def test_seams_cover_it_and_their_ends_begin_it_again(self):
        made = market(*[book_row(ts, "99", "1", "101", "1") for ts in (150000, 396000)])
        self.assertEqual(self.silences(made, (152000, 300000)), [(305000, 396000)])
        self.assertEqual(self.silences(made, (200000, 300000)), [(155000, 200000), (305000, 396000)])
        self.assertEqual(self.silences(made, (120000, 149000)), [(155000, 396000)])
        self.assertEqual(self.silences(made, (200000, 0)), [(155000, 200000)])

    def test_a_seam_that_a_fresh_snapshot_ends_is_a_gap_and_covers_nothing(self):
        made = market(*[book_row(ts, "99", "1", "101", "1") for ts in (150000, 396000)])
        feed = self.feed((200000, 300000))
        feed.apply([{"status": {"type": "resynced", "gap_id": "200000", "channel": "book", "start_ms": 200000,
                                "end_ms": 300000}, "exchange_ts_ms": 300000}], 400000)
        span, = feed.overlapping(400000)
        self.assertEqual((span["reason"], span["channel"], span["is_seam"]), ("sequence_gap", "book", False))
        self.assertEqual(book_silences(made, feed, 300000, 400000), [(155000, 396000)])


if __name__ == "__main__":
    unittest.main()
