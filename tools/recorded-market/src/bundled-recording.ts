import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';

/** A file of the recordings that come with the product. */
export function bundledRecording(file: string): string {
  return join(workspaceRoot(), 'libs', 'domain', 'market-data', 'recordings', 'binance-coinm', file);
}
