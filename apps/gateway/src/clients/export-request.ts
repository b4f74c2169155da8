import { exports } from '@market-state/contracts';
import { internal } from '@market-state/errors';
import {
  type Compression,
  type Dataset,
  DEFAULT_COMPRESSION,
  DEFAULT_DATASET,
  DEFAULT_FORMAT,
  DEFAULT_TIMEFRAME,
  defaultDepth,
  type Format,
  type Timeframe,
  TIMEFRAMES,
} from '@market-state/export-schema';
import { parseInstant } from '../serving/meta/meta';
import type { Described } from '../serving/openapi/document';

type Status = Described<'ExportJobRecord'>['status'];

const { Dataset: WireDataset, FileFormat: WireFormat, Compression: WireCompression, JobStatus: WireStatus } = exports;

export const WIRE_DATASETS: Readonly<Record<Dataset, exports.Dataset>> = {
  book: WireDataset.BOOK,
  trades: WireDataset.TRADES,
  candles: WireDataset.CANDLES,
  context: WireDataset.CONTEXT,
  liquidations: WireDataset.LIQUIDATIONS,
  packets: WireDataset.PACKETS,
};

export const WIRE_FORMATS: Readonly<Record<Format, exports.FileFormat>> = {
  parquet: WireFormat.PARQUET,
  csv: WireFormat.CSV,
  ndjson: WireFormat.NDJSON,
};

export const WIRE_COMPRESSIONS: Readonly<Record<Compression, exports.Compression>> = {
  none: WireCompression.NONE,
  gzip: WireCompression.GZIP,
  zstd: WireCompression.ZSTD,
  snappy: WireCompression.SNAPPY,
};

export const WIRE_STATUSES: Readonly<Record<Status, exports.JobStatus>> = {
  queued: WireStatus.QUEUED,
  running: WireStatus.RUNNING,
  publishing: WireStatus.PUBLISHING,
  ready: WireStatus.READY,
  failed: WireStatus.FAILED,
  cancelled: WireStatus.CANCELLED,
  expired: WireStatus.EXPIRED,
};

/** @throws {ServiceError} INTERNAL for an unknown value */
export function wordOf<Word extends string, Wire>(words: Readonly<Record<Word, Wire>>, value: Wire): Word {
  const found = (Object.keys(words) as Word[]).find((word) => words[word] === value);
  if (found === undefined) throw internal({ detail: `the export service sent ${String(value)}` });
  return found;
}

interface ExportBody {
  readonly dataset?: Dataset;
  readonly symbols?: readonly string[];
  readonly from?: string;
  readonly to?: string;
  readonly format?: Format;
  readonly compression?: Compression;
  readonly tf?: Timeframe;
  readonly depth?: number;
  readonly columns?: readonly string[];
}

/** Defaults are filled in unless they depend on recorded data. */
export interface ExportRequest {
  readonly dataset: Dataset;
  /** Empty: the first served symbol. */
  readonly symbols: readonly string[];
  /** Milliseconds since the epoch; null if open-ended. */
  readonly from_ms: number | null;
  readonly to_ms: number | null;
  readonly format: Format;
  readonly compression: Compression;
  /** Candles only, otherwise null. */
  readonly tf: Timeframe | null;
  /** Books only, otherwise null. */
  readonly depth: number | null;
  /** Empty: all columns. */
  readonly columns: readonly string[];
}

export function readExportRequest(body: ExportBody | null | undefined): ExportRequest {
  const { dataset = DEFAULT_DATASET, format = DEFAULT_FORMAT, symbols = [], columns = [], from = '', to = '', ...rest } = body ?? {};
  return {
    dataset,
    symbols,
    from_ms: parseInstant(from),
    to_ms: parseInstant(to),
    format,
    compression: rest.compression ?? DEFAULT_COMPRESSION,
    tf: dataset === 'candles' ? (rest.tf ?? DEFAULT_TIMEFRAME) : null,
    depth: dataset === 'book' ? (rest.depth ?? defaultDepth(format)) : null,
    columns,
  };
}

/** Input of `parametersDigest`. */
export function quotedParameters(request: ExportRequest) {
  return { query: {}, path: {}, body: request };
}

export function toProtoSpec(request: ExportRequest): exports.ExportSpec {
  return {
    dataset: WIRE_DATASETS[request.dataset],
    symbols: [...request.symbols],
    fromMs: request.from_ms ?? 0,
    toMs: request.to_ms ?? 0,
    asOfMs: 0,
    format: WIRE_FORMATS[request.format],
    compression: WIRE_COMPRESSIONS[request.compression],
    intervalMs: request.tf === null ? 0 : TIMEFRAMES[request.tf],
    depth: request.depth ?? 0,
    columns: [...request.columns],
  };
}
