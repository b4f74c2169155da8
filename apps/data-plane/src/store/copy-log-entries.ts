import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogEntry } from '@market-state/event-log';
import { channelOf, decodeEventHead, type EventHead, storedVenueId, type TradeEvent } from '@market-state/market-data';
import { CopyBinary } from '@market-state/postgres';
import type { PoolClient } from 'pg';
import { LOG_ENTRY, type RecordedEntry } from './log-entries';

/** Only entries with a venue id can be duplicates. */
const STORED = `
  SELECT asked.place::int AS place FROM unnest($2::text[], $3::int[], $4::text[], $5::bigint[])
    WITH ORDINALITY AS asked(channel, pass, venue_id, exchange_ts_ms, place)
  WHERE EXISTS (
    SELECT FROM log_entry AS row
    WHERE row.symbol = $1 AND row.channel = asked.channel AND row.pass = asked.pass AND row.venue_id = asked.venue_id
      AND row.exchange_ts_ms = asked.exchange_ts_ms
  )`;

/** Ordinals of duplicates of a stored row or an earlier entry: same channel, pass, venue id and exchange time. */
export async function findRepeats(client: PoolClient, symbol: string, entries: readonly RecordedEntry[]): Promise<Set<number>> {
  const named = entries.filter(({ event }) => event.venueId !== '');
  const { rows } = await client.query<{ place: number }>(STORED, [
    symbol,
    named.map(({ event }) => channelOf(event)),
    named.map(({ event }) => event.pass),
    named.map(({ event }) => event.venueId),
    named.map(({ event }) => event.exchangeTsMs),
  ]);
  const repeats = new Set(rows.flatMap(({ place }) => named[place - 1]?.entry.ordinal ?? []));
  const seen = new Set<string>();
  for (const { entry, event } of named) {
    const identity = JSON.stringify([channelOf(event), event.pass, event.venueId, event.exchangeTsMs]);
    if (seen.has(identity)) repeats.add(entry.ordinal);
    seen.add(identity);
  }
  return repeats;
}

/** The rows' flags are still to be set. */
export interface Batch {
  readonly entries: readonly RecordedEntry[];
  readonly rows: EncodedRows;
}

interface EncodedRows {
  readonly bytes: Buffer;
  readonly starts: readonly number[];
}

const ROWS_A_TURN = 64;

/**
 * Yields to the event loop.
 * @param copy output buffer; overwritten
 * @throws {EventDecodeError} if a payload is not an event
 */
export async function toBatch(entries: readonly LogEntry[], copy: CopyBinary): Promise<Batch> {
  const recorded: RecordedEntry[] = [];
  const starts: number[] = [];
  copy.reset();
  for (const entry of entries) {
    if (recorded.length % ROWS_A_TURN === ROWS_A_TURN - 1) await nextTurn();
    const event = decodeEventHead(entry.payload);
    recorded.push({ entry, event });
    starts.push(copy.length);
    writeRow(copy, entry, event, 0);
  }
  return { entries: recorded, rows: { bytes: copy.written(), starts } };
}

export function encodeRows(entries: readonly RecordedEntry[], flags: Uint8Array): Buffer {
  const copy = new CopyBinary();
  for (const [index, { entry, event }] of entries.entries()) writeRow(copy, entry, event, flags[index] ?? 0);
  return copy.written();
}

/**
 * Sets flags from row `first` on. Valid only if no other column depends on them: a duplicate's row has no venue
 * id.
 */
export function writeFlags({ bytes, starts }: EncodedRows, first: number, flags: Uint8Array): void {
  for (const [index, value] of flags.entries()) {
    // Symbol and channel precede the flags; each field has a four-byte length.
    let at = (starts[first + index] ?? 0) + 2;
    for (let field = 0; field < 2; field += 1) at += 4 + bytes.readInt32BE(at);
    bytes.writeInt16BE(value, at + 4);
  }
}

function writeRow(copy: CopyBinary, entry: LogEntry, event: EventHead, flags: number): void {
  copy.row(LOG_ENTRY.columns.length);
  copy.text(event.symbol);
  copy.text(channelOf(event));
  copy.int2(flags);
  copy.int4(entry.epoch);
  copy.int4(event.pass);
  copy.int8(entry.ordinal);
  copy.int8(event.exchangeTsMs);
  copy.int8(event.receivedTsMs);
  copy.bytes(entry.payload);
  const venueId = storedVenueId(event, flags);
  if (venueId === null) copy.null();
  else copy.text(venueId);
  if (event.kind === 'trade') writeTrade(copy, event);
  else copy.raw(NO_TRADE);
}

/** Null price, size, venue size and side. */
const NO_TRADE = Buffer.alloc(16, 0xff);

function writeTrade(copy: CopyBinary, { price, size, venueSize, aggressorSide }: TradeEvent): void {
  copy.numeric(price);
  copy.numeric(size);
  if (venueSize === undefined) copy.null();
  else copy.numeric(venueSize);
  copy.text(aggressorSide);
}
