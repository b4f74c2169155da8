import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { workspaceRoot, type System } from '@market-state/launcher';
import { percentile } from '@market-state/testing';

/** Growth of memory under load that is none: a garbage collector has no fixed level. */
const GROWTH_MAX = 1.1;

/** What is wrong with the answers to a load in which these statuses are good, in sentences. */
export function faultsOf(
  { statuses, failed, unanswered }: Pick<LoadReport, 'statuses' | 'failed' | 'unanswered'>,
  allowed: readonly number[],
): readonly string[] {
  const others = Object.entries(statuses).filter(([status]) => !allowed.includes(Number(status)));
  return [
    ...others.map(([status, total]) => `${total} calls were answered by ${status}.`),
    ...(failed === 0 ? [] : [`${failed} calls had a broken connection, or no answer in time.`]),
    ...(unanswered === 0 ? [] : [`${unanswered} calls had no answer.`]),
    ...((statuses[200] ?? 0) > 0 ? [] : ['No call was answered by 200.']),
  ];
}

/** Whether what is measured at even intervals is no higher in the last quarter than in the second, but for 10 %. */
export function isFlat(samples: readonly number[]): boolean {
  const quarter = Math.floor(samples.length / 4);
  const second = samples.slice(quarter, 2 * quarter);
  const last = samples.slice(-quarter);
  return quarter > 0 && percentile(last, 0.5) <= GROWTH_MAX * percentile(second, 0.5);
}

/** A report in one line: rates, answers by status, p50 and p99 of those that are 200. */
export function lineOf({ sent, seconds, statuses, failed, unanswered, goodMs }: LoadReport): string {
  const times = Array.from(goodMs);
  const told = Object.entries(statuses).map(([status, total]) => `${status}: ${total}`);
  return (
    `sent ${(sent / seconds).toFixed(0)}/s, answers ${told.join(', ') || 'none'}, failed ${failed}, unanswered ${unanswered}; of 200: ` +
    `p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`
  );
}

/** What the parts of this benchmark work on. */
export interface LoadScene {
  readonly system: System;
  /** Address of `latest`. */
  readonly url: string;
  readonly keys: readonly string[];
  readonly say: (line: string) => void;
}

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
interface LoadReport {
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
