import { existsSync } from 'node:fs';
import type { FilesBySymbol } from '@market-state/market-data';

/** The files that are not there. */
export function missingFiles(files: FilesBySymbol): string[] {
  return Object.values(files)
    .flat()
    .filter((file) => !existsSync(file));
}
