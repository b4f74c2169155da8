import { whole } from '../../market/numbers';
import { counted, duration, words } from '@market-state/packet-figures';
import { clockSpanBelow } from '../../time/clock';
import type { Job } from './use-exports';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];
const STEP = 1_000;

/** A size with three significant digits: `412 B`, `410 kB`, `1.24 GB`. */
export function sizeWords(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${Number((bytes / STEP ** power).toPrecision(3))} ${UNITS[power] ?? ''}`;
}

const STATES: Readonly<Record<Job['status'], string>> = {
  queued: 'queued',
  running: 'running',
  publishing: 'publishing',
  ready: 'ready',
  failed: 'failed',
  cancelled: 'cancelled',
  expired: 'files deleted',
};

export const statusWord = ({ status }: Job): string => STATES[status] ?? words(status);

/** `2026-11-25 17:07 to 17:10`; repeats the day only if it changes. */
export function spanWords({ from_utc: from, to_utc: to }: Job['request']): string {
  return clockSpanBelow(from, to, 'minute');
}

export function creditWords({
  credit_state: state,
  estimated_export_credit_cost: most,
  observed_export_credit_cost: charged,
}: Job): string {
  if (state === 'released') return `nothing charged, ${whole(most)} refunded`;
  if (state === 'reserved' || charged === null) return `${whole(most)} reserved`;
  const back = most - charged;
  return `${whole(charged)} charged${back > 0 ? `, ${whole(back)} refunded` : ''}`;
}

export function progressWords(job: Job): string {
  const { progress, parts_made: made, part_total: total, started_at_utc: started, finished_at_utc: finished } = job;
  const files = `${whole(made)} of ${counted(total, 'data file')}`;
  if (finished === null) return job.status === 'queued' ? 'waiting for a worker' : `${Math.floor(100 * progress)} % of rows, ${files}`;
  return started === null ? files : `${files} in ${duration(Date.parse(finished) - Date.parse(started))}`;
}
