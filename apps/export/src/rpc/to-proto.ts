import type { exports } from '@market-state/contracts';
import { type Job, progressOf } from '../jobs/job';
import type { ExportSpec } from '../jobs/spec';
import type { StoredFile } from '../store/files';
import { toProtoCompression, toProtoDataset, toProtoFormat, toProtoStatus } from './words';

export function toProtoSpec(spec: ExportSpec): exports.ExportSpec {
  return {
    dataset: toProtoDataset(spec.dataset),
    symbols: [...spec.symbols],
    fromMs: spec.fromMs,
    toMs: spec.toMs,
    asOfMs: spec.asOfMs,
    format: toProtoFormat(spec.format),
    compression: toProtoCompression(spec.compression),
    intervalMs: spec.intervalMs,
    depth: spec.depth,
    columns: [...spec.columns],
  };
}

/** Totals are of the files once they are there, and planned until then. */
export function toProtoJob(job: Job): exports.Job {
  const isMade = job.status === 'ready' || job.status === 'expired';
  return {
    jobId: job.jobId,
    status: toProtoStatus(job.status),
    progress: progressOf(job),
    spec: toProtoSpec(job.spec),
    rowTotal: isMade ? job.rowsMade : job.rowTotal,
    byteTotal: isMade ? job.bytesMade : job.byteTotal,
    partTotal: job.partTotal,
    partsMade: job.partsMade,
    estimatedExportCredits: job.estimatedCredits,
    observedExportCredits: job.observedCredits ?? undefined,
    createdMs: job.createdMs,
    startedMs: job.startedMs ?? 0,
    finishedMs: job.finishedMs ?? 0,
    expiresMs: job.expiresMs ?? 0,
    error: job.errorReason === null ? undefined : { reason: job.errorReason, message: job.errorMessage ?? '' },
    receiptId: job.receiptId ?? '',
    operationId: job.operationId,
  };
}

export function toProtoFile({ name, contentType, bytes, sha256, part }: StoredFile): exports.ExportFile {
  return {
    name,
    contentType,
    bytes,
    sha256,
    symbol: part?.symbol ?? '',
    dayMs: part?.dayMs ?? 0,
    rows: part?.facts.rows ?? 0,
    firstMs: part?.facts.firstMs ?? 0,
    lastMs: part?.facts.lastMs ?? 0,
    isData: part !== undefined,
  };
}
