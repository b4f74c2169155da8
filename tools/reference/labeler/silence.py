"""Book silence: time for which no book was heard (section "How long a book counts" of the labeling page)."""


def book_silences(market, feed, quality_ms, t_ms):
    """(start, end) of every silence inside (T - 300 s, T], without what seams cover; oldest first.

    Silence begins a staleness limit after a book or the end of a seam and lasts until the next one of either.
    """
    if market.first_book_ms is None:
        return []
    seams = sorted((span["start_ms"], min(span["end_ms"] or t_ms, t_ms))
                   for span in feed.ledger.values() if span["is_seam"])
    ended = [span["end_ms"] for span in feed.ledger.values()
             if span["is_seam"] and market.first_book_ms <= span["end_ms"] <= t_ms]
    anchors = sorted([*market.book_times, *ended])
    silences = []
    for anchor, following in zip(anchors, anchors[1:] + [t_ms]):
        start = max(anchor + feed.limits_ms["book"], t_ms - quality_ms)
        silences += _outside(start, following, seams)
    return silences


def _outside(start, end, seams):
    """The parts of (start, end) that no seam covers."""
    for seam_start, seam_end in seams:
        if start < seam_start < end:
            yield start, seam_start
        if seam_start < end:
            start = max(start, seam_end)
    if start < end:
        yield start, end
