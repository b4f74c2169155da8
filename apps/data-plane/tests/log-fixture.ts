import type { LogEntry } from '@market-state/event-log';
import { type Channel, encodeEvent, type FeedStatus, type MarketEvent } from '@market-state/market-data';

export const SYMBOL = 'BTCUSD-PERP';
/** 2026-01-05T23:59:00Z: a minute before a UTC day ends. */
export const START_MS = Date.UTC(2026, 0, 5, 23, 59);

type Body<K extends MarketEvent['kind']> = Omit<Extract<MarketEvent, { kind: K }>, 'kind' | keyof Envelope>;
interface Envelope {
  venue: string;
  symbol: string;
  pass: number;
  venueId: string;
  exchangeTsMs: number;
  exchangeTsIsReceiveTime: boolean;
  receivedTsMs: number;
  ordinal: number;
  epoch: number;
}

/** Writes events like a feed, with consecutive ordinals. Late events are received after what precedes them. */
export class LogFixture {
  private ordinal = 0;
  private receivedMs = 0;
  readonly entries: LogEntry[] = [];
  readonly events: MarketEvent[] = [];

  constructor(
    private readonly symbol: string = SYMBOL,
    private epoch = 1,
  ) {}

  trade(exchangeTsMs: number, venueId: string, price: string, size: string, pass = 1, aggressorSide: 'buy' | 'sell' = 'buy'): this {
    const body: Body<'trade'> = { price, size, venueSize: '3', aggressorSide };
    return this.push({ kind: 'trade', ...this.envelope(exchangeTsMs, venueId, pass), ...body });
  }

  book(exchangeTsMs: number, venueId: string, bid: string, ask: string): this {
    const body: Body<'book'> = { bids: [{ price: bid, size: '1', venueSize: '2' }], asks: [{ price: ask, size: '4', venueSize: '5' }] };
    return this.push({ kind: 'book', ...this.envelope(exchangeTsMs, venueId, 1), ...body });
  }

  context(exchangeTsMs: number, values: Body<'context'>): this {
    return this.push({ kind: 'context', ...this.envelope(exchangeTsMs, '', 1), ...values });
  }

  liquidation(exchangeTsMs: number, venueId: string, body: Body<'liquidation'>): this {
    return this.push({ kind: 'liquidation', ...this.envelope(exchangeTsMs, venueId, 1), ...body });
  }

  tick(feedClockMs: number): this {
    return this.push({ kind: 'tick', ...this.envelope(feedClockMs, '', 1), feedClockMs });
  }

  status(exchangeTsMs: number, status: FeedStatus): this {
    return this.push({ kind: 'feed_status', ...this.envelope(exchangeTsMs, '', 1), status });
  }

  connected(exchangeTsMs: number, channels: readonly Channel[] = ['book', 'trade']): this {
    return this.status(exchangeTsMs, {
      type: 'connected',
      channels,
      bookStalenessMs: 5_000,
      tradeStalenessMs: 60_000,
      contextStalenessMs: 120_000,
      closingLagMs: 1_000,
      sourceKind: 'recorded',
    });
  }

  /** Skips ordinals and raises the epoch, as after a lost log. */
  loseLog(skippedOrdinals: number): this {
    this.ordinal += skippedOrdinals;
    this.epoch += 1;
    return this;
  }

  /** Continues after another fixture's ordinal. */
  startAfter(ordinal: number): this {
    this.ordinal = ordinal;
    return this;
  }

  /** Entries since the last call. */
  take(): LogEntry[] {
    return this.entries.splice(0);
  }

  private push(event: MarketEvent): this {
    this.events.push(event);
    this.entries.push({ epoch: event.epoch, ordinal: event.ordinal, payload: encodeEvent(event) });
    return this;
  }

  private envelope(exchangeTsMs: number, venueId: string, pass: number): Envelope {
    this.ordinal += 1;
    this.receivedMs = Math.max(this.receivedMs, exchangeTsMs + 5);
    return {
      venue: 'binance-coinm',
      symbol: this.symbol,
      pass,
      venueId,
      exchangeTsMs,
      exchangeTsIsReceiveTime: false,
      receivedTsMs: this.receivedMs,
      ordinal: this.ordinal,
      epoch: this.epoch,
    };
  }
}

/** `total` entries: a book, a trade and a tick every 250 ms; crosses midnight beyond 720. */
export function quietMarket(total: number, symbol = SYMBOL): LogFixture {
  const fixture = new LogFixture(symbol).connected(START_MS);
  for (let index = 1; index < total; index += 1) {
    const step = Math.ceil(index / 3);
    const atMs = START_MS + step * 250;
    if (index % 3 === 1) fixture.book(atMs - 10, String(1_000 + step), '100.5', '100.6');
    if (index % 3 === 2) fixture.trade(atMs - 5, String(step), `${100 + (step % 7)}.25`, '0.125');
    if (index % 3 === 0) fixture.tick(atMs);
  }
  return fixture;
}
