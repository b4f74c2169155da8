import { fork } from 'node:child_process';
import { programFile } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import type { LoadOrder, LoadReport } from './load-order';

/** A load that runs beside the suite. */
export interface RunningLoad {
  /** Resolves when it has ended by itself. */
  readonly done: Promise<LoadReport>;
  /** Ends it, and what it opened. */
  stop(): Promise<LoadReport>;
}

/** Starts the load in a process of its own, so that what the suite does otherwise delays no call. */
export function startLoad(closer: Closer, order: LoadOrder): RunningLoad {
  const child = fork(programFile('verify-load'), { execArgv: [] });
  const done = new Promise<LoadReport>((resolve, reject) => {
    child.once('message', (report) => resolve(report as LoadReport));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The program that makes the load ended with code ${code} and no report.`)));
  });
  done.catch(() => undefined);
  child.send(order);
  const stop = (): Promise<LoadReport> => {
    if (child.connected) child.send('stop', () => undefined);
    return done;
  };
  closer.add('load', async () => void (await stop()));
  return { done, stop };
}
