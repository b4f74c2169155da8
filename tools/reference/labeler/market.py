"""What the applied events leave behind: the book in force and the windows over entries (section "Features")."""

from collections import deque, namedtuple

from .numbers import r6, total

Book = namedtuple("Book", "ts_ms bids asks bid1_text ask1_text mid imb_5 depth_5")
Trade = namedtuple("Trade", "ts_ms price size side notional")
Liquidation = namedtuple("Liquidation", "ts_ms side notional proxy")
Step = namedtuple("Step", "earlier_ms later_ms counted churned")


def ratio(numerator, denominator):
    """A ratio; None (not available) where the denominator is 0."""
    return None if denominator == 0 else r6(numerator / denominator)


def depth(levels, count):
    """Summed size of the first `count` levels, best first."""
    return total(size for _, size in levels[:count])


def imbalance(bids, asks, count):
    """imb_k = r6((B_k - A_k) / (B_k + A_k)); None where both are 0."""
    b, a = depth(bids, count), depth(asks, count)
    return ratio(b - a, b + a)


def _levels(rows):
    return [(float(level[0]), float(level[1])) for level in rows]


class Market:
    """Applies events in order of application. Windows are cut when they are read, at a packet's T."""

    def __init__(self, numbers):
        windows = numbers["windows"]
        self._fall_ratio = numbers["features"]["churn_fall_ratio"]
        self._trade_ms = windows["trade_ms"]
        self._state_ms = windows["state_ms"]
        self._quality_ms = windows["quality_ms"]
        self._keep_ms = max(windows["book_ms"], windows["trade_ms"], windows["state_ms"], windows["notional_ms"],
                            windows["liquidation_ms"])
        self._interest_ms = windows["open_interest_ms"]
        self.seen_ms = {}
        self.books = deque()
        self.book_times = deque()
        self.first_book_ms = None
        self.steps = deque()
        self.trades = deque()
        self.sizes = deque(maxlen=windows["trade_size_total"])
        self._sizes_pending = deque()
        self.liquidations = deque()
        self.interests = deque()
        self.funding_rate = None
        self.mark_price = None
        self._new_books = []

    @property
    def book(self):
        """The last book applied, or None."""
        return self.books[-1] if self.books else None

    def apply(self, row):
        """Applies one event."""
        self.seen_ms[row["kind"]] = row["exchange_ts_ms"]
        getattr(self, "_" + row["kind"])(row["exchange_ts_ms"], row)

    def _book(self, ts_ms, row):
        bids, asks = _levels(row["bids"]), _levels(row["asks"])
        book = Book(ts_ms, bids, asks, row["bids"][0][0], row["asks"][0][0],
                    (bids[0][0] + asks[0][0]) / 2, imbalance(bids, asks, 5), depth(bids, 5) + depth(asks, 5))
        if self.books:
            self._new_books.append((self.books[-1], book))
        self.books.append(book)
        self.book_times.append(ts_ms)
        if self.first_book_ms is None:
            self.first_book_ms = ts_ms

    def _notional(self, price, size):
        """size * mid of the book applied before; else the last mark price; else the entry's own price."""
        if self.books:
            return size * self.books[-1].mid
        return size * (self.mark_price if self.mark_price is not None else price)

    def _trade(self, ts_ms, row):
        price, size = float(row["price"]), float(row["size"])
        trade = Trade(ts_ms, price, size, row["aggressor_side"], self._notional(price, size))
        self.trades.append(trade)
        self._sizes_pending.append(trade)

    def _liquidation(self, ts_ms, row):
        notional = self._notional(float(row["price"]), float(row["size"]))
        self.liquidations.append(Liquidation(ts_ms, row["position_side"], notional, row["provenance"] == "proxy"))

    def _context(self, ts_ms, row):
        if row.get("funding_rate"):
            self.funding_rate = float(row["funding_rate"])
        elif row.get("venue_funding_rate"):
            self.funding_rate = None
        if row.get("mark_price"):
            self.mark_price = float(row["mark_price"])
        if row.get("open_interest"):
            self.interests.append((ts_ms, float(row["open_interest"])))

    def finish_window(self, t_ms):
        """After the last event of window T: settles its book steps, and lets go of what no later window reads."""
        for earlier, later in self._new_books:
            self.steps.append(self._step(earlier, later))
        self._new_books = []
        while self._sizes_pending and self._sizes_pending[0].ts_ms <= t_ms - self._trade_ms:
            self.sizes.append(self._sizes_pending.popleft().size)
        start_ms = t_ms - self._keep_ms
        while len(self.books) > 1 and self.books[1].ts_ms <= t_ms - self._state_ms:
            self.books.popleft()
        while len(self.book_times) > 1 and self.book_times[1] <= t_ms - self._quality_ms:
            self.book_times.popleft()
        while self.steps and self.steps[0].later_ms <= start_ms:
            self.steps.popleft()
        trades_from_ms = min(start_ms, self.book.ts_ms) if self.books else start_ms
        while self.trades and self.trades[0].ts_ms <= trades_from_ms:
            self.trades.popleft()
        while self.liquidations and self.liquidations[0].ts_ms <= start_ms:
            self.liquidations.popleft()
        while len(self.interests) > 1 and self.interests[1][0] <= t_ms - self._interest_ms:
            self.interests.popleft()

    def _step(self, earlier, later):
        """One step of churn: counted if neither best price changed; churned if a side fell without trades."""
        counted = earlier.bids[0][0] == later.bids[0][0] and earlier.asks[0][0] == later.asks[0][0]
        churned = counted and (self._fell(earlier, later, earlier.bids[0], later.bids[0])
                               or self._fell(earlier, later, earlier.asks[0], later.asks[0]))
        return Step(earlier.ts_ms, later.ts_ms, counted, churned)

    def _fell(self, earlier, later, before, after):
        price, fall = before[0], before[1] - after[1]
        if not (fall > 0 and fall >= self._fall_ratio * before[1]):
            return False
        traded = total(trade.size for trade in self.trades
                       if trade.price == price and earlier.ts_ms < trade.ts_ms <= later.ts_ms)
        return traded < fall
