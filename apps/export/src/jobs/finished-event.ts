import { utcOrNull } from '../publishing/words';
import type { Job } from './job';

/** What customers are notified of when a job has ended, in the words of its public record. Without files their figures are null. */
export function finishedEvent(job: Job) {
  const { jobId, status, spec, errorReason, errorMessage } = job;
  const isReady = status === 'ready';
  return {
    job_id: jobId,
    status,
    dataset: spec.dataset,
    symbols: spec.symbols,
    from_utc: utcOrNull(spec.fromMs),
    to_utc: utcOrNull(spec.toMs),
    format: spec.format,
    row_total: isReady ? job.rowsMade : null,
    byte_total: isReady ? job.bytesMade : null,
    estimated_export_credit_cost: job.estimatedCredits,
    observed_export_credit_cost: job.observedCredits,
    credit_state: isReady ? 'charged' : 'released',
    receipt_id: job.receiptId,
    created_at_utc: utcOrNull(job.createdMs),
    finished_at_utc: utcOrNull(job.finishedMs),
    expires_at_utc: utcOrNull(job.expiresMs),
    error: errorReason === null ? null : { reason: errorReason, message: errorMessage },
  };
}
