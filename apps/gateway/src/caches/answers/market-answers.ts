import type { LiveMarket, LiveMarkets } from '../../clients/live-markets';
import type { Grant } from '../../serving/auth/grant';
import type { ReadyAnswer } from '../../serving/fast-read';

/** Answers kept of one operation: those of so many sets of parameters. */
const KEPT_MAX = 128;

/** What was made of a market; `ready` is null where it is not to be sent by the fast lane. */
export interface Made {
  readonly ready: ReadyAnswer | null;
}

interface Kept extends Made {
  readonly live: LiveMarket;
  readonly changes: number;
  readonly clockMs: number | undefined;
  readonly basis: readonly unknown[];
}

/** Answers of one operation by their parameters: made when they are first read after a change of their market. */
export class MarketAnswers<Query extends object> {
  private readonly kept = new Map<Query, Kept>();

  constructor(
    private readonly markets: Pick<LiveMarkets, 'now'>,
    /** Null where something of the answer is not held. */
    private readonly make: (live: LiveMarket, query: Query, grant: Grant) => Made | null,
    /** What else an answer is made of; it holds as long as these are the same objects. */
    private readonly basisOf: (symbol: string) => readonly unknown[] = () => [],
  ) {}

  /** Null where the market is not followed or the answer is not to be made here. Answers are the same for all keys but a sandbox's. */
  of(symbol: string, query: Query, grant: Grant): ReadyAnswer | null {
    const live = this.markets.now(symbol);
    if (live === null) return null;
    const { market } = live;
    const [changes, clockMs] = [market.changes, market.clock.nowMs()];
    const basis = this.basisOf(symbol);
    const before = this.kept.get(query);
    const isSame = before?.live.market === market && before.live.venue === live.venue && before.live.ledgerMark === live.ledgerMark;
    const isUnmoved = isSame && before.changes === changes && before.clockMs === clockMs;
    if (isUnmoved && before.basis.every((part, at) => part === basis[at])) return before.ready;
    const made = this.make(live, query, grant);
    if (made === null) return null;
    if (before === undefined && this.kept.size >= KEPT_MAX) this.kept.clear();
    this.kept.set(query, { live, changes, clockMs, basis, ...made });
    return made.ready;
  }
}
