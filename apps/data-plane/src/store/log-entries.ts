import {
  archiveLogColumns,
  CHANNELS,
  decodeEventHead,
  EventDecodeError,
  channelOf,
  type EventHead,
  storedVenueId,
} from '@market-state/market-data';
import type { Pool } from 'pg';
import type { LogEntry } from '@market-state/event-log';
import type { CopyTarget } from '@market-state/postgres';
import { readSpan, type RowSource, type SpanDeps } from '../archive/read-span';
import { reading } from './store-failure';

/** Book levels stay encoded. */
export interface RecordedEntry {
  readonly entry: LogEntry;
  readonly event: EventHead;
}

type LogEntryColumns = ReturnType<typeof toRow>;

export const LOG_ENTRY = {
  table: 'log_entry',
  columns: [
    ...(['symbol', 'channel', 'flags', 'epoch', 'pass', 'ordinal', 'exchange_ts_ms', 'received_ts_ms', 'payload'] as const),
    ...(['venue_id', 'price', 'size', 'venue_size', 'aggressor_side'] as const),
  ],
} as const satisfies CopyTarget & { readonly columns: readonly (keyof LogEntryColumns)[] };

export function toRow(entry: LogEntry, event: EventHead, flags: number) {
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

export interface StoredEntry {
  readonly ordinal: number;
  readonly epoch: number;
  readonly payload: Buffer;
  /** A served column differs from the payload: the row was changed after it was written. */
  readonly contradictsItself: boolean;
}

/** Undefined if not stored. Rejects like `readEntries`. */
export async function readEpoch(deps: SpanDeps, symbol: string, ordinal: number): Promise<number | undefined> {
  const [entry] = await readEntries(deps, symbol, ordinal - 1, ordinal, 1);
  return entry?.epoch;
}

/**
 * Reads hot rows and archive as one.
 * @throws ServiceError FAILED_PRECONDITION `archive_corrupt` naming the hour; otherwise as `storeFailure`
 */
export function readEntries(
  deps: SpanDeps,
  symbol: string,
  afterOrdinal: number,
  toOrdinal: number,
  count: number,
): Promise<StoredEntry[]> {
  return readSpan(deps, { symbol, channels: CHANNELS, afterOrdinal, toOrdinal }, count, storedEntries(deps.pool, symbol));
}

const DECIMALS: readonly string[] = ['price', 'size', 'venue_size'];

/** Trims zeros like log entries, so that equal decimals compare equal. */
const SELECT_ENTRY = `SELECT ${LOG_ENTRY.columns.map((column) => (DECIMALS.includes(column) ? `trim_scale(${column}) AS ${column}` : column)).join(', ')} FROM log_entry`;

/** Integers can be text. */
type StoredColumns = Readonly<Partial<Record<keyof LogEntryColumns, unknown>>>;

const ARCHIVED = archiveLogColumns(['ordinal', 'epoch', 'pass', 'venue_id', 'exchange_ts_ms', 'received_ts_ms', 'flags', 'payload']);

function storedEntries(pool: Pool, symbol: string): RowSource<StoredEntry> {
  return {
    async hot({ channels, afterOrdinal, toOrdinal, limit }) {
      const { rows } = await reading(
        pool.query<StoredColumns & { readonly payload: Buffer }>(
          `${SELECT_ENTRY} WHERE symbol = $1 AND channel = ANY($2) AND ordinal > $3 AND ordinal <= $4 ORDER BY ordinal LIMIT $5`,
          [symbol, channels, afterOrdinal, toOrdinal, limit],
        ),
      );
      return rows.map((row) => toStoredEntry(row, row.payload));
    },
    async archived(archive, { channel, file }, { afterOrdinal, toOrdinal, limit }) {
      if (file === undefined) return [];
      const rows = await archive.read(file, {
        columns: ARCHIVED,
        filters: [{ column: 'ordinal', from: afterOrdinal + 1, to: toOrdinal + 1 }],
        limit,
      });
      return rows.map((cells) => {
        const row: StoredColumns = { symbol, channel, ...Object.fromEntries(ARCHIVED.map(({ name }, index) => [name, cells[index]])) };
        return toStoredEntry(row, row.payload as Buffer);
      });
    },
  };
}

function toStoredEntry(row: StoredColumns, payload: Buffer): StoredEntry {
  return { ordinal: Number(row.ordinal), epoch: Number(row.epoch), payload, contradictsItself: contradictsItself(row, payload) };
}

function contradictsItself(row: StoredColumns, payload: Buffer): boolean {
  try {
    const event = decodeEventHead(payload);
    const written = toRow({ ordinal: event.ordinal, epoch: event.epoch, payload }, event, Number(row.flags));
    return LOG_ENTRY.columns.some(
      (column) => column !== 'payload' && row[column] !== undefined && String(row[column]) !== String(written[column]),
    );
  } catch (error) {
    if (error instanceof EventDecodeError) return true;
    throw error;
  }
}
