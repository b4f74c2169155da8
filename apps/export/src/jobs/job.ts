import type { ExportSpec } from './spec';

/** States of a job; it only goes forward. */
export const JOB_STATUSES = ['queued', 'running', 'publishing', 'ready', 'failed', 'cancelled', 'expired'] as const;
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
