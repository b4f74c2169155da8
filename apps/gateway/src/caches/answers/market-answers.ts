import type { LiveMarket, LiveMarkets } from '../../clients/live-market-data';
import type { Grant } from '../../serving/auth/credentials';
import type { ReadyAnswer } from '../../serving/fast-path';
import { createResponseCache, type Marks } from '../response-cache';

/** Entries per operation, one for each distinct set of parameters. */
const ANSWERS_MAX = 128;

const NONE: Marks = [];

/** `ready` is null if the fast path must not send this answer. */
export interface Made {
  readonly ready: ReadyAnswer | null;
}

/** Caches one operation's answers; re-rendered after the market changes. */
export class MarketAnswers<Query extends object> {
  private readonly answers = createResponseCache<Query, Made>({ sizeMax: ANSWERS_MAX });
  /** Reused to avoid allocation. */
  private readonly marks: unknown[] = [];

  constructor(
    private readonly markets: Pick<LiveMarkets, 'now'>,
    private readonly make: (live: LiveMarket, query: Query, grant: Grant) => Made | null,
    /** Further inputs, always in the same order and number. */
    private readonly otherMarks: (symbol: string) => Marks = () => NONE,
  ) {}

  /** Returns null if the market is not followed or the answer cannot be rendered here. */
  of(symbol: string, query: Query, grant: Grant): ReadyAnswer | null {
    const live = this.markets.now(symbol);
    if (live === null) return null;
    const marks = this.marksOf(symbol, live);
    const known = this.answers.get(query, marks);
    if (known !== undefined) return known.ready;
    const made = this.make(live, query, grant);
    if (made === null) return null;
    this.answers.set(query, made, marks);
    return made.ready;
  }

  private marksOf(symbol: string, { market, venue, ledgerRevision }: LiveMarket): Marks {
    const { marks } = this;
    const others = this.otherMarks(symbol);
    marks[0] = market;
    marks[1] = venue;
    marks[2] = ledgerRevision;
    marks[3] = market.changes;
    marks[4] = market.clock.nowMs();
    for (let at = 0; at < others.length; at += 1) marks[5 + at] = others[at];
    return marks;
  }
}
