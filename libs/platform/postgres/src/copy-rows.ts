import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { PoolClient } from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { copyLine, type CopyValue } from './copy-text';

/** Characters gathered before they are handed to the connection. */
const CHUNK_LENGTH = 64 * 1_024;

export interface CopyTarget {
  /** Unquoted name, optionally with schema as `schema.table`. */
  readonly table: string;
  readonly columns: readonly string[];
}

/** A name as an SQL identifier. */
export function quoteIdentifier(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}

function* chunks(rows: Iterable<readonly CopyValue[]>): Generator<string> {
  let text = '';
  for (const row of rows) {
    text += copyLine(row);
    if (text.length >= CHUNK_LENGTH) {
      yield text;
      text = '';
    }
  }
  if (text !== '') yield text;
}

/**
 * Writes rows by COPY in text format (bytes as hex), in the transaction that is open on `client`; gives back how many.
 * Values stand in the order of `columns`. One bad row fails the whole copy.
 */
export async function copyRows(client: PoolClient, target: CopyTarget, rows: Iterable<readonly CopyValue[]>): Promise<number> {
  const table = target.table.split('.').map(quoteIdentifier).join('.');
  const columns = target.columns.map(quoteIdentifier).join(', ');
  const stream = client.query(copyFrom(`COPY ${table} (${columns}) FROM STDIN`));
  await pipeline(Readable.from(chunks(rows)), stream);
  return stream.rowCount;
}
