import type { LiveMarket, LiveMarkets } from '../../clients/live-markets';
import type { Grant } from '../../serving/auth/grant';
import type { ReadyAnswer } from '../../serving/fast-read';
import { createResponseCache, type Marks } from '../response-cache';

/** Answers cached of one operation: those of so many sets of parameters. */
const ANSWERS_MAX = 128;

const NONE: Marks = [];

/** What was made of a market; `ready` is null where it is not to be sent by the fast lane. */
export interface Made {
  readonly ready: ReadyAnswer | null;
}

/** Answers of one operation by their parameters: made when they are first read after a change of their market. */
export class MarketAnswers<Query extends object> {
  private readonly answers = createResponseCache<Query, Made>({ sizeMax: ANSWERS_MAX });
  /** The same array at each read, so that none is allocated. */
  private readonly marks: unknown[] = [];

  constructor(
    private readonly markets: Pick<LiveMarkets, 'now'>,
    /** Null where something of the answer is not here. */
    private readonly make: (live: LiveMarket, query: Query, grant: Grant) => Made | null,
    /** What else an answer is made of, as many objects each time; it is valid as long as they are the same. */
    private readonly otherMarks: (symbol: string) => Marks = () => NONE,
  ) {}

  /** Null where the market is not followed or the answer is not to be made here. Answers are the same for all keys but a sandbox's. */
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

  private marksOf(symbol: string, { market, venue, ledgerMark }: LiveMarket): Marks {
    const { marks } = this;
    const others = this.otherMarks(symbol);
    marks[0] = market;
    marks[1] = venue;
    marks[2] = ledgerMark;
    marks[3] = market.changes;
    marks[4] = market.clock.nowMs();
    for (let at = 0; at < others.length; at += 1) marks[5 + at] = others[at];
    return marks;
  }
}
