import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type System, openRpcAccess } from '@market-state/launcher';
import type { Api } from './api';
import type { ServedDocument } from './served-document';

/** A system that is ready, whoever started it. */
export type RunningSystem = Pick<System, 'url' | 'dataDir' | 'rpc' | 'demoKey'>;

/** The system that another process runs in a data folder. */
export function runningSystem(dataDir: string): RunningSystem {
  const read = (name: string): string => readFileSync(join(dataDir, name), 'utf8');
  const { gateway: url = '' } = JSON.parse(read('endpoints.json')) as Readonly<Record<string, string>>;
  return { url, dataDir, rpc: openRpcAccess(dataDir, undefined), demoKey: () => Promise.resolve(read('demo-key').trim()) };
}

/** A system that is ready, and the ways to ask it. */
export interface ReadySystem {
  readonly system: RunningSystem;
  readonly api: Api;
  /** The demo key, which `api` calls with where it is asked to. */
  readonly key: string;
  readonly served: ServedDocument;
}

/** The system as `npm start` runs it, with its hour of history. One is started for all tests of it: that takes a minute of both cores. */
export interface DefaultSystem extends ReadySystem {
  readonly system: System;
  /** Wall clock at which the system was ready, milliseconds since the epoch. */
  readonly readyMs: number;
}
