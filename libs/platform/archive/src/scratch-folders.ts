import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fromFileError } from './store-errors';

/** Folders for files in the making, below one folder. */
interface ScratchFolders {
  make(): Promise<string>;
  /** Removes those not written to for this many milliseconds. */
  sweep(olderThanMs: number): Promise<void>;
}

export function createScratchFolders(base: string): ScratchFolders {
  return {
    async make() {
      try {
        await mkdir(base, { recursive: true });
        return await mkdtemp(join(base, `${process.pid}-`));
      } catch (error) {
        throw fromFileError(error);
      }
    },
    async sweep(olderThanMs) {
      for (const name of await namesIn(base)) {
        const folder = join(base, name);
        const files = (await namesIn(folder)).map((file) => join(folder, file));
        const newestMs = Math.max(...(await Promise.all([folder, ...files].map(modifiedMs))));
        if (newestMs < Date.now() - olderThanMs) await rm(folder, { recursive: true, force: true });
      }
    },
  };
}

/** What is in a folder; nothing when it is none. */
export async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (isMissingFile(error)) return [];
    throw fromFileError(error);
  });
}

/** Whether an error of the file system says that there is no such file or folder. */
export function isMissingFile(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ENOENT' || code === 'ENOTDIR';
}

async function modifiedMs(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isMissingFile(error)) return 0;
    throw fromFileError(error);
  }
}

/** Characters with a meaning in patterns of file names, which DuckDB takes paths as. */
const PATTERN = /[*?[\]{}]/;

/** @throws RangeError when a path has a character with a meaning in patterns of file names */
export function refusePattern(path: string): void {
  if (PATTERN.test(path)) throw new RangeError(`the folder of a store must not have one of * ? [ ] { } in its path: ${path}`);
}
