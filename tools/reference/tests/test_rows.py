"""What is told of a row that is none."""

import unittest

from labeler.rows import faults

TRADE = {"schema": "market_state_row.v1", "kind": "trade", "venue": "v", "symbol": "S", "pass": 0, "venue_id": "1",
         "exchange_ts_ms": 1, "exchange_ts_is_receive_time": False, "ordinal": 1, "price": "1", "size": "1",
         "aggressor_side": "buy"}


class Faults(unittest.TestCase):
    def test_a_good_row_has_none(self):
        self.assertEqual(faults(TRADE), [])

    def test_every_fault_is_named(self):
        row = {**TRADE, "aggressor_side": "up"}
        del row["price"], row["ordinal"]
        self.assertEqual(faults(row), ["ordinal is missing", "price is missing", "aggressor_side 'up' is unknown"])
        self.assertEqual(faults({**TRADE, "kind": "quote"}), ["kind 'quote' is unknown"])

    def test_feed_status_and_books(self):
        status = {**TRADE, "kind": "feed_status", "status": {"type": "gap", "gap_id": "g", "channel": "books",
                                                             "start_ms": 1, "end_ms": 0}}
        self.assertEqual(faults(status), ["status.reason is missing", "channel 'books' is unknown"])
        self.assertEqual(faults({**status, "status": {"type": "pause"}}), ["status has no known type"])
        self.assertEqual(faults({**TRADE, "kind": "book", "bids": [["1", "1"]], "asks": []}),
                         ["a book has at least one level a side"])


if __name__ == "__main__":
    unittest.main()
