import { mkdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { isMissingFile, namesIn } from '../scratch-folders';
import { fromFileError, StoreRefusedError } from '../store-errors';

export interface FileCache {
  /** On a miss, `fetch` writes the file to the given path. Concurrent calls share one fetch. */
  get(name: string, fetch: (path: string) => Promise<void>): Promise<string>;
}

export interface FileCacheOptions {
  readonly folder: string;
  readonly limitBytes: number;
  /** Files used within this time are never evicted: they may be open. */
  readonly graceMs: number;
}

const UNFINISHED = '.part-';
const ABANDONED_MS = 3_600_000;

export function createFileCache(options: FileCacheOptions): FileCache {
  const { folder } = options;
  const fetching = new Map<string, Promise<string>>();

  async function fetched(name: string, fetch: (path: string) => Promise<void>): Promise<string> {
    const path = join(folder, name);
    await makeOwnFolder(folder);
    if (await markUsed(path)) return path;
    const unfinished = join(folder, `${UNFINISHED}${randomUUID()}`);
    try {
      await fetch(unfinished);
      // Whole milliseconds, so that updating the access time leaves mtime unchanged.
      await utimes(unfinished, new Date(), new Date());
      await rename(unfinished, path);
    } finally {
      await rm(unfinished, { force: true });
    }
    await evict(options);
    return path;
  }

  return {
    async get(name, fetch) {
      let work = fetching.get(name);
      if (work === undefined) {
        work = fetched(name, fetch).finally(() => fetching.delete(name));
        fetching.set(name, work);
      }
      try {
        return await work;
      } catch (error) {
        throw fromFileError(error);
      }
    },
  };
}

/** In the shared temporary folder, another user could have created it. */
async function makeOwnFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { uid } = await stat(folder);
  if (process.getuid !== undefined && uid !== process.getuid()) throw new StoreRefusedError(`${folder} belongs to another user`);
}

/** Keeps mtime: readers use it to detect changed files. */
async function markUsed(path: string): Promise<boolean> {
  try {
    await utimes(path, new Date(), (await stat(path)).mtime);
    return true;
  } catch (error) {
    if (isMissingFile(error)) return false;
    throw error;
  }
}

interface CachedFile {
  readonly path: string;
  readonly sizeBytes: number;
  readonly usedMs: number;
}

async function evict({ folder, limitBytes, graceMs }: FileCacheOptions): Promise<void> {
  const files: CachedFile[] = [];
  for (const name of await namesIn(folder)) {
    const file = await look(join(folder, name));
    if (file === undefined) continue;
    if (!name.startsWith(UNFINISHED)) files.push(file);
    else if (file.usedMs < Date.now() - ABANDONED_MS) await rm(file.path, { force: true });
  }
  let totalBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  for (const { path, sizeBytes } of files.sort((a, b) => a.usedMs - b.usedMs)) {
    if (totalBytes <= limitBytes) return;
    const now = await look(path);
    if (now !== undefined && now.usedMs > Date.now() - graceMs) continue;
    await rm(path, { force: true });
    totalBytes -= sizeBytes;
  }
}

async function look(path: string): Promise<CachedFile | undefined> {
  try {
    const { size, atimeMs, mtimeMs } = await stat(path);
    return { path, sizeBytes: size, usedMs: Math.max(atimeMs, mtimeMs) };
  } catch (error) {
    if (isMissingFile(error)) return undefined;
    throw error;
  }
}
