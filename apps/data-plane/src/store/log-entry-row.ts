import type { LogEntry } from '@market-state/event-log';
import { type Channel, channelOf, type EventHead, storedVenueId } from '@market-state/market-data';
import type { CopyTarget } from '@market-state/postgres';

/** Book levels stay encoded. */
export interface RecordedEntry {
  readonly entry: LogEntry;
  readonly event: EventHead;
}

export interface LogEntryColumns {
  readonly symbol: string;
  readonly channel: Channel;
  readonly flags: number;
  readonly epoch: number;
  readonly pass: number;
  readonly ordinal: number;
  readonly exchange_ts_ms: number;
  readonly received_ts_ms: number;
  readonly payload: Uint8Array;
  readonly venue_id: string | null;
  readonly price: string | null;
  readonly size: string | null;
  readonly venue_size: string | null;
  readonly aggressor_side: string | null;
}

export const LOG_ENTRY = {
  table: 'log_entry',
  columns: [
    'symbol',
    'channel',
    'flags',
    'epoch',
    'pass',
    'ordinal',
    'exchange_ts_ms',
    'received_ts_ms',
    'payload',
    'venue_id',
    'price',
    'size',
    'venue_size',
    'aggressor_side',
  ],
} as const satisfies CopyTarget & { readonly columns: readonly (keyof LogEntryColumns)[] };

export function toRow(entry: LogEntry, event: EventHead, flags: number): LogEntryColumns {
  const trade = event.kind === 'trade' ? event : undefined;
  return {
    symbol: event.symbol,
    channel: channelOf(event),
    flags,
    epoch: entry.epoch,
    pass: event.pass,
    ordinal: entry.ordinal,
    exchange_ts_ms: event.exchangeTsMs,
    received_ts_ms: event.receivedTsMs,
    payload: entry.payload,
    venue_id: storedVenueId(event, flags),
    price: trade?.price ?? null,
    size: trade?.size ?? null,
    venue_size: trade?.venueSize ?? null,
    aggressor_side: trade?.aggressorSide ?? null,
  };
}
