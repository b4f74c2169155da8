import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { BINARY_END, BINARY_HEADER } from './copy-binary';

export type CopyValue = string | number | bigint | boolean | Uint8Array | null;

const TAB = 0x09;
const LINE_END = 0x0a;
const BACKSLASH = 0x5c;
const SMALL_N = 0x6e;
const UPPER_N = 0x4e;
const SMALL_X = 0x78;

const ESCAPE_LETTERS = new Map([
  [0x08, 0x62],
  [TAB, 0x74],
  [LINE_END, SMALL_N],
  [0x0b, 0x76],
  [0x0c, 0x66],
  [0x0d, 0x72],
  [BACKSLASH, BACKSLASH],
]);

const NOTHING = Buffer.alloc(0);

/** Maximum UTF-8 bytes per UTF-16 unit; also fits an escape. */
const BYTES_A_UNIT_MAX = 3;

/** Strings are escaped, bytes are hex. */
class CopyText {
  private buffer = NOTHING;
  private end = 0;

  constructor(private readonly sizeBytes = 64 * 1_024) {}

  get length(): number {
    return this.end;
  }

  row(values: readonly CopyValue[]): void {
    for (let index = 0; index < values.length; index += 1) {
      if (index > 0) this.byte(TAB);
      this.value(values[index] ?? null);
    }
    this.byte(LINE_END);
  }

  /** The next rows use new memory. */
  take(): Buffer {
    const taken = this.buffer.subarray(0, this.end);
    this.buffer = NOTHING;
    this.end = 0;
    return taken;
  }

  private value(value: CopyValue): void {
    if (value === null) return this.twoBytes(BACKSLASH, UPPER_N);
    switch (typeof value) {
      case 'string':
        return this.text(value);
      case 'number':
      case 'bigint':
        return this.text(String(value));
      case 'boolean':
        return this.text(value ? 't' : 'f');
      default:
        return this.bytes(value);
    }
  }

  private text(text: string): void {
    this.reserve(text.length * BYTES_A_UNIT_MAX);
    const { buffer } = this;
    const start = this.end;
    for (let index = 0; index < text.length; index += 1) {
      const code = text.charCodeAt(index);
      if (code < 0x20 || code === BACKSLASH || code > 0x7e) {
        this.end = start;
        return this.unusualText(text);
      }
      buffer[this.end++] = code;
    }
  }

  private unusualText(text: string): void {
    for (const byte of Buffer.from(text, 'utf8')) {
      const letter = ESCAPE_LETTERS.get(byte);
      if (letter === undefined) this.byte(byte);
      else this.twoBytes(BACKSLASH, letter);
    }
  }

  private bytes(bytes: Uint8Array): void {
    this.reserve(3 + bytes.length * 2);
    this.twoBytes(BACKSLASH, BACKSLASH);
    this.byte(SMALL_X);
    const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
    this.end += this.buffer.write(hex, this.end, 'latin1');
  }

  private byte(byte: number): void {
    this.reserve(1);
    this.buffer[this.end++] = byte;
  }

  private twoBytes(first: number, second: number): void {
    this.byte(first);
    this.byte(second);
  }

  private reserve(moreBytes: number): void {
    if (this.end + moreBytes <= this.buffer.length) return;
    const grown = Buffer.allocUnsafe(Math.max(this.sizeBytes, this.buffer.length * 2, this.end + moreBytes));
    this.buffer.copy(grown, 0, 0, this.end);
    this.buffer = grown;
  }
}

const PIECE_BYTES = 128 * 1_024;
const SLICE_BYTES = 4 * 1_024 * 1_024;

export interface CopyTarget {
  /** Unquoted name, optionally with schema as `schema.table`. */
  readonly table: string;
  readonly columns: readonly string[];
}

function quoteIdentifier(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

function* piecesOf(rows: Iterable<readonly CopyValue[]>): Generator<Buffer> {
  const text = new CopyText(PIECE_BYTES);
  for (const row of rows) {
    text.row(row);
    if (text.length >= PIECE_BYTES) yield text.take();
  }
  if (text.length > 0) yield text.take();
}

/** Few rows are a single piece; many are sent in large slices, between which the process can do other work. */
function* binaryPiecesOf(rows: Buffer): Generator<Buffer> {
  if (rows.length <= PIECE_BYTES) return yield Buffer.concat([BINARY_HEADER, rows, BINARY_END]);
  yield BINARY_HEADER;
  for (let start = 0; start < rows.length; start += SLICE_BYTES) yield rows.subarray(start, start + SLICE_BYTES);
  yield BINARY_END;
}

/** Writes rows by COPY in text format, in the transaction open on `client`; returns their number. A single bad row fails the whole copy. */
export function copyRows(client: PoolClient, target: CopyTarget, rows: Iterable<readonly CopyValue[]>): Promise<number> {
  return copy(client, target, piecesOf(rows));
}

/** Cheaper for the server than text; returns the number of rows. */
export function copyBinary(client: PoolClient, target: CopyTarget, rows: Buffer): Promise<number> {
  return copy(client, target, binaryPiecesOf(rows), ' WITH (FORMAT binary)');
}

async function copy(client: PoolClient, target: CopyTarget, pieces: Iterable<Buffer>, format = ''): Promise<number> {
  const table = target.table.split('.').map(quoteIdentifier).join('.');
  const columns = target.columns.map(quoteIdentifier).join(', ');
  const stream = client.query(copyFrom(`COPY ${table} (${columns}) FROM STDIN${format}`));
  await send(pieces, stream);
  return stream.rowCount;
}

async function send(pieces: Iterable<Buffer>, stream: Writable): Promise<void> {
  const whenDrained = finished(stream);
  try {
    for (const piece of pieces) if (!stream.write(piece)) await Promise.race([once(stream, 'drain'), whenDrained]);
    stream.end();
  } catch (error) {
    stream.destroy(error instanceof Error ? error : new Error(String(error)));
    await whenDrained.catch(() => undefined);
    throw error;
  }
  await whenDrained;
}
