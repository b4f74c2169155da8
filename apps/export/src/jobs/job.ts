import type { Compression, Dataset, Format } from '@market-state/export-schema';
import { utcOrNull } from '../utc';

export interface ExportSpec {
  readonly dataset: Dataset;
  readonly symbols: readonly string[];
  /** Inclusive. Exchange time, packet window end or candle open time. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Excludes data received later. */
  readonly asOfMs: number;
  readonly format: Format;
  readonly compression: Compression;
  /** Candle length; 0 for other datasets. */
  readonly intervalMs: number;
  /** Levels per side; 0 for other datasets than book. */
  readonly depth: number;
  /** In order, never empty. */
  readonly columns: readonly string[];
}

const JOB_STATUSES = ['queued', 'running', 'publishing', 'ready', 'failed', 'cancelled', 'expired'] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

export const FAILURES = {
  source_damaged: 'An archive file that the export needs is damaged.',
  source_gone: 'Rows of the requested period were deleted at the end of their retention before the export was made.',
  rows_differ: 'The files would have had fewer rows than planned.',
  storage_full: 'The file storage is full.',
  storage_unreachable: 'A storage or service that the export needs was unreachable five times in a row.',
  took_too_long: 'The export did not finish within 12 hours.',
  reservation_over: 'The reserved credits had been released before the files were ready.',
  internal: 'The export failed because of an internal error, which was logged.',
} as const;

export type FailureReason = keyof typeof FAILURES;

export interface JobCaller {
  readonly tenantId: string;
  /** Exactly one is set. */
  readonly keyId: string;
  readonly accountId: string;
}

export interface JobSymbol {
  readonly symbol: string;
  readonly venue: string;
  /** `live`, `recorded` or `simulated`; empty if unknown. */
  readonly sourceKind: string;
  readonly keptFromMs: number;
  readonly isReported: boolean;
}

export interface Job {
  readonly jobId: string;
  readonly tenantId: string;
  readonly operationId: string;
  readonly requestId: string;
  readonly planId: string;
  readonly quoteId: string;
  readonly spec: ExportSpec;
  readonly symbols: readonly JobSymbol[];
  /** SHA-256 over the parts and their sources. */
  readonly planDigest: string;
  readonly status: JobStatus;
  readonly fence: number;
  readonly rowTotal: number;
  readonly byteTotal: number;
  readonly rowsMade: number;
  readonly bytesMade: number;
  readonly partTotal: number;
  readonly partsMade: number;
  readonly estimatedCredits: number;
  readonly observedCredits: number | null;
  readonly receiptId: string | null;
  readonly createdMs: number;
  readonly startedMs: number | null;
  readonly finishedMs: number | null;
  readonly expiresMs: number | null;
  readonly errorReason: FailureReason | null;
  readonly errorMessage: string | null;
}

/** Share of completed rows, 0..1. */
export function progressOf({ status, rowTotal, rowsMade, partTotal, partsMade }: Job): number {
  if (status === 'ready' || status === 'expired' || partTotal === 0) return status === 'queued' ? 0 : 1;
  return rowTotal === 0 ? partsMade / partTotal : Math.min(1, rowsMade / rowTotal);
}

/** With the fields of the public job. Totals are null without files. */
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

export interface SourceFile {
  readonly key: string;
  readonly sha256: string;
  readonly bytes: number;
}

export interface SourceHour {
  readonly hourMs: number;
  /** Log ordinals, inclusive; 0 for packets. */
  readonly firstOrdinal: number;
  readonly lastOrdinal: number;
  readonly rows: number;
  /** Absent: its rows are read from a service. */
  readonly file?: SourceFile;
}

export interface PartPlan {
  readonly fromMs: number;
  readonly toMs: number;
  /** Last log entry included; 0 for packets and candles. */
  readonly toOrdinal: number;
  /** In row order; empty for candles. */
  readonly hours: readonly SourceHour[];
}

export interface PlannedPart {
  /** From 1, by symbol and day. */
  readonly number: number;
  readonly symbol: string;
  readonly dayMs: number;
  readonly name: string;
  readonly plan: PartPlan;
  /** Exact, except for candles, where it is the maximum. */
  readonly rowTotal: number;
  readonly byteTotal: number;
}

export interface PartOrder extends Pick<PlannedPart, 'symbol' | 'plan' | 'name' | 'rowTotal'> {
  readonly job: Pick<Job, 'jobId' | 'spec'>;
  readonly attempt: number;
}

/** Hour with late rows, or rows whose exchange and receive times differ by more than 2 s. */
export interface FlaggedHour {
  readonly hourMs: number;
  readonly late: number;
  readonly skewed: number;
}

export interface PartFacts {
  readonly rows: number;
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** Rows from older archive files that do not record whether the venue sent a time. */
  readonly uncheckedRows: number;
  readonly flagged: readonly FlaggedHour[];
  /** Packets only: digests of the policies they name. */
  readonly policyDigests?: readonly string[];
}
