"""Three minutes of book and trades: W (section "Three minutes of book and trades" of the labeling page)."""

from dataclasses import dataclass

from .features import window_start
from .market import ratio
from .numbers import r6, total


@dataclass
class BookWindow:
    """Books of W. `m180`, `movement_bps`: None where the book family is missing, and nothing is held then."""

    m180: float = None
    held_seconds: float = None
    depth_mean: float = 0.0
    movement_bps: float = None
    book_total: int = 0


@dataclass
class TradeWindow:
    """Trades of W against the depth shown. `imbalance` is None where nothing traded, the other ratios without depth."""

    imbalance: float
    depth_ratio: float
    flow_180s: float
    flow_10s: float
    trade_total: int


def held_books(books, cut_ms, limit_ms, start_ms, t_ms):
    """(book, milliseconds of (start, T] in which it was in force), oldest first, of the books after the cut.

    A book is in force until the next one's time, but not beyond its own time + limit.
    """
    ends = [book.ts_ms for book in books[1:]] + [t_ms]
    for book, end_ms in zip(books, ends):
        if cut_ms is None or book.ts_ms > cut_ms:
            held = min(end_ms, book.ts_ms + limit_ms) - max(book.ts_ms, start_ms)
            if held > 0:
                yield book, held


def book_window(market, cuts, limit_ms, numbers, t_ms):
    """The numbers that read the books of W. The book family must not be missing."""
    start_ms = t_ms - numbers["windows"]["state_ms"]
    cut_ms = cuts.newest("book", t_ms)
    leaning = depth = 0.0
    held_ms = 0
    for book, held in held_books(list(market.books), cut_ms, limit_ms, start_ms, t_ms):
        leaning += (book.imb_5 or 0.0) * held
        depth += book.depth_5 * held
        held_ms += held
    after = [book for book in market.books if cut_ms is None or book.ts_ms > cut_ms]
    stamped = [book for book in after if book.ts_ms > start_ms]
    before = [book for book in after if book.ts_ms <= start_ms <= book.ts_ms + limit_ms][-1:]
    mids = [book.mid for book in before + stamped]
    return BookWindow(
        m180=r6(leaning / max(held_ms, numbers["minimums"]["held_ms"])), held_seconds=r6(held_ms / 1000),
        depth_mean=depth / held_ms if held_ms else 0.0,
        movement_bps=r6(10000 * (max(mids) / min(mids) - 1)) if mids else 0.0, book_total=len(stamped))


def trade_window(market, cuts, depth_mean, numbers, t_ms):
    """The numbers that read the trades of W. The trades family must not be missing."""
    windows, depth_ms = numbers["windows"], numbers["composites"]["flow_depth_ms"]
    cut_ms = cuts.newest("trade", t_ms)

    def sizes(width_ms):
        trades = [trade for trade in market.trades if trade.ts_ms > window_start(cut_ms, t_ms - width_ms)]
        return (total(trade.size for trade in trades if trade.side == "buy"),
                total(trade.size for trade in trades if trade.side == "sell"), len(trades))

    buys, sells, trade_total = sizes(windows["state_ms"])
    shown = windows["state_ms"] / depth_ms * depth_mean
    newest_buys, newest_sells, _ = sizes(windows["packet_interval_ms"])
    shown_10s = depth_mean / (depth_ms / windows["packet_interval_ms"])
    return TradeWindow(
        imbalance=ratio(buys - sells, buys + sells), depth_ratio=ratio(buys + sells, shown),
        flow_180s=_flow(buys, sells, shown), flow_10s=_flow(newest_buys, newest_sells, shown_10s),
        trade_total=trade_total)


def _flow(buys, sells, shown):
    """r6((buys - sells) / max(buys + sells, depth shown)); None without depth."""
    return r6((buys - sells) / max(buys + sells, shown)) if shown else None


def evidence(books, trades, numbers):
    """r6(0.5 r6(min(1, books / 60)) + 0.5 r6(min(1, trades / 60))); `trades` is None where the family is missing."""
    rules = numbers["confidence"]
    trade_total = trades.trade_total if trades else 0
    return r6(rules["evidence_book_weight"] * r6(min(1, books.book_total / rules["evidence_full_books"]))
              + rules["evidence_trade_weight"] * r6(min(1, trade_total / rules["evidence_full_trades"])))
