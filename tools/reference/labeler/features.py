"""Features at T (section "Features" of the labeling page).

Naming: a value that is None is either missing with its family or not available; the composites take it as 0.
"""

from dataclasses import dataclass
from math import log, sqrt

from .history import comparable
from .market import imbalance, ratio
from .numbers import clamp, nearest_rank, r6, r12, sign, total


def window_start(cut_ms, start_ms):
    """Windows over entries hold what lies after both their start and the newest cut of their channel."""
    return start_ms if cut_ms is None else max(start_ms, cut_ms)


def recent_liquidations(market, cuts, windows, t_ms):
    """Liquidations in (T - 300 s, T], after the newest cut."""
    start = window_start(cuts.newest("liquidation", t_ms), t_ms - windows["liquidation_ms"])
    return [entry for entry in market.liquidations if entry.ts_ms > start]


@dataclass
class BookFeatures:
    """Features of the last book applied; the medians are None while the session is too short."""

    ts_ms: int
    mid: float
    best_bid: str
    best_ask: str
    freshness_ms: int
    fresh: bool
    spread_bps: float
    imb_1: float
    imb_3: float
    imb_5: float
    depth_5: float
    churn: float
    thin: float
    wide: float
    fragility: float


def book_features(market, cuts, session, limit_ms, numbers, t_ms):
    """All features that read the book. The book must have been seen."""
    windows, weights = numbers["windows"], numbers["features"]
    book = market.book
    cut = cuts.newest("book", t_ms)
    spread = r6(10000 * (book.asks[0][0] - book.bids[0][0]) / book.mid)
    depth_5 = book.depth_5
    freshness = t_ms - book.ts_ms
    thin = wide = None
    if len(session) >= numbers["minimums"]["session_medians"]:
        median_depth = nearest_rank([trace.depth_5 for trace in session], 0.5)
        median_spread = nearest_rank([trace.spread_bps for trace in session], 0.5)
        thin = 0.0 if median_depth == 0 else r6(clamp(1 - depth_5 / median_depth, 0, 1))
        wide = (0.0 if median_spread == 0
                else r6(clamp((spread / median_spread - 1) / weights["wide_span"], 0, 1)))
    churn = _churn(market, cut, windows["book_ms"], t_ms)
    fragility = r6(weights["fragility_weight_thin"] * (thin or 0.0)
                   + weights["fragility_weight_churn"] * (churn or 0.0)
                   + weights["fragility_weight_wide"] * (wide or 0.0))
    return BookFeatures(
        ts_ms=book.ts_ms, mid=book.mid, best_bid=book.bid1_text, best_ask=book.ask1_text,
        freshness_ms=freshness, fresh=freshness <= limit_ms, spread_bps=spread,
        imb_1=imbalance(book.bids, book.asks, 1) or 0.0, imb_3=imbalance(book.bids, book.asks, 3) or 0.0,
        imb_5=book.imb_5 or 0.0, depth_5=depth_5, churn=churn, thin=thin, wide=wide, fragility=fragility)


def _churn(market, cut_ms, window_ms, t_ms):
    """Share of counted steps that churned; None with no counted step."""
    start = t_ms - window_ms
    steps = [step for step in market.steps
             if step.counted and step.later_ms > start and (cut_ms is None or step.earlier_ms > cut_ms)]
    return ratio(total(step.churned for step in steps), len(steps))


@dataclass
class TradeFeatures:
    """Features of the trades of 60 s; ratios are None where nothing was traded."""

    count: int
    imbalance: float
    large_share: float
    notional_300s: float


def trade_features(market, cuts, numbers, t_ms):
    """Features of trades, after the newest trade cut. The large-trade bound reads sizes across cuts."""
    windows = numbers["windows"]
    cut = cuts.newest("trade", t_ms)
    start = window_start(cut, t_ms - windows["trade_ms"])
    trades = [trade for trade in market.trades if trade.ts_ms > start]
    buy = total(trade.size for trade in trades if trade.side == "buy")
    sell = total(trade.size for trade in trades if trade.side == "sell")
    size = total(trade.size for trade in trades)
    large_share = None if size == 0 else 0.0
    if size != 0 and len(market.sizes) >= numbers["minimums"]["trade_sizes"]:
        bound = nearest_rank(market.sizes, numbers["features"]["large_trade_quantile"])
        large_share = r6(total(trade.size for trade in trades if trade.size >= bound) / size)
    notional_start = window_start(cut, t_ms - windows["notional_ms"])
    notional = r6(total(trade.notional for trade in market.trades if trade.ts_ms > notional_start))
    return TradeFeatures(len(trades), ratio(buy - sell, buy + sell), large_share, notional)


@dataclass
class LiquidationFeatures:
    """Features of the liquidations of 300 s; skew is None where their notional is 0."""

    count: int
    notional_usd: float
    skew: float
    direction: int


def liquidation_features(recent):
    """Over the liquidations in (T - 300 s, T]."""
    long = total(entry.notional for entry in recent if entry.side == "long")
    short = total(entry.notional for entry in recent if entry.side == "short")
    return LiquidationFeatures(len(recent), r6(total(entry.notional for entry in recent)),
                               ratio(long - short, long + short), sign(short - long))


@dataclass
class ContextFeatures:
    """Funding (None if never sent) and the change of open interest over an hour (None without a reference)."""

    funding_rate_abs: float
    oi_change_1h: float


def context_features(market, cuts, numbers, t_ms):
    """Features of the contract context."""
    cut = cuts.newest("context", t_ms)
    interests = [entry for entry in market.interests if cut is None or entry[0] > cut]
    before = [value for ts, value in interests if ts <= t_ms - numbers["windows"]["open_interest_ms"]]
    change = ratio(interests[-1][1] - before[-1], before[-1]) if before else None
    funding = None if market.funding_rate is None else r12(abs(market.funding_rate))
    return ContextFeatures(funding, change)


def price_move_bps(cuts, earlier, book):
    """Signed move of mid against an earlier packet; None where the two cannot be compared."""
    if not (book and comparable(cuts, earlier, book.fresh, book.ts_ms)):
        return None
    return r6(10000 * (book.mid / earlier.mid - 1))


def log_return(cuts, earlier, book):
    """r12(ln(mid_T / mid)) against the packet of T - 10 s; None where the two cannot be compared."""
    if not (book and comparable(cuts, earlier, book.fresh, book.ts_ms)):
        return None
    return r12(log(book.mid / earlier.mid))


def realized_vol(returns, newest, minimum):
    """r12(sqrt(sum of squares / n)) over the newest returns, oldest first; None with too few."""
    if len(returns) < minimum:
        return None
    used = returns[-newest:]
    return r12(sqrt(total(r * r for r in used) / len(used)))
