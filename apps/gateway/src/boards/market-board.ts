import type { LiveMarket, LiveMarkets } from '../clients/live-markets';
import type { Grant } from '../serving/auth/grant';
import type { FixedRepresentation } from '../serving/http/representation';

/** Answers kept of one operation: those of so many sets of parameters. */
const KEPT_MAX = 128;

/** An answer made ready, and how many units it is charged by; undefined: as many as it was estimated at. */
export interface MadeAnswer {
  readonly representation: FixedRepresentation;
  readonly observed: number | undefined;
}

interface Kept {
  readonly live: LiveMarket;
  readonly changes: number;
  readonly clockMs: number | undefined;
  /** Null: it is not to be made here. */
  readonly made: MadeAnswer | null;
}

/** Answers of one operation by their parameters: made when they are first read after a change of their market. */
export class MarketAnswers<Query extends object> {
  private readonly kept = new Map<Query, Kept>();

  constructor(
    private readonly markets: Pick<LiveMarkets, 'now'>,
    private readonly make: (live: LiveMarket, query: Query, grant: Grant) => MadeAnswer | null,
  ) {}

  /** Null where the market is not followed or the answer is not to be made here. Answers are the same for all keys but a sandbox's. */
  of(symbol: string, query: Query, grant: Grant): MadeAnswer | null {
    const live = this.markets.now(symbol);
    if (live === null) return null;
    const { market } = live;
    const [changes, clockMs] = [market.changes, market.clock.nowMs()];
    const before = this.kept.get(query);
    if (before?.live.market === market && before.live.venue === live.venue && before.changes === changes && before.clockMs === clockMs)
      return before.made;
    const made = this.make(live, query, grant);
    if (before === undefined && this.kept.size >= KEPT_MAX) this.kept.clear();
    this.kept.set(query, { live, changes, clockMs, made });
    return made;
  }
}
