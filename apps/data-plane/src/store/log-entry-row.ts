import type { LogEntry } from '@market-state/event-log';
import { type BookEvent, type Channel, decodeEvent, type MarketEvent } from '@market-state/market-data';
import type { CopyTarget } from '@market-state/postgres';
import { type BookHead, readBookHead } from './book-head';
import { FLAG } from './row-flag';

/** What the recorder must know of an event: a book's levels stay bytes. */
export type RecordedEvent = Exclude<MarketEvent, BookEvent> | BookHead;

/** An entry of the log with its event. */
export interface RecordedEntry {
  readonly entry: LogEntry;
  readonly event: RecordedEvent;
}

/** A row of `log_entry`, by column. */
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

/** Where rows go; columns in the order in which they are written. */
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

/**
 * The event of a payload.
 * @throws {EventDecodeError} when it is none
 */
export function readEvent(payload: Uint8Array): RecordedEvent {
  const book = readBookHead(payload);
  if (book !== undefined) return book;
  const event = decodeEvent(payload);
  if (event.kind === 'book') throw new Error('a book was not known by its head');
  return event;
}

/** The channel of an event: ticks and feed status are `control`. */
export function channelOf(event: RecordedEvent): Channel {
  return event.kind === 'tick' || event.kind === 'feed_status' ? 'control' : event.kind;
}

/** The id of a row; null where the venue gave none, and on a repeat. */
export function storedVenueId({ venueId }: RecordedEvent, flags: number): string | null {
  return venueId === '' || (flags & FLAG.duplicate) !== 0 ? null : venueId;
}

/** The row of an entry that has these flags. */
export function toRow(entry: LogEntry, event: RecordedEvent, flags: number): LogEntryColumns {
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
