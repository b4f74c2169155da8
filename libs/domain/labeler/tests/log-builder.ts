import type { BookLevel, Channel, ContextEvent, FeedStatus, MarketEvent } from '@market-state/market-data';

export type Level = readonly [price: number | string, size: number | string];

const CONNECTED: Extract<FeedStatus, { readonly type: 'connected' }> = {
  type: 'connected',
  channels: ['book', 'trade', 'context', 'liquidation'],
  bookStalenessMs: 5_000,
  tradeStalenessMs: 60_000,
  contextStalenessMs: 120_000,
  closingLagMs: 1_000,
  sourceKind: 'simulated',
};

/** Builds a symbol's log; ordinals count from 1. Venue ids are counted per channel unless given. */
export class LogBuilder {
  readonly events: MarketEvent[] = [];
  private clockMs: number;
  private ids = 0;
  pass = 0;

  /** @param startMs initial feed clock */
  constructor(
    startMs: number,
    readonly symbol = 'BTCUSD-PERP',
  ) {
    this.clockMs = startMs;
  }

  /** Independent copy that continues from here. */
  copy(): LogBuilder {
    const other = new LogBuilder(this.clockMs, this.symbol);
    other.events.push(...this.events);
    other.ids = this.ids;
    other.pass = this.pass;
    return other;
  }

  connected(fields: Partial<typeof CONNECTED> = {}): this {
    return this.status({ ...CONNECTED, ...fields });
  }

  status(status: FeedStatus): this {
    this.events.push({ kind: 'feed_status', ...this.envelope('', this.clockMs), exchangeTsIsReceiveTime: true, status });
    return this;
  }

  book(exchangeTsMs: number, bids: readonly Level[], asks: readonly Level[], venueId = this.nextId()): this {
    this.events.push({ kind: 'book', ...this.envelope(venueId, exchangeTsMs), bids: bids.map(levelOf), asks: asks.map(levelOf) });
    return this;
  }

  trade(exchangeTsMs: number, aggressorSide: 'buy' | 'sell', price: number | string, size: number | string, venueId = this.nextId()): this {
    this.events.push({ kind: 'trade', ...this.envelope(venueId, exchangeTsMs), price: String(price), size: String(size), aggressorSide });
    return this;
  }

  context(exchangeTsMs: number, fields: Pick<ContextEvent, 'fundingRate' | 'openInterest' | 'markPrice'>, venueId = this.nextId()): this {
    this.events.push({ kind: 'context', ...this.envelope(venueId, exchangeTsMs), ...fields });
    return this;
  }

  liquidation(
    exchangeTsMs: number,
    positionSide: 'long' | 'short',
    price: number | string,
    size: number | string,
    provenance: 'venue_reported' | 'proxy' = 'venue_reported',
  ): this {
    this.events.push({
      kind: 'liquidation',
      ...this.envelope(this.nextId(), exchangeTsMs),
      positionSide,
      price: String(price),
      size: String(size),
      provenance,
    });
    return this;
  }

  gap(gapId: string, channel: Channel | undefined, startMs: number, endMs: number): this {
    return this.status({ type: 'gap', gapId, channel, startMs, endMs, reason: 'sequence_gap' });
  }

  tick(feedClockMs: number): this {
    this.clockMs = feedClockMs;
    this.events.push({ kind: 'tick', ...this.envelope('', feedClockMs), feedClockMs });
    return this;
  }

  /** Ticks each second up to `feedClockMs`. */
  ticksTo(feedClockMs: number): this {
    for (let clockMs = this.clockMs + 1_000; clockMs < feedClockMs; clockMs += 1_000) this.tick(clockMs);
    return this.tick(feedClockMs);
  }

  private nextId(): string {
    return String(++this.ids);
  }

  private envelope(venueId: string, exchangeTsMs: number) {
    return {
      venue: 'test-venue',
      symbol: this.symbol,
      pass: this.pass,
      venueId,
      exchangeTsMs,
      exchangeTsIsReceiveTime: false,
      receivedTsMs: this.clockMs,
      ordinal: this.events.length + 1,
      epoch: 1,
    };
  }
}

function levelOf([price, size]: Level): BookLevel {
  return { price: String(price), size: String(size) };
}
