"""The canonical encoding and the digests, on the bytes that the labeling page prints."""

import unittest
from hashlib import sha256

from labeler.canonical_event import canonical_event, varint
from labeler.digests import crockford26, input_digest, lineage_digest

COMMON = {"venue": "simulated", "symbol": "SIMUSD-PERP", "pass": 0, "venue_id": "", "ordinal": 1, "epoch": 1,
          "received_ts_ms": 5, "exchange_ts_is_receive_time": False}

BOOK = {**COMMON, "kind": "book", "exchange_ts_ms": 1700000000250, "bids": [["100.5", "2"]],
        "asks": [["101", "0.25", "3"]]}
TRADE = {**COMMON, "kind": "trade", "venue_id": "7", "exchange_ts_ms": 1700000000300,
         "exchange_ts_is_receive_time": True, "price": "101", "size": "0.1", "aggressor_side": "sell"}
CONNECTED = {**COMMON, "kind": "feed_status", "pass": 1, "exchange_ts_ms": 1700000000000,
             "exchange_ts_is_receive_time": True,
             "status": {"type": "connected", "channels": ["book", "trade", "context", "liquidation"],
                        "book_staleness_ms": 5000, "trade_staleness_ms": 60000, "context_staleness_ms": 120000,
                        "closing_lag_ms": 2000, "source_kind": "simulated"}}

BOOK_HEX = """0a 09 73 69 6d 75 6c 61 74 65 64 12 0b 53 49 4d 55 53 44 2d 50 45 52 50 28 fa d1 95 ff bc 31 82 01 1c
    0a 0a 0a 05 31 30 30 2e 35 12 01 32 12 0e 0a 03 31 30 31 12 04 30 2e 32 35 1a 01 33"""
TRADE_HEX = """0a 09 73 69 6d 75 6c 61 74 65 64 12 0b 53 49 4d 55 53 44 2d 50 45 52 50
    22 01 37 28 ac d2 95 ff bc 31 30 01 8a 01 0c 0a 03 31 30 31 12 03 30 2e 31 20 02"""
CONNECTED_HEX = """0a 09 73 69 6d 75 6c 61 74 65 64 12 0b 53 49 4d 55 53 44 2d 50 45 52 50
    18 01 28 80 d0 95 ff bc 31 30 01 aa 01 18 0a 16 0a 04 01 02 03 04 10 88 27 18 e0 d4 03 20 c0 a9 07 28 d0 0f 30 03"""


class Encoding(unittest.TestCase):
    def test_the_three_entries_of_the_page(self):
        for row, text in ((BOOK, BOOK_HEX), (TRADE, TRADE_HEX), (CONNECTED, CONNECTED_HEX)):
            self.assertEqual(canonical_event(row), bytes.fromhex(text))

    def test_a_context_without_fields_is_written_with_length_0(self):
        context = {**COMMON, "kind": "context", "exchange_ts_ms": 1}
        self.assertTrue(canonical_event(context).endswith(bytes.fromhex("92 01 00")))

    def test_varints(self):
        self.assertEqual(varint(0).hex(), "00")
        self.assertEqual(varint(300).hex(), "ac02")
        self.assertEqual(varint(-1).hex(), "ffffffffffffffffff01")


class Digests(unittest.TestCase):
    def test_the_input_digest_of_the_page(self):
        self.assertEqual(input_digest([BOOK, TRADE, CONNECTED]),
                         "41129023f65ae9f758d3a83ceeaa9136ab8e2f50232f76e8a9333366421691ad")
        self.assertEqual(input_digest([]), sha256(b"").hexdigest())

    def test_the_identity_of_an_event_without_a_venue_id(self):
        self.assertEqual(sha256(canonical_event(BOOK)).hexdigest(),
                         "abb2f8ecb51dd54aaee2dd3a60f57337a05a247e4c890f96c07a40c59b022613")

    def test_the_chain_digests_raw_bytes(self):
        self.assertEqual(lineage_digest("00" * 32, "01" * 32), sha256(b"\0" * 32 + b"\1" * 32).hexdigest())

    def test_ids_take_the_first_130_bits(self):
        self.assertEqual(crockford26(b"\xff" * 32), "z" * 26)
        self.assertEqual(crockford26(b"\0" * 16 + b"\x40" + b"\xff" * 15), "0" * 25 + "1")


if __name__ == "__main__":
    unittest.main()
