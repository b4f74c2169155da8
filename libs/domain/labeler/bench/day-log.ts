import { encodeEvent, type BookLevel, type MarketEvent } from '@market-state/market-data';

/** Encoded log entries of one symbol. */
type EncodedEntries = readonly Uint8Array[];

const START_MS = 1_700_006_400_000;
const BOOK_MS = 250;
const TRADE_MS = 200;
const CONTEXT_MS = 5_000;
const LIQUIDATION_MS = 90_000;
const LEVELS = 25;
const TICKS_PER_DOLLAR = 10;
const SYMBOL = 'BTCUSD-PERP';

/**
 * Deterministic day of one symbol in batches of a minute: 4 books of 25 levels per side and 5 trades a second, context
 * every 5 s, a liquidation every 90 s, a tick every 250 ms. Mid, sizes and the buyers' share drift, so that scores,
 * states and tags change as on a venue.
 */
export function* dayLog(hours = 24): Generator<EncodedEntries> {
  const market = new Market();
  const connected: MarketEvent = {
    kind: 'feed_status',
    ...market.envelope(START_MS, ''),
    status: {
      type: 'connected',
      channels: ['book', 'trade', 'context', 'liquidation'],
      bookStalenessMs: 5_000,
      tradeStalenessMs: 60_000,
      contextStalenessMs: 120_000,
      closingLagMs: 1_000,
      sourceKind: 'simulated',
    },
  };
  yield [encodeEvent(connected)];
  for (let minute = 0; minute < hours * 60; minute++) {
    const entries: Uint8Array[] = [];
    for (let stepMs = 50; stepMs <= 60_000; stepMs += 50) {
      for (const event of market.at(START_MS + minute * 60_000 + stepMs)) entries.push(encodeEvent(event));
    }
    yield entries;
  }
}

/** Market driven by a seeded random walk (xorshift32). */
class Market {
  private seed = 2_463_534_242;
  private ordinal = 0;
  private midTicks = 600_000;
  private lean = 0;
  private buyers = 0;

  *at(nowMs: number): Generator<MarketEvent> {
    if (nowMs % BOOK_MS === 0) yield this.book(nowMs - 20);
    if (nowMs % TRADE_MS === 0) yield this.trade(nowMs - 10);
    if (nowMs % CONTEXT_MS === 0) yield this.context(nowMs - 5);
    if (nowMs % LIQUIDATION_MS === 0) yield this.liquidation(nowMs - 5);
    if (nowMs % BOOK_MS === 0) yield { kind: 'tick', ...this.envelope(nowMs, ''), feedClockMs: nowMs };
  }

  envelope(exchangeTsMs: number, venueId: string) {
    this.ordinal++;
    const { ordinal } = this;
    return {
      venue: 'simulated',
      symbol: SYMBOL,
      pass: 0,
      venueId,
      exchangeTsMs,
      exchangeTsIsReceiveTime: false,
      receivedTsMs: exchangeTsMs,
      ordinal,
      epoch: 1,
    };
  }

  private book(tsMs: number): MarketEvent {
    this.midTicks += Math.round((this.random() - 0.5) * 6);
    this.lean = 0.995 * this.lean + 0.05 * (this.random() - 0.5);
    const half = this.random() < 0.05 ? 3 : 1;
    return {
      kind: 'book',
      ...this.envelope(tsMs, String(tsMs)),
      bids: this.side(-half, 1 + this.lean),
      asks: this.side(half, 1 - this.lean),
    };
  }

  private side(offset: number, weight: number): readonly BookLevel[] {
    const sign = Math.sign(offset);
    return Array.from({ length: LEVELS }, (_, level) => ({
      price: this.price(this.midTicks + offset + sign * level),
      size: this.size((0.2 + this.random()) * Math.max(0.1, weight) * (1 + level / 4)),
    }));
  }

  private trade(tsMs: number): MarketEvent {
    this.buyers = 0.99 * this.buyers + 0.1 * (this.random() - 0.5);
    const buy = this.random() < 0.5 + this.buyers;
    const price = this.price(this.midTicks + (buy ? 1 : -1));
    const size = this.size(this.random() < 0.03 ? 5 : 0.3 * this.random() + 0.001);
    return { kind: 'trade', ...this.envelope(tsMs, String(tsMs)), price, size, aggressorSide: buy ? 'buy' : 'sell' };
  }

  private context(tsMs: number): MarketEvent {
    const fundingRate = (0.00001 * this.random()).toFixed(9);
    return {
      kind: 'context',
      ...this.envelope(tsMs, String(tsMs)),
      fundingRate,
      openInterest: this.size(40_000 + 2_000 * this.random()),
      markPrice: this.price(this.midTicks),
    };
  }

  private liquidation(tsMs: number): MarketEvent {
    const positionSide = this.random() < 0.5 ? 'long' : 'short';
    return {
      kind: 'liquidation',
      ...this.envelope(tsMs, String(tsMs)),
      positionSide,
      price: this.price(this.midTicks),
      size: this.size(this.random()),
      provenance: 'venue_reported',
    };
  }

  private price(ticks: number): string {
    return String(ticks / TICKS_PER_DOLLAR);
  }

  private size(value: number): string {
    return String(Math.max(1, Math.round(value * 1_000)) / 1_000);
  }

  private random(): number {
    this.seed ^= this.seed << 13;
    this.seed ^= this.seed >>> 17;
    this.seed ^= this.seed << 5;
    return (this.seed >>> 0) / 4_294_967_296;
  }
}
