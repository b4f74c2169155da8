"""The labeler: a symbol's log in, packets out. `Labeler.apply` is the page's reduce(state, entry) -> packets."""

from . import body
from .canonical_json import canonical_bytes
from .composites import Calibration
from .cuts import Feed
from .decision import Publication
from .digests import FIRST_LINEAGE_DIGEST, identity, input_digest, lineage_digest, sha256_hex
from .held import Holds
from .history import History, Trace
from .lanes import Lanes
from .log import EventLog
from .market import Market
from .ranges import NearDepth, Ranges
from .read import read_at
from .session_state import Session


class Labeler:
    """One market: a symbol, or `<symbol>@<venue>` away from its primary venue. It has no clock, no network and no
    randomness.
    """

    def __init__(self, policy, market):
        numbers = policy.numbers
        self.policy, self.numbers, self.market_key = policy, numbers, market
        self.symbol = market.split("@")[0]
        self.log = EventLog(numbers["windows"])
        self.feed = Feed(numbers)
        self.market = Market(numbers)
        self.history = History(numbers)
        self.calibration = Calibration(numbers)
        self.holds = Holds(numbers)
        self.publication = Publication(numbers)
        self.session_state = Session(numbers)
        self.ranges = Ranges(numbers)
        self.near_depth = NearDepth(numbers)
        self.lanes = Lanes(numbers)
        self.returns = []
        self.lineage = FIRST_LINEAGE_DIGEST

    def apply(self, row):
        """Applies one log entry; returns the packets of the windows that it closes."""
        return [self._packet(window) for window in self.log.apply(row)]

    def _packet(self, window):
        """Applies a closed window (statuses first, then events) and makes its packet."""
        self.feed.apply(window.statuses, window.end_ms)
        for instant in window.skip_cuts:
            self.feed.cuts.cut(None, instant)
        for row in window.events:
            self.market.apply(row)
        self.market.finish_window(window.end_ms)

        read = read_at(window.end_ms, window.late_total, self)
        inputs = input_digest(window.events + window.statuses)
        name = identity(self.market_key, window.end_ms, self.policy.digest, inputs, self.lineage)
        packet = body.write(self, window, read, inputs, name)
        return self._row(window, packet, inputs)

    def remember(self, read, packet_id, tags):
        """Keeps the trace of the packet being written; `tags` are its counted tags."""
        book = read.book
        self.history.add(Trace(
            end_ms=read.t_ms, packet_id=packet_id, fresh=bool(book and book.fresh),
            book_ms=book and book.ts_ms, mid=book and book.mid, spread_bps=book and book.spread_bps,
            depth_5=book and book.depth_5, winner=read.decision.winner, published=read.publication.state,
            event_class=read.event_class, event_profile=read.event_profile, severity=read.severity.score,
            confidence=read.confidence,
            signed={name: made.signed for name, made in read.composites.items()},
            scores={name: made.score for name, made in read.composites.items()},
            available={name for name, made in read.composites.items() if made.available},
            realized_vol_short=read.realized_vol_short, realized_vol_session=read.realized_vol_session,
            counted_tags=tags, tag_set=frozenset(tags),
            reconnect_total=read.reconnect_total, late_total=read.late_total))

    def _row(self, window, packet, inputs):
        """The row around the packet, and the next link of the chain."""
        previous, packet_digest = self.lineage, sha256_hex(canonical_bytes(packet))
        self.lineage = lineage_digest(previous, packet_digest)
        named = {} if self.symbol == self.market_key else {"market": self.market_key}
        return {"symbol": self.symbol, **named, "window_end_ms": window.end_ms, "packet_id": packet["packet_id"],
                "event_id": packet["event_id"], "input_digest": inputs, "policy_digest": self.policy.digest,
                "previous_lineage_digest": previous, "packet_digest": packet_digest, "lineage_digest": self.lineage,
                "headline": packet["client_readout"]["headline"],
                "customer_next_step": packet["client_readout"]["next_step"], "packet": packet}
