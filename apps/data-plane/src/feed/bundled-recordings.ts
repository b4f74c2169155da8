import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundledFiles, type FilesBySymbol } from '@market-state/market-data';

/** The files that are not there. */
export function missingFiles(files: FilesBySymbol): string[] {
  return Object.values(files)
    .flat()
    .filter((file) => !existsSync(file));
}

const folder = join('libs', 'domain', 'market-data', 'recordings', 'binance-coinm');

/**
 * Paths of the recordings that come with the product, by symbol. They are looked for beside the running file and in the
 * folders above it, so that they are found from the sources and from a bundle alike; empty where there are none.
 */
export function bundledRecordings(): Record<string, readonly string[]> {
  for (let at = import.meta.dirname; ; at = dirname(at)) {
    const found = join(at, folder);
    if (existsSync(found))
      return Object.fromEntries(Object.entries(bundledFiles).map(([symbol, names]) => [symbol, names.map((file) => join(found, file))]));
    if (at === dirname(at)) return {};
  }
}
