"""Faults of rows that are none, and of rows missing between others."""

import json
import tempfile
import unittest
from pathlib import Path

from labeler.row_faults import faults
from labeler.rows import RowError, read_rows
from tests.awkward_rows import Log

TRADE = {"schema": "market_state_row.v1", "kind": "trade", "venue": "v", "symbol": "BTCUSD-PERP", "pass": 0,
         "venue_id": "1", "exchange_ts_ms": 1, "exchange_ts_is_receive_time": False, "received_ts_ms": 1, "ordinal": 1,
         "epoch": 1, "price": "1", "size": "1", "aggressor_side": "buy"}
TICK = {name: value for name, value in TRADE.items() if name not in ("price", "size", "aggressor_side")}
TICK.update(kind="tick", feed_clock_ms=1)


class Faults(unittest.TestCase):
    def test_a_good_row_has_none(self):
        for row in [TRADE, {**TRADE, "venue_size": "1.50"}, TICK, *Log(5).rows(20)]:
            self.assertEqual(faults(row), [])

    def test_a_locked_book_may_say_so_and_no_other(self):
        book = {name: value for name, value in TRADE.items() if name not in ("price", "size", "aggressor_side")}
        book.update(kind="book", bids=[["100", "1"]], asks=[["100", "1"]])
        self.assertEqual([faults(book), faults({**book, "locked_book": True})], [[], []])
        refused = ["locked_book must be true if the best prices are equal, else missing"]
        self.assertEqual(faults({**book, "asks": [["100.1", "1"]], "locked_book": True}), refused)
        self.assertEqual(faults({**book, "locked_book": False}), ["locked_book must be true"])

    def test_every_fault_is_named(self):
        row = {**TRADE, "aggressor_side": "up", "extra": "x", "size": "01", "pass": True}
        del row["price"], row["ordinal"]
        self.assertEqual(faults(row), [
            "ordinal is missing", "price is missing", "pass must be an integer of at least 0",
            "size must be a positive decimal string in plain notation", "aggressor_side must be one of buy, sell",
            "extra is not a field of this row"])
        self.assertEqual(faults({**TRADE, "kind": "quote"}),
                         ["kind must be one of book, trade, context, liquidation, tick, feed_status"])
        self.assertEqual(faults({**TICK, "price": "1"}), ["price is not a field of this row"])

    def test_values_of_another_type_are_faults(self):
        for name in TRADE:
            for value in (None, [], {}, -1, 1.5, True, "?"):
                if name == "venue_id" and value == "?" or name == "exchange_ts_is_receive_time" and value is True:
                    continue
                if name == "venue" and value == "?":
                    continue
                self.assertEqual(len(faults({**TRADE, name: value})), 1, (name, value))

    def test_feed_status_and_books(self):
        status = {**TICK, "kind": "feed_status", "status": {"type": "gap", "gap_id": "g", "channel": "books",
                                                            "start_ms": 1, "end_ms": 0, "why": ""}}
        del status["feed_clock_ms"]
        self.assertEqual(faults(status), [
            "status.reason is missing",
            "status.channel must be null or one of book, trade, context, liquidation, control",
            "status.why is not a field of this row"])
        self.assertEqual(faults({**status, "status": {"type": "pause"}}),
                         ["status.type must be one of connected, disconnected, gap, resynced, seam"])
        self.assertEqual(faults({**status, "status": None}), ["status must be an object"])
        book = {**TICK, "kind": "book", "bids": [["1", "1"]], "asks": []}
        del book["feed_clock_ms"]
        self.assertEqual(faults(book),
                         ["asks must be a list of 1 to 25 levels [price, size] or [price, size, venue_size]"])


class Reading(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def read(self, *places):
        """How many rows of these epochs and ordinals are read."""
        path = Path(self.folder.name) / "rows.ndjson"
        path.write_text("".join(json.dumps({**TICK, "epoch": epoch, "ordinal": ordinal}) + "\n"
                                for epoch, ordinal in places), encoding="utf-8")
        return len(list(read_rows(path)))

    def test_an_ordinal_that_lacks_is_reported_with_its_line(self):
        with self.assertRaisesRegex(RowError, r"rows\.ndjson:3: ordinal 9 follows 7, not 8$"):
            self.read((1, 6), (1, 7), (1, 9))
        with self.assertRaisesRegex(RowError, r"rows\.ndjson:2: epoch 1 follows 2$"):
            self.read((2, 6), (1, 7))

    def test_ordinals_that_do_not_rise_are_left_to_the_log(self):
        self.assertEqual(self.read((1, 6), (1, 7), (1, 7), (1, 5), (1, 8)), 5)

    def test_a_new_epoch_begins_past_what_was_lost(self):
        self.assertEqual(self.read((1, 6), (2, 90), (2, 91)), 3)


if __name__ == "__main__":
    unittest.main()
