import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { type CellValue, identifier } from './column';
import { createBreather, type DuckDb } from './engine';
import { type ArchiveLayout, columnOf, type FileFacts, type Manifest } from './manifest';
import { tableOf } from './parquet';
import { fromEngineError, StoreError } from './store-errors';

/** The file differs from the one verified when it was written. */
export class ArchiveCorruptError extends Error {
  override readonly name = 'ArchiveCorruptError';

  constructor(
    readonly key: string,
    what: string,
    options?: ErrorOptions,
  ) {
    super(`archive file ${key}: ${what}`, options);
  }
}

/** SHA-256 is lower-case hex. */
export async function digestOfFile(path: string): Promise<{ readonly bytes: number; readonly sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of createReadStream(path, { highWaterMark: 256 * 1_024 })) {
    hash.update(piece as Buffer);
    bytes += (piece as Buffer).length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

const LINK_BYTES = 32;
/** Up to this size, one hash call over concatenated bytes is faster. */
const TOGETHER_BYTES = 16_384;

/** Order-sensitive digest of byte strings: h0 = 32 zero bytes, h(n) = SHA-256(h(n-1) || n-th string). */
export class RowChain {
  private link = Buffer.alloc(LINK_BYTES);
  private readonly together = Buffer.alloc(LINK_BYTES + TOGETHER_BYTES);

  add(bytes: Uint8Array): void {
    if (bytes.length > TOGETHER_BYTES) {
      this.link = createHash('sha256').update(this.link).update(bytes).digest();
      return;
    }
    this.together.set(this.link);
    this.together.set(bytes, LINK_BYTES);
    this.link = hash('sha256', this.together.subarray(0, LINK_BYTES + bytes.length), 'buffer');
  }

  hex(): string {
    return this.link.toString('hex');
  }
}

export class RowFacts {
  private readonly chain = new RowChain();
  rows = 0;
  private firstOrdinal = 0;
  private lastOrdinal = -1;
  private minTimeMs = Infinity;
  private maxTimeMs = -Infinity;

  /** @throws RangeError if ordinals do not rise or a value is missing */
  add(ordinal: CellValue | undefined, timeMs: CellValue | undefined, payload: CellValue | undefined): void {
    if (typeof ordinal !== 'number' || typeof timeMs !== 'number') throw new RangeError('row has no ordinal or time');
    if (ordinal <= this.lastOrdinal) throw new RangeError(`ordinal ${ordinal} after ${this.lastOrdinal}`);
    if (this.rows === 0) this.firstOrdinal = ordinal;
    this.lastOrdinal = ordinal;
    this.minTimeMs = Math.min(this.minTimeMs, timeMs);
    this.maxTimeMs = Math.max(this.maxTimeMs, timeMs);
    this.chain.add(bytesOf(payload));
    this.rows += 1;
  }

  take(): Omit<FileFacts, 'bytes' | 'sha256'> {
    const { rows, firstOrdinal, lastOrdinal, minTimeMs, maxTimeMs } = this;
    return { rows, firstOrdinal, lastOrdinal, minTimeMs, maxTimeMs, rowsSha256: this.chain.hex() };
  }
}

function bytesOf(payload: CellValue | undefined): Uint8Array {
  if (payload instanceof Uint8Array) return payload;
  if (typeof payload === 'string') return Buffer.from(payload, 'utf8');
  throw new RangeError('row has no payload');
}

const PIECE_ROWS = 128;

/**
 * @throws {ArchiveCorruptError} if it does not match the layout or its ordinals do not rise
 * @throws {StoreError} if the disk fails
 */
export async function readFacts(
  duckDb: DuckDb,
  connection: DuckDBConnection,
  key: string,
  path: string,
  layout: ArchiveLayout,
): Promise<FileFacts> {
  const facts = new RowFacts();
  try {
    await readRows(duckDb, connection, path, layout, facts);
  } catch (error) {
    const failure = fromEngineError(error);
    if (failure instanceof StoreError) throw failure;
    throw new ArchiveCorruptError(key, `file cannot be read back: ${(error as Error).message}`, { cause: error });
  }
  return { ...facts.take(), ...(await digestOfFile(path)) };
}

async function readRows(duckDb: DuckDb, connection: DuckDBConnection, path: string, layout: ArchiveLayout, facts: RowFacts): Promise<void> {
  const [ordinal, time, payload] = [layout.ordinal, layout.time, layout.payload].map((name) => identifier(columnOf(layout, name).name));
  const bytes = columnOf(layout, layout.payload).type === 'text' ? `encode(${payload})` : payload;
  const result = await connection.stream(`SELECT ${ordinal}::BIGINT, ${time}::BIGINT, ${bytes} FROM ${tableOf(path)}`);
  const breathe = createBreather();
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return;
    const [ordinals, times, payloads] = [0, 1, 2].map((column) => chunk.getColumnVector(column));
    if (
      !(
        ordinals instanceof duckDb.DuckDBBigIntVector &&
        times instanceof duckDb.DuckDBBigIntVector &&
        payloads instanceof duckDb.DuckDBBlobVector
      )
    )
      throw new RangeError('unexpected column types');
    for (let row = 0; row < chunk.rowCount; row += 1) {
      facts.add(wholeNumberOf(ordinals.getItem(row)), wholeNumberOf(times.getItem(row)), payloads.getItemBytes(row));
      if (row % PIECE_ROWS === 0) await breathe();
    }
  }
}

function wholeNumberOf(value: bigint | null): number | null {
  return value === null ? null : Number(value);
}

/** @throws {ArchiveCorruptError} listing every difference from the manifest */
export function checkFacts(key: string, found: FileFacts, manifest: Manifest): void {
  const pairs: readonly (readonly [string, string | number, string | number])[] = [
    ['rows', found.rows, manifest.rows],
    ['bytes', found.bytes, manifest.bytes],
    ['sha256', found.sha256, manifest.sha256],
    ['rows_sha256', found.rowsSha256, manifest.rows_sha256],
    ['first_ordinal', found.firstOrdinal, manifest.first_ordinal],
    ['last_ordinal', found.lastOrdinal, manifest.last_ordinal],
    ['min_time_ms', found.minTimeMs, manifest.min_time_ms],
    ['max_time_ms', found.maxTimeMs, manifest.max_time_ms],
  ];
  const differences = pairs.filter(([, is, should]) => is !== should).map(([name, is, should]) => `${name} is ${is}, expected ${should}`);
  if (differences.length > 0) throw new ArchiveCorruptError(key, differences.join('; '));
}
