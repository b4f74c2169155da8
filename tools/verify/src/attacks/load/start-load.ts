import { fork } from 'node:child_process';
import { programFile } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';

/** Calls of one kind at a constant rate, made by a separate process regardless of response times. */
export interface LoadOrder {
  readonly url: string;
  readonly paths: readonly string[];
  readonly perSecond: number;
  readonly secondsMax: number;
  readonly connections: number;
  readonly addresses: readonly string[];
  readonly credentials: { readonly kind: 'keys'; readonly keys: readonly string[] } | { readonly kind: 'unknown'; readonly seed: number };
}

export interface GoodCall {
  /** Send time in milliseconds after the start of the load. */
  readonly atMs: number;
  readonly tookMs: number;
  readonly keyIndex: number;
}

export interface LoadReport {
  readonly due: number;
  readonly sent: number;
  readonly durationMs: number;
  readonly good: readonly GoodCall[];
  readonly refused: Readonly<Record<number, number>>;
  readonly refusedP99Ms: number;
  /** Calls whose connection broke or that timed out. */
  readonly lost: number;
  readonly lostOfKey: readonly number[];
}

interface RunningLoad {
  readonly done: Promise<LoadReport>;
  stop(): Promise<LoadReport>;
}

/** Runs the load in its own process, so that the suite's work delays no call. */
export function startLoad(closer: Closer, order: LoadOrder): RunningLoad {
  const child = fork(programFile('verify-load'), { execArgv: [] });
  const done = new Promise<LoadReport>((resolve, reject) => {
    child.once('message', (report) => resolve(report as LoadReport));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The load generator exited with code ${code} and no report.`)));
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
