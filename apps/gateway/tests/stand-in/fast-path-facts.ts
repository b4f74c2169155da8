import { type account, marketData as contracts } from '@market-state/contracts';
import type { Lease, LeaseRegistry, LeaseHolder } from '@market-state/credit-leases';
import type { SymbolMarket } from '@market-state/live-market';

export const GAPS = {
  ...{ symbol: 'BTCUSD-PERP', venue: 'simulated', sourceKind: contracts.SourceKind.SIMULATED, nextPageToken: '', asOfMs: 0 },
  gaps: [{ gapId: 'gap_1', symbol: 'BTCUSD-PERP', channel: 'book', startMs: 5, endMs: 9, reason: 'sequence_gap', resolution: 'resynced' }],
};

const REJECTIONS: contracts.GetRejectionsResponse = { rejectedTotal: { malformed: 2 }, countedSinceMs: 1 };
const LATE = { since_log_began_total: 3, in_span_total: 1, span_seconds: 3_600 };

/** A candle up to the second newest trade. */
export function candlesOf({ symbol, tape }: SymbolMarket, intervalMs: number): contracts.ListCandlesResponse {
  const [newest, before] = tape.newest(2);
  const openTsMs = Math.floor((before?.exchangeTsMs ?? 0) / intervalMs) * intervalMs;
  const prices = { open: '100', high: '100', low: '100', close: '100', volume: '0.5', notional: '50' };
  const facts = { tradeTotal: 1, complete: false, gap: false, lastReceivedTsMs: before?.receivedTsMs ?? 0 };
  return {
    ...{ symbol, venue: 'simulated', sourceKind: contracts.SourceKind.SIMULATED, nextPageToken: '', asOfMs: 0 },
    candles: [{ openTsMs, closeTsMs: openTsMs + intervalMs, ...prices, ...facts }],
    standing: { epoch: 1, ordinal: (newest?.ordinal ?? 1) - 1, firstTradeMs: openTsMs, wholeFromMs: openTsMs },
  };
}

/** Quality metadata of a packet. */
export const QUALITY = {
  rejections: async () => REJECTIONS,
  lateEvents: async () => LATE,
  known: () => ({ rejections: REJECTIONS, lateEvents: LATE }),
};

/** Lease registry with unlimited credits that records charges. */
export function plenty(charged: account.Charge[]): LeaseRegistry {
  const lease = {
    perCallCeiling: null,
    settle: (_held: number, charge: account.Charge) => void charged.push(charge),
    cancel: () => undefined,
  } as unknown as Lease;
  const holder = { holdNow: () => lease, hold: async () => lease, remaining: () => 99 } as unknown as LeaseHolder;
  return {
    holderOf: () => holder,
    holderTotal: () => 1,
    posted: async () => undefined,
    unacknowledged: () => [],
    giveBack: () => undefined,
    close: async () => undefined,
  };
}
