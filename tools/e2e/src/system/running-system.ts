import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRpcAccess, type System } from '@market-state/launcher';

/** A system that is ready, whoever started it. */
export type RunningSystem = Pick<System, 'url' | 'dataDir' | 'rpc' | 'demoKey'>;

/** The system that another process runs in a data folder. */
export function runningSystem(dataDir: string): RunningSystem {
  const read = (name: string): string => readFileSync(join(dataDir, name), 'utf8');
  const { gateway: url = '' } = JSON.parse(read('endpoints.json')) as Readonly<Record<string, string>>;
  return { url, dataDir, rpc: openRpcAccess(dataDir, undefined), demoKey: () => Promise.resolve(read('demo-key').trim()) };
}
