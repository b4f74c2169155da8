import { type Dirent } from 'node:fs';
import { access, mkdir, mkdtemp, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { Readable } from 'node:stream';
import { checkKey } from './object-key';
import { checkRange } from './object-range';
import { ObjectNotFoundError, type ObjectStat, type ObjectStore } from './object-store';

const SCRATCH = '.scratch';
/** Characters with a meaning in patterns of file names, which DuckDB takes paths as. */
const PATTERN = /[*?[\]{}]/;

/**
 * A store in a folder: a key is a path below it. An object is put by writing it to the disk, renaming it into place and writing the
 * folder to the disk. `root` is made when it is missing.
 * @throws RangeError when the path of `root` contains one of `* ? [ ] { }`
 */
export function createFolderStore(root: string): ObjectStore {
  const base = resolve(root);
  if (PATTERN.test(base)) throw new RangeError(`the folder of a store must not have one of * ? [ ] { } in its path: ${base}`);
  const pathOf = (key: string): string => {
    checkKey(key);
    return join(base, ...key.split('/'));
  };
  return {
    async put(key, file) {
      const path = pathOf(key);
      await syncToDisk(file);
      await makeFolder(base, dirname(path));
      await rename(file, path);
      await syncToDisk(dirname(path));
    },
    async get(key) {
      const path = pathOf(key);
      await orNone(access(path), () => {
        throw new ObjectNotFoundError(key);
      });
      return path;
    },
    openRange(key, fromByte, toByte) {
      return orNone(openRangeOf(pathOf(key), fromByte, toByte), () => {
        throw new ObjectNotFoundError(key);
      });
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
      await rm(path, { force: true });
      await removeEmptyFolders(base, dirname(path));
    },
    async scratch() {
      const folder = join(base, SCRATCH);
      await mkdir(folder, { recursive: true });
      return mkdtemp(join(folder, `${process.pid}-`));
    },
    async sweepScratch(olderThanMs) {
      for (const entry of await entriesOf(join(base, SCRATCH))) {
        const path = join(base, SCRATCH, entry.name);
        const newestMs = Math.max(
          ...(await Promise.all([path, ...(await entriesOf(path)).map(({ name }) => join(path, name))].map(modifiedMs))),
        );
        if (newestMs < Date.now() - olderThanMs) await rm(path, { recursive: true, force: true });
      }
    },
  };
}

function isMissing(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ENOENT' || code === 'ENOTDIR';
}

async function orNone<T>(work: Promise<T>, none: () => T): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (isMissing(error)) return none();
    throw error;
  }
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

function modifiedMs(path: string): Promise<number> {
  return orNone(
    stat(path).then(({ mtimeMs }) => mtimeMs),
    () => 0,
  );
}

function entriesOf(folder: string): Promise<Dirent[]> {
  return orNone(readdir(folder, { withFileTypes: true }), () => []);
}

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Makes a folder and its parents up to the store's own, durably. */
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
  for (const entry of await entriesOf(folder)) {
    if (entry.name.startsWith('.')) continue;
    const below = key === '' ? entry.name : `${key}/${entry.name}`;
    if (entry.isDirectory()) found.push(...(await filesUnder(join(folder, entry.name), below)));
    else found.push(below);
  }
  return found;
}
