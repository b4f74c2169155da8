import { percentile } from '@market-state/testing';
import type { LoadReport } from './drive';

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
