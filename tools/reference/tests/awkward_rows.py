#!/usr/bin/env python3
"""A synthetic log that goes where recordings seldom go, for comparing two labelers: market_state_row.v1 lines.

    python3 tools/reference/tests/awkward_rows.py SEED [WINDOWS]

Same seed, same rows. It holds late, repeated and early events, mixed and absent venue ids, ticks that close several
windows, skip some or go back, ordinals that do not rise, channels that come and go, gaps reported twice, open and closed,
seams, passes, cuts in the future and the past, proxies, stale and one-level books, contexts with single fields. It
resembles no market.
"""

import json
import random
import sys

CHANNELS = ["book", "trade", "context", "liquidation"]
VENUES = ["hyperliquid", "test-venue", "simulated"]
START_MS = 1700000000000


class Log:
    """Rows of one seed, in log order."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.clock = START_MS + self.random.randrange(20000)
        self.venue = VENUES[seed % len(VENUES)]
        self.ordinal = 0
        self.event_pass = self.random.choice([0, 1])
        self.made = []
        self.gap_ids = []
        self.mid = 20000
        self.sizes = {}
        self.calm = self.random.random()

    def row(self, kind, ts, fields, venue_id=""):
        """One row; every ordinal is one more than the one before."""
        self.ordinal += 1
        return {"schema": "market_state_row.v1", "kind": kind, "venue": self.venue, "symbol": "BTCUSD-PERP",
                "pass": self.event_pass, "venue_id": venue_id, "exchange_ts_ms": ts,
                "exchange_ts_is_receive_time": kind == "feed_status", "received_ts_ms": self.clock,
                "ordinal": self.ordinal, "epoch": 1, **fields}

    def venue_id(self):
        """Digits, digits with leading zeros, words, or none."""
        pick = self.random.random()
        number = self.random.randrange(1, 400)
        if pick < 0.6:
            return str(10 ** 6 + self.ordinal)
        if pick < 0.75:
            return str(number)
        if pick < 0.8:
            return f"{number:06d}"
        return f"x{number}" if pick < 0.9 else ""

    def stamp(self):
        """Mostly around the clock; at times long ago or well ahead."""
        pick, draw = self.random.random(), self.random.randrange
        if pick < 0.9:
            return self.clock - draw(0, 9000)
        if pick < 0.95:
            return self.clock // 10000 * 10000 + self.random.choice([0, 1, -1, 10000])
        return self.clock + draw(-700000, 70000)

    def size(self):
        """A size in plain decimals."""
        return self.random.choice(["0.001", "0.25", "1", "1.5", "3", "7", "40", "250", "0.333333333333"])

    def price(self, half_ticks):
        """A price in half units."""
        return f"{half_ticks // 2}" + (".5" if half_ticks % 2 else "")

    def book(self):
        """Levels on a grid; sizes are remembered, so that quiet steps occur."""
        rnd = self.random
        if rnd.random() < 0.3:
            self.mid += rnd.choice([-3, -1, 1, 4])
        half = rnd.choice([1, 1, 1, 3])
        levels = rnd.choice([1, 2, 5, 6, 25])

        def side(sign):
            made = []
            for depth in range(levels):
                price = self.mid + sign * (half + depth * rnd.choice([1, 1, 2]))
                price = price if not made else min(price, made[-1] - 1) if sign < 0 else max(price, made[-1] + 1)
                made.append(price)
            for price in made:
                if rnd.random() < 0.5 - 0.4 * self.calm or price not in self.sizes:
                    self.sizes[price] = self.size()
            venue = [self.size()] if rnd.random() < 0.1 else []
            return [[self.price(price), self.sizes[price]] + venue for price in made]

        return {"bids": side(-1), "asks": side(1)}

    def event(self):
        """One data event, new or seen before."""
        rnd = self.random
        if self.made and rnd.random() < 0.06:
            kind, _, fields, venue_id = rnd.choice(self.made[-40:])
            return self.row(kind, self.stamp(), fields, venue_id)
        kind = rnd.choice(["book"] * 6 + ["trade"] * 5 + ["context", "liquidation"])
        if kind == "book":
            fields = self.book()
        elif kind == "trade":
            fields = {"price": self.price(self.mid + rnd.choice([-1, 1])), "size": self.size(),
                      "aggressor_side": rnd.choice(["buy", "buy", "sell"])}
            if rnd.random() < 0.1:
                fields["venue_size"] = self.size()
        elif kind == "context":
            values = {"funding_rate": rnd.choice(["-0.00002", "0.00001", "0.0001068115234375", "0"]),
                      "open_interest": str(rnd.randrange(900, 1100)), "mark_price": self.price(self.mid),
                      "oracle_price": self.price(self.mid + 1), "day_volume": "123456.50",
                      "venue_funding_rate": rnd.choice(["-0.00016000", "0.0001"]), "funding_interval_hours": 8}
            fields = {name: value for name, value in values.items() if rnd.random() < 0.6}
        else:
            fields = {"position_side": rnd.choice(["long", "short"]), "price": self.price(self.mid),
                      "size": self.size(), "provenance": rnd.choice(["venue_reported", "proxy", "proxy"])}
            if rnd.random() < 0.3:
                fields["venue_size"] = self.size()
        made = (kind, self.stamp(), fields, self.venue_id())
        self.made.append(made)
        return self.row(*made)

    def connected(self):
        """The venue's facts; channels come and go."""
        rnd = self.random
        some = CHANNELS if rnd.random() < 0.7 else [name for name in CHANNELS if rnd.random() < 0.7]
        return {"type": "connected", "channels": some, "book_staleness_ms": rnd.choice([2000, 5000, 8000]),
                "trade_staleness_ms": rnd.choice([30000, 60000, 90000]),
                "context_staleness_ms": rnd.choice([120000, 400000]),
                "closing_lag_ms": rnd.choice([0, 250, 1000, 2000, 12000]),
                "source_kind": rnd.choice(["live", "recorded", "simulated"])}

    def status(self):
        """One feed status entry."""
        rnd = self.random
        kind = rnd.choice(["connected", "connected", "disconnected", "gap", "gap", "resynced", "seam"])
        start = self.clock + rnd.choice([-1000, -20000, -200000, -500000, 3000, 25000])
        end = rnd.choice([0, start, start + 500, start + 30000, start + 200000])
        if kind in ("gap", "resynced", "seam"):
            if self.gap_ids and rnd.random() < 0.5:
                gap_id = rnd.choice(self.gap_ids[-4:])
            else:
                gap_id = f"gap_{len(self.gap_ids)}"
                self.gap_ids.append(gap_id)
        if kind == "connected":
            self.event_pass += rnd.random() < 0.3
            status = self.connected()
        elif kind == "disconnected":
            status = {"type": kind, "reason": rnd.choice(["test", ""])}
        elif kind == "seam":
            status = {"type": kind, "gap_id": gap_id, "start_ms": start, "end_ms": end or start}
        else:
            channel = rnd.choice([None, "control"] + CHANNELS)
            status = {"type": kind, "gap_id": gap_id, "channel": channel, "start_ms": start, "end_ms": end}
            if kind == "gap":
                status["reason"] = rnd.choice(["sequence_gap", "disconnected", "overflow", "arrived_late"])
        return self.row("feed_status", self.clock, {"status": status})

    def rows(self, windows):
        """Rows over about `windows` windows."""
        rnd = self.random
        yield self.event()
        yield self.row("tick", self.clock, {"feed_clock_ms": self.clock})
        yield self.event()
        yield self.row("feed_status", self.clock, {"status": {**self.connected(), "channels": CHANNELS}})
        end = self.clock + windows * 10000
        while self.clock < end:
            self.clock += rnd.choice([250, 2500, 2500, 2500, 5000, 5000, 10000, 10000])
            if rnd.random() < 0.02:
                self.clock += rnd.choice([15000, 35000, 60000])
            if rnd.random() < 0.004:
                jump = rnd.choice([60001, 90000, 800000])
                self.clock += jump
                end += jump
            for _ in range(rnd.choice([0, 1, 2, 4, 6])):
                yield self.event()
            if rnd.random() < 0.02:
                yield self.status()
            tick = self.row("tick", self.clock, {"feed_clock_ms": self.clock})
            yield tick
            if rnd.random() < 0.01:
                repeat = self.event()
                self.ordinal -= 1
                yield {**repeat, "ordinal": self.ordinal}
                yield tick
            if rnd.random() < 0.004:
                back = self.clock - rnd.choice([300, 30000, 100000])
                yield self.row("tick", back, {"feed_clock_ms": back})


def main(arguments):
    """Prints the rows of a seed."""
    seed, windows = int(arguments[0]), int(arguments[1]) if arguments[1:] else 300
    for row in Log(seed).rows(windows):
        print(json.dumps(row, separators=(",", ":")))


if __name__ == "__main__":
    main(sys.argv[1:])
