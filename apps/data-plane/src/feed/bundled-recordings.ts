import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { bundledFiles, type FilesBySymbol } from '@market-state/market-data';

export function missingFiles(files: FilesBySymbol): string[] {
  return Object.values(files)
    .flat()
    .filter((file) => !existsSync(file));
}

const folder = join('libs', 'domain', 'market-data', 'recordings', 'binance-coinm');

/** Searches the folders above the running file, so that both sources and bundles find them; empty if there are none. */
export function bundledRecordings(): Record<string, readonly string[]> {
  for (let at = import.meta.dirname; ; at = dirname(at)) {
    const found = join(at, folder);
    if (existsSync(found))
      return Object.fromEntries(Object.entries(bundledFiles).map(([symbol, names]) => [symbol, names.map((file) => join(found, file))]));
    if (at === dirname(at)) return {};
  }
}
