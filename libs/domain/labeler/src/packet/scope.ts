import type { Policy } from '../policy/policy';
import type { PacketRead } from '../read';

export function utc(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

export interface PacketScope {
  readonly symbol: string;
  readonly venue: string;
  readonly market_type: 'perpetual_contract';
  readonly source_kind: string;
  readonly packet_time_policy: 'source_window_end';
  readonly window_start_utc: string;
  readonly window_end_utc: string;
  readonly window_seconds: number;
}

/** Quotes of the book in use, for orientation; null without a book. Prices are decimal strings. */
export interface ReferencePrices {
  readonly mid_price: number | null;
  readonly best_bid: string | null;
  readonly best_ask: string | null;
}

export interface PacketReplay {
  readonly cursor: string;
  readonly status: 'ready';
}

export function packetScope(read: PacketRead, policy: Policy): PacketScope {
  const { packet_interval_ms: windowMs } = policy.numbers.windows;
  return {
    symbol: read.symbol,
    venue: read.venue,
    market_type: 'perpetual_contract',
    source_kind: read.sourceKind,
    packet_time_policy: 'source_window_end',
    window_start_utc: utc(read.windowEndMs - windowMs),
    window_end_utc: utc(read.windowEndMs),
    window_seconds: windowMs / 1000,
  };
}
