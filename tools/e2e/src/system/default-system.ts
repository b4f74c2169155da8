import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openRpcAccess } from '@market-state/launcher';
import { startSystem, type System } from '@market-state/testing';
import type { Api } from './api';
import type { ServedDocument } from './served-document';

export type RunningSystem = Pick<System, 'url' | 'dataDir' | 'rpc' | 'demoKey'>;

/** A system run by another process in a data folder. */
export function runningSystem(dataDir: string): RunningSystem {
  const read = (name: string): string => readFileSync(join(dataDir, name), 'utf8');
  const { gateway: url = '' } = JSON.parse(read('endpoints.json')) as Readonly<Record<string, string>>;
  return { url, dataDir, rpc: openRpcAccess(dataDir, undefined), demoKey: () => Promise.resolve(read('demo-key').trim()) };
}

/**
 * Command line of a script that records a system: `--data-dir` is the folder of a running one, otherwise one is started;
 * `--only` has names of what to record, separated by commas.
 */
export async function recordSystem(record: (system: RunningSystem, only: readonly string[] | undefined) => Promise<void>): Promise<void> {
  const { values } = parseArgs({ options: { 'data-dir': { type: 'string' }, only: { type: 'string' } } });
  const only = values.only?.split(',');
  if (values['data-dir'] !== undefined) return record(runningSystem(values['data-dir']), only);
  const system = await startSystem();
  try {
    await record(system, only);
  } finally {
    await system.stop();
  }
}

export interface ReadySystem {
  readonly system: RunningSystem;
  readonly api: Api;
  /** The demo key, used by `api` on request. */
  readonly key: string;
  readonly served: ServedDocument;
}

/**
 * The system as run by `npm start`, with its hour of history. One serves all tests, because a start takes a minute of
 * both cores.
 */
export interface DefaultSystem extends ReadySystem {
  readonly system: System;
  /** Wall clock at which the system was ready, in epoch milliseconds. */
  readonly readyMs: number;
}
