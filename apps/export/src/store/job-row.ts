import type { Selectable } from 'kysely';
import type { FailureReason, Job, JobSymbol } from '../jobs/job';
import type { ExportSpec } from '../jobs/spec';
import type { ExportJob } from './generated/tables';

export type JobRow = Selectable<ExportJob>;

/** A job out of its row, as the driver reads it. */
export function fromJobRow(row: JobRow): Job {
  return {
    jobId: row.job_id,
    tenantId: row.tenant_id,
    operationId: row.operation_id,
    requestId: row.request_id,
    planId: row.plan_id,
    quoteId: row.quote_id,
    spec: row.spec as ExportSpec,
    symbols: row.symbols as readonly JobSymbol[],
    planDigest: row.plan_digest,
    status: row.status,
    fence: row.fence,
    rowTotal: Number(row.row_total),
    byteTotal: Number(row.byte_total),
    rowsMade: Number(row.rows_made),
    bytesMade: Number(row.bytes_made),
    partTotal: row.part_total,
    partsMade: row.parts_made,
    estimatedCredits: row.estimated_credits,
    observedCredits: row.observed_credits,
    receiptId: row.receipt_id,
    createdMs: Number(row.created_ms),
    startedMs: toNumber(row.started_ms),
    finishedMs: toNumber(row.finished_ms),
    expiresMs: toNumber(row.expires_ms),
    errorReason: row.error_reason as FailureReason | null,
    errorMessage: row.error_message,
  };
}

function toNumber(value: string | null): number | null {
  return value === null ? null : Number(value);
}
