import { type Queryable, run } from '@market-state/postgres';
import { fromJobRow, type JobRow } from './job-row';
import { tables } from './tables';
import { FAILURES, type FailureReason, type Job, type JobStatus } from '../jobs/job';

/** The states that may follow each state. */
const NEXT: Readonly<Record<JobStatus, readonly JobStatus[]>> = {
  queued: ['running', 'failed', 'cancelled'],
  running: ['publishing', 'failed', 'cancelled'],
  publishing: ['ready', 'failed'],
  ready: ['expired'],
  failed: [],
  cancelled: [],
  expired: [],
};

/** A step of a job, and what is known with it. */
export type Step =
  | { readonly to: 'running' | 'cancelled' | 'expired'; readonly nowMs: number }
  | { readonly to: 'publishing'; readonly nowMs: number; readonly reviewPack: unknown }
  | { readonly to: 'ready'; readonly nowMs: number; readonly expiresMs: number; readonly credits: number; readonly receiptId: string }
  | { readonly to: 'failed'; readonly nowMs: number; readonly reason: FailureReason; readonly detail?: string };

/** Whoever publishes writes with the number of the try: a later try refuses it. */
export interface Fence {
  readonly fence: number;
}

/**
 * Moves a job on: the only place that writes its status. Undefined when the job is in no state before that one any more, or another try
 * publishes it.
 */
export async function advance(on: Queryable, jobId: string, step: Step, fence?: Fence): Promise<Job | undefined> {
  const before = (Object.keys(NEXT) as JobStatus[]).filter((status) => NEXT[status].includes(step.to));
  let statement = tables
    .updateTable('export_job')
    .set({ status: step.to, ...changesOf(step) })
    .where('job_id', '=', jobId)
    .where('status', 'in', before);
  if (fence !== undefined) statement = statement.where('fence', '=', fence.fence);
  const { rows } = await run<JobRow>(on, statement.returningAll());
  return rows[0] === undefined ? undefined : fromJobRow(rows[0]);
}

function changesOf(step: Step) {
  const nowMs = String(step.nowMs);
  switch (step.to) {
    case 'running':
      return { started_ms: nowMs };
    case 'cancelled':
      return { finished_ms: nowMs };
    case 'expired':
      return {};
    case 'publishing':
      return { review_pack: JSON.stringify(step.reviewPack) };
    case 'ready':
      return {
        finished_ms: nowMs,
        expires_ms: String(step.expiresMs),
        observed_credits: step.credits,
        receipt_id: step.receiptId,
        credits_over: true,
      };
    case 'failed':
      return {
        finished_ms: nowMs,
        error_reason: step.reason,
        error_message: step.detail === undefined ? FAILURES[step.reason] : `${FAILURES[step.reason]} ${step.detail}`,
      };
  }
}
