"""Source families, gap flags and packet quality (section "Sources, gaps, quality" of the labeling page)."""

from collections import namedtuple

from .numbers import r6, rounded

FAMILIES = ("book", "trades", "asset_context", "liquidations", "candles")

Source = namedtuple("Source", "status reason age_ms")

MISSING, PARTIAL, RESOLVED = "missing", "partial", "resolved"


def _age(market, channel, t_ms):
    seen = market.seen_ms.get(channel)
    return None if seen is None else t_ms - seen


def _aged(feed, market, channel, t_ms, book_fresh=False):
    """A family that is resolved inside its staleness limit (trades also while the book is fresh)."""
    age = _age(market, channel, t_ms)
    if not feed.reports(channel):
        return Source(MISSING, feed.why_unreported(channel), age)
    if age is None:
        return Source(MISSING, "never_seen", age)
    if age <= feed.limits_ms[channel]:
        return Source(RESOLVED, "inside_staleness_limit", age)
    if book_fresh:
        return Source(RESOLVED, "quiet_while_book_fresh", age)
    return Source(PARTIAL, "stale", age)


def _liquidations(feed, market, recent, t_ms):
    age = _age(market, "liquidation", t_ms)
    if recent and all(entry.proxy for entry in recent):
        return Source(PARTIAL, "proxy_only", age)
    if feed.reports("liquidation"):
        return Source(RESOLVED, "channel_reported", age)
    return Source(MISSING, feed.why_unreported("liquidation"), age)


def resolve(feed, market, recent_liquidations, t_ms):
    """Status of every family at T, by name."""
    book = _aged(feed, market, "book", t_ms)
    trades = _aged(feed, market, "trade", t_ms, book_fresh=book.status == RESOLVED)
    return {"book": book, "trades": trades, "asset_context": _aged(feed, market, "context", t_ms),
            "liquidations": _liquidations(feed, market, recent_liquidations, t_ms), "candles": trades}


def families_with(sources, status):
    """Families of one status, in family order."""
    return [family for family in FAMILIES if sources[family].status == status]


def support_ratio(sources):
    """r6((resolved + 0.5 * partial) / 5)."""
    resolved = len(families_with(sources, RESOLVED))
    partial = len(families_with(sources, PARTIAL))
    return r6((resolved + 0.5 * partial) / len(FAMILIES))


def gap_flags(spans, silences, sources, reconnected, late):
    """Flags in their order. `reconnected`, `late`: how many since the window that ended 300 s ago or more."""
    def gap(channel):
        return any(not span["is_seam"] and span["channel"] in (None, channel) for span in spans)

    flags = {
        "book_gap": gap("book") or bool(silences),
        "trade_gap": gap("trade"),
        "context_stale": sources["asset_context"].status == PARTIAL,
        "liquidation_proxy_only": sources["liquidations"].reason == "proxy_only",
        "feed_reconnected": reconnected > 0,
        "recording_seam": any(span["is_seam"] for span in spans),
        "late_events": late > 0,
    }
    return [name for name, is_set in flags.items() if is_set]


def quality_score(support, gap_seconds, numbers):
    """round(100 * support * (1 - 0.5 * r6(min(1, gap seconds / 60)))), half to even."""
    quality = numbers["quality"]
    gap_share = r6(min(1, gap_seconds / quality["gap_full_seconds"]))
    return rounded(100 * support * (1 - quality["gap_weight"] * gap_share), 0)


def quality_class(score, numbers):
    """`strong`, `usable` or `limited`."""
    quality = numbers["quality"]
    if score >= quality["strong_from"]:
        return "strong"
    return "usable" if score >= quality["usable_from"] else "limited"
