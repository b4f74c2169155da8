"""Means of price ranges, and depth near mid (section "Price ranges and depth near mid" of the labeling page)."""

from math import log

from .market import ratio
from .numbers import r6, r12, total

MEANS = ("newest", "fast", "middle", "slow", "level")


def _level_length(count, rules):
    return count if count <= rules["level_start_packets"] else rules["level_packets"]


class Ranges:
    """The means, in basis points. `means` is None before the first range."""

    def __init__(self, numbers):
        self._rules = numbers["ranges"]
        self._count = 0
        self.means = None

    def add(self, range_bps):
        """Adds the range of the packet at T."""
        self._count += 1
        rules = self._rules
        lengths = {"fast": min(self._count, rules["fast_packets"]), "middle": min(self._count, rules["middle_packets"]),
                   "slow": min(self._count, rules["slow_packets"]), "level": _level_length(self._count, rules)}
        before = self.means or dict.fromkeys(MEANS, range_bps)
        self.means = {"newest": range_bps, **{name: r12(before[name] + (range_bps - before[name]) / packets)
                                              for name, packets in lengths.items()}}


class NearDepth:
    """Depth near mid of the newest fresh book, and its level. Both are None before the first."""

    def __init__(self, numbers):
        self._rules = numbers["ranges"]
        self._reach_bps = numbers["features"]["near_depth_bps"]
        self._count = 0
        self.depth = self.level = None

    def add(self, book):
        """Adds a packet's fresh book (a market.Book)."""
        reach = book.mid * self._reach_bps / 10000
        self.depth = (total(self._sizes(book.bids, lambda price: price >= book.mid - reach))
                      + total(self._sizes(book.asks, lambda price: price <= book.mid + reach)))
        self._count += 1
        level = self.depth if self.level is None else self.level
        self.level = level + (self.depth - level) / _level_length(self._count, self._rules)

    @staticmethod
    def _sizes(levels, is_near):
        for price, size in levels:
            if not is_near(price):
                return
            yield size

    @property
    def thin_share(self):
        """level / (level + depth); None before the first book and where the level is 0."""
        return r6(self.level / (self.level + self.depth)) if self.level else None


def range_bps(market, cuts, limit_ms, numbers, t_ms):
    """The packet's own range: highest mid / lowest mid - 1 of its 10 s, with the book in force at their start."""
    start_ms = t_ms - numbers["windows"]["packet_interval_ms"]
    cut_ms = cuts.newest("book", t_ms)
    after = [book for book in market.books if cut_ms is None or book.ts_ms > cut_ms]
    before = [book for book in after if book.ts_ms <= start_ms <= book.ts_ms + limit_ms][-1:]
    mids = [book.mid for book in before + [book for book in after if book.ts_ms > start_ms]]
    return r6(10000 * (max(mids) / min(mids) - 1)) if mids else 0.0


def range_ratio(means):
    """r6((fast + middle) / 2 / slow); None before the first range and where the slow mean is 0."""
    return None if means is None else ratio((means["fast"] + means["middle"]) / 2, means["slow"])


def activity(means):
    """r6((middle + slow) / 2 / level); 1 before the first range and where the level is 0."""
    made = None if means is None else ratio((means["middle"] + means["slow"]) / 2, means["level"])
    return 1.0 if made is None else made


def regime_of_ratio(value, full_ratio):
    """r6(min(1, ln(ratio) / ln 4)), 0 up to a ratio of 1."""
    return r6(min(1, log(value) / log(full_ratio))) if value is not None and value > 1 else 0.0


def movement_share(means, numbers):
    """Weighted mean of v / (v + 2 level); None before the first range."""
    if means is None:
        return None
    rules = numbers["severity"]
    full = rules["level_multiple"] * means["level"]
    shares = {name: r6(means[name] / (means[name] + full)) if means[name] else 0.0 for name in MEANS[:4]}
    return r6(total(rules[name + "_weight"] * share for name, share in shares.items()))
