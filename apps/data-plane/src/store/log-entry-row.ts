import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogEntry } from '@market-state/event-log';
import { type BookEvent, type Channel, decodeEvent, type MarketEvent } from '@market-state/market-data';
import { CopyText, type CopyTarget, type CopyValue } from '@market-state/postgres';
import { type BookHead, readBookHead } from './book-head';

/** What the recorder must know of an event: a book's levels stay bytes. */
export type RecordedEvent = Exclude<MarketEvent, BookEvent> | BookHead;

/** An entry of the log with its event. */
export interface RecordedEntry {
  readonly entry: LogEntry;
  readonly event: RecordedEvent;
  /** Where its row begins in the batch's text. */
  readonly rowStart: number;
}

/** Entries that are written together, in log order, with their rows as COPY takes them. */
export interface Batch {
  readonly entries: readonly RecordedEntry[];
  readonly text: Buffer;
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

/** Room for the rows of a usual batch. */
const TEXT_BYTES = 2 * 1_024 * 1_024;

/** Rows made before other work of the process gets its turn. */
const ROWS_A_TURN = 64;

/**
 * Makes rows of entries, a few at a time: what the process waits for meanwhile (the batch before, other symbols) goes on.
 * @throws {EventDecodeError} when a payload is no event
 */
export async function toBatch(entries: readonly LogEntry[]): Promise<Batch> {
  const text = new CopyText(entries.length < ROWS_A_TURN ? undefined : TEXT_BYTES);
  const recorded: RecordedEntry[] = [];
  for (const entry of entries) {
    if (recorded.length % ROWS_A_TURN === ROWS_A_TURN - 1) await nextTurn();
    const event = readEvent(entry.payload);
    recorded.push({ entry, event, rowStart: text.length });
    text.row(toRow(entry, event));
  }
  return { entries: recorded, text: text.take() };
}

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

function channelOf(event: RecordedEvent): Channel {
  return event.kind === 'tick' || event.kind === 'feed_status' ? 'control' : event.kind;
}

/** The row of an entry, in the order of `LOG_ENTRY.columns`. */
export function toRow(entry: LogEntry, event: RecordedEvent): CopyValue[] {
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
