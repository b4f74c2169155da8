import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fromFileError } from './store-errors';

interface ScratchFolders {
  make(): Promise<string>;
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

export async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (isMissingFile(error)) return [];
    throw fromFileError(error);
  });
}

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

/** DuckDB treats paths as glob patterns. */
const PATTERN = /[*?[\]{}]/;

export function refusePattern(path: string): void {
  if (PATTERN.test(path)) throw new RangeError(`store folder path must not contain any of * ? [ ] { }: ${path}`);
}
