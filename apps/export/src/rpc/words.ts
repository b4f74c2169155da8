import { exports, marketData } from '@market-state/contracts';
import type { Compression, Dataset, Format } from '@market-state/export-schema';
import type { JobStatus } from '../jobs/job';

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

/** Undefined where none is named. */
export const fromProtoDataset = (value: exports.Dataset | undefined): Dataset | undefined => wordOf(DATASETS, value);
export const fromProtoFormat = (value: exports.FileFormat | undefined): Format | undefined => wordOf(FORMATS, value);
export const fromProtoCompression = (value: exports.Compression | undefined): Compression | undefined => wordOf(COMPRESSIONS, value);
export const fromProtoStatus = (value: exports.JobStatus): JobStatus | undefined => wordOf(STATUSES, value);

export const toProtoDataset = (dataset: Dataset): exports.Dataset => DATASETS[dataset];
export const toProtoFormat = (format: Format): exports.FileFormat => FORMATS[format];
export const toProtoCompression = (compression: Compression): exports.Compression => COMPRESSIONS[compression];
export const toProtoStatus = (status: JobStatus): exports.JobStatus => STATUSES[status];

/** `live`, `recorded` or `simulated`; empty where it is not known. */
export function sourceKindName(kind: marketData.SourceKind): string {
  return SOURCE_KINDS[kind] ?? '';
}
