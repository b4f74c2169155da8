import type { Compression, Dataset, Format } from '@market-state/export-schema';
import { utcOrNull } from '../utc';

/** What is exported, with everything resolved. */
export interface ExportSpec {
  readonly dataset: Dataset;
  readonly symbols: readonly string[];
  /** Exchange time, window end of packets, open time of candles, milliseconds since the epoch; inclusive. */
  readonly fromMs: number;
  /** Exclusive. */
  readonly toMs: number;
  /** Only what was received by then. */
  readonly asOfMs: number;
  readonly format: Format;
  readonly compression: Compression;
  /** Length of a candle, milliseconds; 0 for other datasets. */
  readonly intervalMs: number;
  /** Levels a side; 0 for other datasets than book. */
  readonly depth: number;
  /** Columns in their order, never empty. */
  readonly columns: readonly string[];
}

/** States of a job; it only goes forward. */
const JOB_STATUSES = ['queued', 'running', 'publishing', 'ready', 'failed', 'cancelled', 'expired'] as const;

export type JobStatus = (typeof JOB_STATUSES)[number];

/** Why a job fails, and what a customer reads of it. */
export const FAILURES = {
  source_damaged: 'A file of the archive that the export needs is damaged.',
  source_gone: 'Rows of the span were removed, at the end of their retention, before the export was made.',
  rows_differ: 'The files would not have held as many rows as were planned.',
  storage_full: 'The store of the files is full.',
  storage_unreachable: 'A store or a service that the export needs could not be reached, five times in a row.',
  took_too_long: 'The export was not done 12 hours after it was ordered.',
  reservation_over: 'The credits that were reserved had been released when the files were ready.',
  internal: 'The export failed for a reason of ours; it is logged.',
} as const;

export type FailureReason = keyof typeof FAILURES;

/** Who created a job. */
export interface JobCaller {
  readonly tenantId: string;
  /** One of the two is empty. */
  readonly keyId: string;
  readonly accountId: string;
}

/** What is known of one symbol of a job. */
export interface JobSymbol {
  readonly symbol: string;
  readonly venue: string;
  /** `live`, `recorded` or `simulated`; empty where it is not known. */
  readonly sourceKind: string;
  /** From where on its rows are kept, milliseconds since the epoch. */
  readonly keptFromMs: number;
  /** Whether its venue reports the dataset at all. */
  readonly isReported: boolean;
}

/** An export job as it is stored. Times are milliseconds since the epoch. */
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
  /** By plan. */
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

/** Share of the rows that are made, 0..1. */
export function progressOf({ status, rowTotal, rowsMade, partTotal, partsMade }: Job): number {
  if (status === 'ready' || status === 'expired' || partTotal === 0) return status === 'queued' ? 0 : 1;
  return rowTotal === 0 ? partsMade / partTotal : Math.min(1, rowsMade / rowTotal);
}

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

/** A file of the archive and what it must be. */
export interface SourceFile {
  readonly key: string;
  /** Lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
}

/** An hour that a part is made from. */
export interface SourceHour {
  /** Start of the hour, milliseconds since the epoch. */
  readonly hourMs: number;
  /** Of the log, inclusive; 0 for packets. */
  readonly firstOrdinal: number;
  readonly lastOrdinal: number;
  /** Rows of the part in it. */
  readonly rows: number;
  /** Absent: its rows are asked for. */
  readonly file?: SourceFile;
}

/** What a part is made from. */
export interface PartPlan {
  /** As in ExportSpec, of this part. */
  readonly fromMs: number;
  readonly toMs: number;
  /** Last entry of the log that counts; 0 for packets and candles. */
  readonly toOrdinal: number;
  /** In the order of their rows; none for candles. */
  readonly hours: readonly SourceHour[];
}

/** A data file that is planned. */
export interface PlannedPart {
  /** From 1, by symbol and day. */
  readonly number: number;
  readonly symbol: string;
  /** Start of the UTC day. */
  readonly dayMs: number;
  readonly name: string;
  readonly plan: PartPlan;
  /** Exact, but for candles, where it is the most that there can be. */
  readonly rowTotal: number;
  /** Estimate. */
  readonly byteTotal: number;
}

/** What making a part takes of it and of its job. */
export interface PartOrder extends Pick<PlannedPart, 'symbol' | 'plan' | 'name' | 'rowTotal'> {
  readonly job: Pick<Job, 'jobId' | 'spec'>;
  /** Number of this try. */
  readonly attempt: number;
}

/** Rows of an hour that are late, or whose two times lie more than 2 s apart. */
export interface FlaggedHour {
  readonly hourMs: number;
  readonly late: number;
  readonly skewed: number;
}

/** What was found in a file that was made. */
export interface PartFacts {
  readonly rows: number;
  /** Milliseconds since the epoch; null in a file without rows. */
  readonly firstMs: number | null;
  readonly lastMs: number | null;
  /** Rows of which it is not known whether the venue gave their time: of archive files from before that was kept. */
  readonly uncheckedRows: number;
  readonly flagged: readonly FlaggedHour[];
  /** Packets: digests of the policies that they name. */
  readonly policyDigests?: readonly string[];
}
