import { exports, marketData } from '@market-state/contracts';
import { type Compression, type Dataset, type Format, TIMEFRAMES } from '@market-state/export-schema';
import { type ExportSpec, type Job, type JobStatus, progressOf } from '../jobs/job';
import type { StoredFile } from '../store/files';

const { Compression: ProtoCompression, Dataset: ProtoDataset, FileFormat, JobStatus: ProtoStatus } = exports;

const DATASETS: Readonly<Record<Dataset, exports.Dataset>> = {
  book: ProtoDataset.BOOK,
  trades: ProtoDataset.TRADES,
  candles: ProtoDataset.CANDLES,
  context: ProtoDataset.CONTEXT,
  liquidations: ProtoDataset.LIQUIDATIONS,
  packets: ProtoDataset.PACKETS,
};

const FORMATS: Readonly<Record<Format, exports.FileFormat>> = {
  parquet: FileFormat.PARQUET,
  csv: FileFormat.CSV,
  ndjson: FileFormat.NDJSON,
};

const COMPRESSIONS: Readonly<Record<Compression, exports.Compression>> = {
  none: ProtoCompression.NONE,
  gzip: ProtoCompression.GZIP,
  zstd: ProtoCompression.ZSTD,
  snappy: ProtoCompression.SNAPPY,
};

const STATUSES: Readonly<Record<JobStatus, exports.JobStatus>> = {
  queued: ProtoStatus.QUEUED,
  running: ProtoStatus.RUNNING,
  publishing: ProtoStatus.PUBLISHING,
  ready: ProtoStatus.READY,
  failed: ProtoStatus.FAILED,
  cancelled: ProtoStatus.CANCELLED,
  expired: ProtoStatus.EXPIRED,
};

const SOURCE_KINDS: Readonly<Partial<Record<marketData.SourceKind, string>>> = {
  [marketData.SourceKind.LIVE]: 'live',
  [marketData.SourceKind.RECORDED]: 'recorded',
  [marketData.SourceKind.SIMULATED]: 'simulated',
};

function wordOf<Word extends string, Proto>(words: Readonly<Record<Word, Proto>>, value: Proto | undefined): Word | undefined {
  return (Object.keys(words) as Word[]).find((word) => words[word] === value);
}

export const fromProtoDataset = (value: exports.Dataset | undefined): Dataset | undefined => wordOf(DATASETS, value);
export const fromProtoFormat = (value: exports.FileFormat | undefined): Format | undefined => wordOf(FORMATS, value);
export const fromProtoCompression = (value: exports.Compression | undefined): Compression | undefined => wordOf(COMPRESSIONS, value);
export const fromProtoStatus = (value: exports.JobStatus): JobStatus | undefined => wordOf(STATUSES, value);

const toProtoDataset = (dataset: Dataset): exports.Dataset => DATASETS[dataset];
const toProtoFormat = (format: Format): exports.FileFormat => FORMATS[format];
const toProtoCompression = (compression: Compression): exports.Compression => COMPRESSIONS[compression];
const toProtoStatus = (status: JobStatus): exports.JobStatus => STATUSES[status];

/** `live`, `recorded` or `simulated`; empty if unknown. */
export function sourceKindName(kind: marketData.SourceKind): string {
  return SOURCE_KINDS[kind] ?? '';
}

/** Evidence in public terms; unset fields are null. */
export function toRequestedSpec(spec: exports.ExportSpec | undefined) {
  if (spec === undefined) return null;
  const { symbols, fromMs, toMs, intervalMs, depth, columns } = spec;
  const utc = (ms: number): string | null => (ms === 0 ? null : new Date(ms).toISOString());
  return {
    dataset: fromProtoDataset(spec.dataset) ?? null,
    symbols: symbols.length === 0 ? null : symbols,
    from: utc(fromMs),
    to: utc(toMs),
    format: fromProtoFormat(spec.format) ?? null,
    compression: fromProtoCompression(spec.compression) ?? null,
    tf: Object.entries(TIMEFRAMES).find(([, lengthMs]) => lengthMs === intervalMs)?.[0] ?? null,
    depth: depth === 0 ? null : depth,
    columns: columns.length === 0 ? null : columns,
  };
}

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

/** Totals are planned until the files exist. */
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
