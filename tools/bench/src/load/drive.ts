import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { workspaceRoot, type System } from '@market-state/launcher';
import { percentile } from '@market-state/testing';

/** Growth to ignore: a garbage-collected heap has no fixed level. */
const GROWTH_MAX = 1.1;

export function faultsOf(
  { statuses, failed, unanswered }: Pick<LoadReport, 'statuses' | 'failed' | 'unanswered'>,
  allowed: readonly number[],
): readonly string[] {
  const others = Object.entries(statuses).filter(([status]) => !allowed.includes(Number(status)));
  return [
    ...others.map(([status, total]) => `${total} calls were answered with ${status}.`),
    ...(failed === 0 ? [] : [`${failed} calls had a broken connection, or no answer in time.`]),
    ...(unanswered === 0 ? [] : [`${unanswered} calls had no answer.`]),
    ...((statuses[200] ?? 0) > 0 ? [] : ['No call was answered with 200.']),
  ];
}

/** True if samples at a fixed interval are no more than 10 % higher in the last quarter than in the second. */
export function isFlat(samples: readonly number[]): boolean {
  const quarter = Math.floor(samples.length / 4);
  const second = samples.slice(quarter, 2 * quarter);
  const last = samples.slice(-quarter);
  return quarter > 0 && percentile(last, 0.5) <= GROWTH_MAX * percentile(second, 0.5);
}

export function lineOf({ sent, seconds, statuses, failed, unanswered, goodMs }: LoadReport): string {
  const times = Array.from(goodMs);
  const reported = Object.entries(statuses).map(([status, total]) => `${status}: ${total}`);
  return (
    `sent ${(sent / seconds).toFixed(0)}/s, answers ${reported.join(', ') || 'none'}, failed ${failed}, unanswered ${unanswered}; of 200: ` +
    `p50 ${percentile(times, 0.5).toFixed(1)} ms, p99 ${percentile(times, 0.99).toFixed(1)} ms`
  );
}

export interface LoadScene {
  readonly system: System;
  readonly url: string;
  readonly keys: readonly string[];
  readonly say: (line: string) => void;
}

export interface LoadOrder {
  readonly url: string;
  readonly keys: readonly string[];
  /** Rate of all callers together; null: as fast as answers arrive. */
  readonly perSecond: number | null;
  /** Per caller, each with one call at a time. */
  readonly connections: number;
  readonly seconds: number;
}

interface LoadReport {
  readonly sent: number;
  readonly seconds: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** For each 200, from sending to its last byte. */
  readonly goodMs: Float64Array;
  readonly cpuMs: number;
  /** Calls whose connection failed, or without an answer in 15 s. */
  readonly failed: number;
  /** Calls sent with neither an answer nor a failure, except one per connection in flight at the end. */
  readonly unanswered: number;
}

/** Makes the calls in a separate process. @throws Error if it exits without a report */
export async function drive(order: LoadOrder): Promise<LoadReport> {
  const child = fork(join(workspaceRoot(), 'tools', 'bench', 'src', 'load', 'callers.cjs'), { serialization: 'advanced' });
  let report: LoadReport | undefined;
  child.once('message', (message) => (report = message as LoadReport));
  child.send(order);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (report === undefined) throw new Error(`autocannon exited with code ${code} and no report.`);
  return report;
}
