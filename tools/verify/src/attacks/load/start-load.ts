import { fork } from 'node:child_process';
import { programFile } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';

/** Calls of one kind that a program of its own makes, so many a second whatever the answers take. */
export interface LoadOrder {
  /** `http://host:port` of the gateway. */
  readonly url: string;
  /** Paths, taken in turns. */
  readonly paths: readonly string[];
  readonly perSecond: number;
  /** The load ends after so long, if it is not stopped before. */
  readonly secondsMax: number;
  /** Connections kept, each with one call at a time. */
  readonly connections: number;
  /** Loopback addresses that the connections come from, in turns. */
  readonly addresses: readonly string[];
  readonly credentials: { readonly kind: 'keys'; readonly keys: readonly string[] } | { readonly kind: 'unknown'; readonly seed: number };
}

/** A call that was answered well. */
export interface GoodCall {
  /** When it was sent, milliseconds after the start of the load. */
  readonly atMs: number;
  readonly tookMs: number;
  /** Which of the order's keys; 0 without. */
  readonly keyIndex: number;
}

export interface LoadReport {
  /** Calls whose time came. */
  readonly due: number;
  /** Calls that were put on a connection. */
  readonly sent: number;
  readonly durationMs: number;
  readonly good: readonly GoodCall[];
  readonly refused: Readonly<Record<number, number>>;
  /** Of refused calls, milliseconds: 99 of 100 were answered within. */
  readonly refusedP99Ms: number;
  /** Calls whose connection broke, or that had no answer in time. */
  readonly lost: number;
  /** Of lost ones, those of each of the order's keys. */
  readonly lostOfKey: readonly number[];
}

/** A load that runs beside the suite. */
interface RunningLoad {
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
