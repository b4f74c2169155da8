import type {
  BookEvent,
  BookLevel,
  FeedStatus,
  LiquidationEvent,
  MarketEvent,
  PlayedInstrument,
  TradeEvent,
} from '@market-state/market-data';
import type { BookMessage, LiquidationMessage, TradeMessage } from '@market-state/scenarios';
import type { TapeStep } from '@market-state/simulated-venue';

const LEVELS = 20;
const FAILURES_MAX = 10;

interface Span {
  readonly channel: string | undefined;
  readonly startMs: number;
  endMs: number;
}

interface Facts {
  readonly price: string;
  readonly size: string;
  readonly side: string;
}

/** Compares an event log with the market that the simulated venue played. */
export class StreamCheck {
  bookTotal = 0;
  tradeTotal = 0;
  liquidationTotal = 0;
  contextTotal = 0;
  readonly failures: string[] = [];
  private readonly books = new Map<number, BookMessage>();
  private readonly trades = new Map<string, Facts>();
  private readonly liquidations = new Map<string, Facts>();
  private readonly unequal: BookEvent[] = [];
  private readonly seen = new Set<string>();
  private readonly gaps = new Map<string, Span>();
  private lastOrdinal = 0;
  private lastBook: BookEvent | undefined;
  private newestBookMs = 0;

  constructor(
    private readonly instrument: PlayedInstrument,
    /** From this time on, each trade must be in the log or in a gap. */
    private readonly fromMs: number,
    /** False if the venue does not number its trades, so that a single missing one goes unnoticed. */
    private readonly numbersTrades: boolean,
  ) {}

  played({ trades, liquidations }: TapeStep, book: BookMessage | undefined): void {
    if (book !== undefined) {
      this.books.set(book.tsMs, book);
      this.newestBookMs = book.tsMs;
    }
    for (const trade of trades) this.trades.set(keyOf(trade), factsOf(trade, trade.aggressorSide));
    for (const forced of liquidations) this.liquidations.set(keyOf(forced), factsOf(forced, forced.positionSide));
  }

  take(event: MarketEvent): void {
    if (event.ordinal !== ++this.lastOrdinal) this.fail(`ordinal ${event.ordinal} follows ${this.lastOrdinal - 1}`);
    switch (event.kind) {
      case 'book':
        return this.takeBook(event);
      case 'trade':
        return this.takeTrade(event);
      case 'liquidation':
        return this.takeLiquidation(event);
      case 'context':
        this.contextTotal++;
        return;
      case 'feed_status':
        return this.takeStatus(event.status);
      case 'tick':
    }
  }

  /** Number of books that differ from the venue's; a gap must cover each. */
  get unequalTotal(): number {
    return this.unequal.length;
  }

  get gapTotal(): number {
    return this.gaps.size;
  }

  /** Adds the failures that only show once the log is complete. */
  finish(): void {
    for (const book of this.unequal)
      if (!this.holds('book', book.exchangeTsMs))
        this.fail(`the book at ${book.exchangeTsMs} differs from the venue's and no gap covers it`);
    for (const [key, { price }] of this.trades) {
      const atMs = Number(key.split(' ')[0]);
      if (atMs >= this.fromMs && !this.seen.has(key) && this.numbersTrades && !this.holds('trade', atMs))
        this.fail(`the trade at ${price}, ${key}, is neither in the log nor in a gap`);
    }
    for (const [gapId, { endMs }] of this.gaps) if (endMs === 0) this.fail(`${gapId} is open at the end`);
    const last = this.lastBook;
    if (last === undefined || last.exchangeTsMs < this.newestBookMs - 1_000)
      this.fail(`the last book is at ${last?.exchangeTsMs}, the venue's at ${this.newestBookMs}`);
    if (last !== undefined && this.unequal.includes(last)) this.fail('the last book differs from the venue’s');
  }

  private takeBook(book: BookEvent): void {
    this.bookTotal++;
    this.lastBook = book;
    const [bid, ask] = [book.bids[0], book.asks[0]];
    if (bid === undefined || ask === undefined || Number(bid.price) > Number(ask.price))
      this.fail(`the book at ${book.exchangeTsMs} is crossed or has an empty side`);
    const truth = this.books.get(book.exchangeTsMs);
    if (truth === undefined || !this.isSame(book.bids, truth.bids) || !this.isSame(book.asks, truth.asks)) this.unequal.push(book);
  }

  private isSame(ours: readonly BookLevel[], theirs: BookMessage['bids']): boolean {
    return theirs.slice(0, LEVELS).every(({ price, size }, index) => {
      const level = ours[index];
      return level?.price === price && this.isSize(level, price, size);
    });
  }

  /** Inverse contracts are whole dollars. */
  private isSize(sent: { readonly size: string; readonly venueSize?: string }, price: string, size: string): boolean {
    return this.instrument.contractValue === undefined
      ? sent.size === size
      : sent.venueSize === String(Math.round(Number(price) * Number(size)));
  }

  private takeTrade(trade: TradeEvent): void {
    this.tradeTotal++;
    this.takeEntry('trade', this.trades, trade, trade.aggressorSide);
  }

  private takeLiquidation(forced: LiquidationEvent): void {
    this.liquidationTotal++;
    this.takeEntry('liquidation', this.liquidations, forced, forced.positionSide);
  }

  /** A forced close may be a trade of its own, as at Kraken. */
  private takeEntry(kind: string, all: ReadonlyMap<string, Facts>, event: TradeEvent | LiquidationEvent, side: string): void {
    const { exchangeTsMs, price, size, venueId } = event;
    if (kind === 'trade' && venueId.startsWith('forced-')) return;
    const truth = [...all].find(
      ([key, facts]) =>
        key.startsWith(`${exchangeTsMs} `) &&
        facts.side === side &&
        facts.price === price &&
        this.isSize(event, price, facts.size) &&
        !this.seen.has(key),
    );
    if (truth === undefined)
      this.fail(`the ${kind} ${venueId} of ${size} at ${price}, ${exchangeTsMs}, never happened or is in the log twice`);
    else this.seen.add(truth[0]);
  }

  private takeStatus(status: FeedStatus): void {
    if (status.type !== 'gap' && status.type !== 'resynced') return;
    const { gapId, channel, startMs, endMs } = status;
    const known = this.gaps.get(gapId);
    if (known === undefined) this.gaps.set(gapId, { channel, startMs, endMs });
    else if (status.type === 'gap' && status.reason === 'arrived_late') this.gaps.delete(gapId);
    else known.endMs = endMs;
  }

  private holds(channel: string, atMs: number): boolean {
    return [...this.gaps.values()].some(
      (gap) => (gap.channel === undefined || gap.channel === channel) && gap.startMs <= atMs && (gap.endMs === 0 || atMs <= gap.endMs),
    );
  }

  private fail(sentence: string): void {
    if (this.failures.length < FAILURES_MAX) this.failures.push(sentence);
  }
}

function keyOf({ tsMs, id, kind }: TradeMessage | LiquidationMessage): string {
  return `${tsMs} ${kind} ${id}`;
}

function factsOf({ price, size }: TradeMessage | LiquidationMessage, side: string): Facts {
  return { price, size, side };
}
