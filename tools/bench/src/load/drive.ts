import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';

/** Calls that autocannon makes. */
export interface LoadOrder {
  readonly url: string;
  /** Each is a caller of its own. */
  readonly keys: readonly string[];
  /** Of all callers together; null: as fast as answers come. */
  readonly perSecond: number | null;
  /** Of each caller, each with one call at a time. */
  readonly connections: number;
  readonly seconds: number;
}

/** What came of them. */
export interface LoadReport {
  readonly sent: number;
  readonly seconds: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Of each answer 200, from sending it to its last byte. */
  readonly goodMs: Float64Array;
  /** CPU of the program that made them. */
  readonly cpuMs: number;
  /** Calls whose connection failed, or that had no answer in 15 s. */
  readonly failed: number;
  /** Calls that were sent and have neither an answer nor a failure, but for one a connection that is under way at the end. */
  readonly unanswered: number;
}

/** Makes the calls in a process of its own. @throws Error when it ends without a report */
export async function drive(order: LoadOrder): Promise<LoadReport> {
  const child = fork(join(workspaceRoot(), 'tools', 'bench', 'src', 'load', 'callers.cjs'), { serialization: 'advanced' });
  let report: LoadReport | undefined;
  child.once('message', (message) => (report = message as LoadReport));
  child.send(order);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (report === undefined) throw new Error(`autocannon ended with code ${code} and no report.`);
  return report;
}
