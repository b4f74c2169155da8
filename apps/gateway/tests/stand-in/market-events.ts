import { type Channel, type MarketEvent } from '@market-state/market-data';

/** Start of the events. */
const MARKET_START_MS = Date.UTC(2026, 0, 5, 12);

type BodyOf<Kind extends MarketEvent['kind']> = Omit<Extract<MarketEvent, { kind: Kind }>, 'kind' | keyof ReturnType<typeof envelope>>;

function envelope(symbol: string, ordinal: number, exchangeTsMs: number, venueId: string) {
  return {
    ...{ venue: 'simulated', symbol, pass: 0, venueId, exchangeTsMs, exchangeTsIsReceiveTime: false },
    ...{ receivedTsMs: exchangeTsMs + 5, ordinal, epoch: 1 },
  };
}

/** Events of one symbol as a feed writes them, a second apart. */
export class MarketEvents {
  private ordinal = 0;

  constructor(private readonly symbol: string) {}

  connected(channels: readonly Channel[]): MarketEvent {
    const limits = { bookStalenessMs: 5_000, tradeStalenessMs: 60_000, contextStalenessMs: 120_000, closingLagMs: 1_000 };
    const status = { type: 'connected', channels, ...limits, sourceKind: 'simulated' } as const;
    return { kind: 'feed_status', ...this.next(''), status };
  }

  /** Best first, a tick apart. */
  book(mid: number, levels = 25): MarketEvent {
    const side = (step: number) =>
      Array.from({ length: levels }, (_none, level) => ({ price: String(mid + step * (level + 1)), size: String(level + 1) }));
    return { kind: 'book', ...this.next(`b${this.ordinal}`), bids: side(-1), asks: side(1) };
  }

  trade(price: number): MarketEvent {
    return { kind: 'trade', ...this.next(`t${this.ordinal}`), price: String(price), size: '0.5', aggressorSide: 'buy' };
  }

  context(values: BodyOf<'context'>): MarketEvent {
    return { kind: 'context', ...this.next(''), ...values };
  }

  liquidation(price: number): MarketEvent {
    const body = { price: String(price), size: '2', positionSide: 'short', provenance: 'venue_reported' } as const;
    return { kind: 'liquidation', ...this.next(`l${this.ordinal}`), ...body };
  }

  gap(gapId: string): MarketEvent {
    const at = this.next('');
    const status = {
      type: 'gap',
      gapId,
      channel: 'trade',
      startMs: at.exchangeTsMs - 10,
      endMs: at.exchangeTsMs,
      reason: 'disconnected',
    } as const;
    return { kind: 'feed_status', ...at, status };
  }

  private next(venueId: string) {
    this.ordinal += 1;
    return envelope(this.symbol, this.ordinal, MARKET_START_MS + 1_000 * this.ordinal, venueId);
  }
}
