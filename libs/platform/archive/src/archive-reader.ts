import { stat } from 'node:fs/promises';
import type { Row } from './column';
import { type Engine, openEngine } from './engine';
import { ObjectNotFoundError, type ObjectStore } from './object-store';
import { countParquet, type Filter, type ParquetQuery, readParquet } from './parquet';
import { fromFileError, StoreError } from './store-errors';
import { ArchiveCorruptError, digestOfFile } from './verify-file';

const MEMORY_MB = 96;
const CHECKED_MAX = 10_000;

export interface ArchiveFileRef {
  readonly key: string;
  readonly sha256: string;
}

/**
 * Checks the SHA-256 before the first row, and again if the file changes.
 * @throws {ArchiveCorruptError} if the file is missing, changed or unreadable
 * @throws {StoreError} if the store is unavailable
 */
export interface ArchiveReader {
  /** Blobs are Buffers. */
  read(file: ArchiveFileRef, query: ParquetQuery): Promise<Row[]>;
  count(file: ArchiveFileRef, filters: readonly Filter[]): Promise<number>;
  close(): Promise<void>;
}

export function createArchiveReader(store: ObjectStore): ArchiveReader {
  let opening: Promise<Engine> | undefined;
  const engine = (): Promise<Engine> => {
    opening ??= openEngine({ memoryMb: MEMORY_MB }).catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const checked = new Map<string, Promise<void>>();

  async function trusted({ key, sha256 }: ArchiveFileRef): Promise<string> {
    const path = await store.get(key);
    const { size, mtimeMs, ino } = await stat(path);
    const state = [key, sha256, size, mtimeMs, ino].join(' ');
    let check = checked.get(state);
    if (check === undefined) {
      check = checkDigest(key, path, sha256);
      if (checked.size >= CHECKED_MAX) checked.clear();
      checked.set(state, check);
      check.catch(() => checked.delete(state));
    }
    await check;
    return path;
  }

  async function reading<T>(file: ArchiveFileRef, work: (engine: Engine, path: string) => Promise<T>): Promise<T> {
    try {
      return await work(await engine(), await trusted(file));
    } catch (error) {
      throw readFailure(file.key, error);
    }
  }

  return {
    read: (file, query) =>
      reading(file, (open, path) =>
        open.run(async (connection) => {
          const rows: Row[] = [];
          for await (const piece of readParquet(connection, path, query)) rows.push(...piece);
          return rows;
        }),
      ),
    count: (file, filters) => reading(file, (open, path) => open.run((connection) => countParquet(connection, path, filters))),
    async close() {
      (await opening?.catch(() => undefined))?.close();
    },
  };
}

/**
 * Bypasses the cache.
 * @throws {ArchiveCorruptError} if it is missing or changed
 * @throws {StoreError} if the store is unavailable
 */
export async function verifyArchiveBytes(store: ObjectStore, { key, sha256 }: ArchiveFileRef): Promise<void> {
  try {
    await checkDigest(key, await store.get(key), sha256);
  } catch (error) {
    throw isGone(error) ? new ArchiveCorruptError(key, 'file is missing', { cause: error }) : fromFileError(error);
  }
}

/** A RangeError is an invalid query, not a damaged file. */
function readFailure(key: string, error: unknown): unknown {
  if (error instanceof ArchiveCorruptError || error instanceof RangeError) return error;
  if (isGone(error)) return new ArchiveCorruptError(key, 'file is missing', { cause: error });
  const failure = fromFileError(error);
  if (failure instanceof StoreError) return failure;
  return new ArchiveCorruptError(key, `file cannot be read: ${(error as Error).message}`, { cause: error });
}

function isGone(error: unknown): boolean {
  return error instanceof ObjectNotFoundError || (error as { code?: unknown }).code === 'ENOENT';
}

async function checkDigest(key: string, path: string, sha256: string): Promise<void> {
  const found = await digestOfFile(path);
  if (found.sha256 !== sha256) throw new ArchiveCorruptError(key, `sha256 is ${found.sha256}, expected ${sha256}`);
}
