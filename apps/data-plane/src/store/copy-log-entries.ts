import { setImmediate as nextTurn } from 'node:timers/promises';
import type { LogEntry } from '@market-state/event-log';
import { CopyBinary } from '@market-state/postgres';
import { LOG_ENTRY, type LogEntryColumns, readEvent, type RecordedEntry, toRow } from './log-entry-row';

/** Entries that are written together, in log order, with their rows as COPY takes them; flags are yet to be written in. */
export interface Batch {
  readonly entries: readonly RecordedEntry[];
  readonly rows: EncodedRows;
}

/** Rows in COPY's binary format. */
export interface EncodedRows {
  readonly bytes: Buffer;
  /** Where each row begins in `bytes`. */
  readonly starts: readonly number[];
}

/** Room for the rows of a usual batch. */
const USUAL_BYTES = 1_024 * 1_024;

/** Rows made before other work of the process gets its turn. */
const ROWS_A_TURN = 64;

/**
 * Makes rows of entries, a few at a time: what the process waits for meanwhile (the batch before, other symbols) goes on.
 * @throws {EventDecodeError} when a payload is no event
 */
export async function toBatch(entries: readonly LogEntry[]): Promise<Batch> {
  const copy = new CopyBinary(entries.length < ROWS_A_TURN ? undefined : USUAL_BYTES);
  const recorded: RecordedEntry[] = [];
  const starts: number[] = [];
  for (const entry of entries) {
    if (recorded.length % ROWS_A_TURN === ROWS_A_TURN - 1) await nextTurn();
    const event = readEvent(entry.payload);
    recorded.push({ entry, event });
    starts.push(copy.length);
    writeRow(copy, toRow(entry, event, 0));
  }
  return { entries: recorded, rows: { bytes: copy.take(), starts } };
}

/** Rows of entries whose flags are known. */
export function encodeRows(entries: readonly RecordedEntry[], flags: Uint8Array): EncodedRows {
  const copy = new CopyBinary();
  const starts = entries.map(({ entry, event }, index) => {
    const start = copy.length;
    writeRow(copy, toRow(entry, event, flags[index] ?? 0));
    return start;
  });
  return { bytes: copy.take(), starts };
}

/** Writes flags into rows, from the row `first` on. Nothing else of a row may hang on them: a duplicate's row has no venue id. */
export function writeFlags({ bytes, starts }: EncodedRows, first: number, flags: Uint8Array): void {
  for (const [index, value] of flags.entries()) {
    // Symbol and channel, which stand before, have a length of four bytes each; so have the flags.
    let at = (starts[first + index] ?? 0) + 2;
    for (let field = 0; field < 2; field += 1) at += 4 + bytes.readInt32BE(at);
    bytes.writeInt16BE(value, at + 4);
  }
}

/** In the order of `LOG_ENTRY.columns`. */
function writeRow(copy: CopyBinary, row: LogEntryColumns): void {
  copy.row(LOG_ENTRY.columns.length);
  copy.text(row.symbol);
  copy.text(row.channel);
  copy.int2(row.flags);
  copy.int4(row.epoch);
  copy.int4(row.pass);
  copy.int8(row.ordinal);
  copy.int8(row.exchange_ts_ms);
  copy.int8(row.received_ts_ms);
  copy.bytes(row.payload);
  textOrNull(copy, row.venue_id);
  numericOrNull(copy, row.price);
  numericOrNull(copy, row.size);
  numericOrNull(copy, row.venue_size);
  textOrNull(copy, row.aggressor_side);
}

function textOrNull(copy: CopyBinary, value: string | null): void {
  if (value === null) copy.null();
  else copy.text(value);
}

function numericOrNull(copy: CopyBinary, value: string | null): void {
  if (value === null) copy.null();
  else copy.numeric(value);
}
