import { access, mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { type ObjectStore, checkKey, checkRange, ObjectNotFoundError, type ObjectStat } from './object-store';
import { createS3Store } from './s3/s3-store';
import { parseStoreUrl, type StoreOptions } from './store-settings';
import { createScratchFolders, isMissingFile, refusePattern } from './scratch-folders';
import { fromFileError } from './store-errors';

/**
 * Store in a local folder, created if missing. Puts are durable: sync file, rename, sync folder.
 * @throws RangeError if `root` contains one of `* ? [ ] { }`
 */
export function createFolderStore(root: string): ObjectStore {
  const base = resolve(root);
  refusePattern(base);
  const scratch = createScratchFolders(join(base, '.scratch'));
  const pathOf = (key: string): string => {
    checkKey(key);
    return join(base, ...key.split('/'));
  };
  return {
    async put(key, file) {
      await onDisk(putFile(base, pathOf(key), file));
    },
    async get(key) {
      const path = pathOf(key);
      await orMissing(key, access(path));
      return path;
    },
    async openRange(key, fromByte, toByte) {
      return orMissing(key, openRangeOf(pathOf(key), fromByte, toByte));
    },
    async stat(key) {
      const found = stat(pathOf(key)).then(({ size, mtimeMs }) => ({ sizeBytes: size, modifiedMs: mtimeMs }));
      return orNone<ObjectStat | undefined>(found, () => undefined);
    },
    async list(prefix) {
      if (prefix !== '') checkKey(prefix.replace(/\/$/, ''));
      return (await filesUnder(join(base, prefix), prefix.replace(/\/$/, ''))).sort();
    },
    async delete(key) {
      const path = pathOf(key);
      await orNone(rm(path, { force: true }), () => undefined);
      await removeEmptyFolders(base, dirname(path));
    },
    scratch: () => scratch.make(),
    sweepScratch: (olderThanMs) => scratch.sweep(olderThanMs),
  };
}

function orMissing<T>(key: string, work: Promise<T>): Promise<T> {
  return orNone(work, () => {
    throw new ObjectNotFoundError(key);
  });
}

async function orNone<T>(work: Promise<T>, none: () => T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isMissingFile(error)) return none();
    throw fromFileError(error);
  }
}

async function onDisk<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw fromFileError(error);
  }
}

async function putFile(base: string, path: string, file: string): Promise<void> {
  await syncToDisk(file);
  await makeFolder(base, dirname(path));
  await rename(file, path);
  await syncToDisk(dirname(path));
}

async function openRangeOf(path: string, fromByte: number, toByte: number): Promise<Readable> {
  const handle = await open(path, 'r');
  try {
    checkRange(fromByte, toByte, (await handle.stat()).size);
  } catch (error) {
    await handle.close();
    throw error;
  }
  if (fromByte < toByte) return handle.createReadStream({ start: fromByte, end: toByte - 1 });
  await handle.close();
  return Readable.from([]);
}

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function makeFolder(base: string, folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true });
  if (first === undefined) return;
  for (let made = folder; made.length >= first.length; made = dirname(made)) await syncToDisk(dirname(made));
  await syncToDisk(base);
}

async function removeEmptyFolders(base: string, folder: string): Promise<void> {
  for (let empty = folder; empty.startsWith(base + sep); empty = dirname(empty)) {
    try {
      await rmdir(empty);
    } catch {
      return;
    }
  }
}

async function filesUnder(folder: string, key: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await orNone(readdir(folder, { withFileTypes: true }), () => [])) {
    if (entry.name.startsWith('.')) continue;
    const below = key === '' ? entry.name : `${key}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await filesUnder(join(folder, entry.name), below)));
    else found.push(below);
  }
  return found;
}

/**
 * Connects and loads the client lazily.
 * @throws RangeError if the URL is not a store URL
 */
export function openStore(url: string, options: StoreOptions = {}): ObjectStore {
  const place = parseStoreUrl(url);
  return place.kind === 'folder' ? createFolderStore(place.path) : createS3Store(place, options);
}
