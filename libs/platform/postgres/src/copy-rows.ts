import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { BINARY_END, BINARY_HEADER } from './copy-binary';
import { CopyText, type CopyValue } from './copy-text';

/** Bytes gathered before they are handed to the connection. */
const PIECE_BYTES = 128 * 1_024;
/** Bytes of finished text handed over at once. */
const SLICE_BYTES = 4 * 1_024 * 1_024;

export interface CopyTarget {
  /** Unquoted name, optionally with schema as `schema.table`. */
  readonly table: string;
  readonly columns: readonly string[];
}

/** A name as an SQL identifier. */
function quoteIdentifier(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

/** Rows as text, in pieces. */
function* piecesOf(rows: Iterable<readonly CopyValue[]>): Generator<Buffer> {
  const text = new CopyText(PIECE_BYTES);
  for (const row of rows) {
    text.row(row);
    if (text.length >= PIECE_BYTES) yield text.take();
  }
  if (text.length > 0) yield text.take();
}

/** A few rows are one piece; many are sent in large slices while this process does something else. */
function* binaryPiecesOf(rows: Buffer): Generator<Buffer> {
  if (rows.length <= PIECE_BYTES) return yield Buffer.concat([BINARY_HEADER, rows, BINARY_END]);
  yield BINARY_HEADER;
  for (let start = 0; start < rows.length; start += SLICE_BYTES) yield rows.subarray(start, start + SLICE_BYTES);
  yield BINARY_END;
}

/**
 * Writes rows by COPY in text format (bytes as hex), in the transaction open on `client`; returns how many. Values are in the order of
 * `columns`. One bad row fails the whole copy.
 */
export function copyRows(client: PoolClient, target: CopyTarget, rows: Iterable<readonly CopyValue[]>): Promise<number> {
  return copy(client, target, piecesOf(rows));
}

/**
 * Writes the rows of a `CopyBinary` by COPY in binary format, which costs the server less than text, in the transaction open on
 * `client`; returns how many.
 */
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

/** Resolves when the server has taken all pieces. A piece that cannot be made ends the copy without a row, and is what is thrown. */
async function send(pieces: Iterable<Buffer>, stream: Writable): Promise<void> {
  const whenTaken = finished(stream);
  try {
    for (const piece of pieces) if (!stream.write(piece)) await Promise.race([once(stream, 'drain'), whenTaken]);
    stream.end();
  } catch (error) {
    stream.destroy(error instanceof Error ? error : new Error(String(error)));
    await whenTaken.catch(() => undefined);
    throw error;
  }
  await whenTaken;
}
