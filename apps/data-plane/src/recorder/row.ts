import type { LogEntry } from '@market-state/event-log';
import { channelOf, decodeEvent, type MarketEvent } from '@market-state/market-data';
import type { CopyTarget, CopyValue } from '@market-state/postgres';

/** An entry of the log with the event it carries. */
export interface RecordedEntry {
  readonly entry: LogEntry;
  readonly event: MarketEvent;
}

/** Where rows go. */
export const LOG_ENTRY: CopyTarget = {
  table: 'log_entry',
  columns: [
    'symbol',
    'ordinal',
    'epoch',
    'channel',
    'pass',
    'venue_id',
    'exchange_ts_ms',
    'received_ts_ms',
    'payload',
    'price',
    'size',
    'venue_size',
    'aggressor_side',
  ],
};

/** @throws {EventDecodeError} when the payload is no event */
export function toRecordedEntry(entry: LogEntry): RecordedEntry {
  return { entry, event: decodeEvent(entry.payload) };
}

/** The row of an entry, in the order of `LOG_ENTRY.columns`. */
export function toRow({ entry, event }: RecordedEntry): CopyValue[] {
  const trade = event.kind === 'trade' ? event : undefined;
  return [
    event.symbol,
    entry.ordinal,
    entry.epoch,
    channelOf(event),
    event.pass,
    event.venueId,
    event.exchangeTsMs,
    event.receivedTsMs,
    entry.payload,
    trade?.price ?? null,
    trade?.size ?? null,
    trade?.venueSize ?? null,
    trade?.aggressorSide ?? null,
  ];
}
