import {
  defaultDepth,
  DEFAULT_COMPRESSION,
  DEFAULT_DATASET,
  DEFAULT_FORMAT,
  DEFAULT_TIMEFRAME,
  DEPTH_MAX,
  depthWritten,
  exportFaults,
  pickColumns,
  SYMBOLS_MAX,
  TIMEFRAMES,
} from '@market-state/export-schema';
import type { exports } from '@market-state/contracts';
import type { Fault } from '@market-state/errors';
import { instantFaults, rangeFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import type { ExportSpec } from '../jobs/spec';
import { fromProtoCompression, fromProtoDataset, fromProtoFormat } from '../rpc/words';

/** What was asked, with defaults filled but for those that depend on what is recorded. */
export interface AskedSpec extends Omit<ExportSpec, 'asOfMs'> {
  /** Empty: the first symbol served. */
  readonly symbols: readonly string[];
  /** 0: a day before the end. */
  readonly fromMs: number;
  /** 0: up to what is recorded. */
  readonly toMs: number;
}

/** Fields of the request by their public names. */
const FIELDS = { compression: 'compression', tf: 'interval_ms', depth: 'depth', columns: 'columns', from: 'from_ms', to: 'to_ms' } as const;

const INTERVALS_MS: readonly number[] = Object.values(TIMEFRAMES);

/**
 * Reads a request. An absent one asks for the default export.
 * @throws ServiceError INVALID_ARGUMENT naming every fault
 */
export function resolveSpec(request: exports.ExportSpec | undefined): AskedSpec {
  const { symbols = [], fromMs = 0, toMs = 0, asOfMs = 0, intervalMs = 0, depth = 0, columns = [] } = request ?? {};
  const dataset = fromProtoDataset(request?.dataset) ?? DEFAULT_DATASET;
  const format = fromProtoFormat(request?.format) ?? DEFAULT_FORMAT;
  const compression = fromProtoCompression(request?.compression) ?? DEFAULT_COMPRESSION;
  const choice = { dataset, format, depth: depth === 0 ? undefined : depth };
  const tf = intervalMs === 0 ? undefined : String(intervalMs);
  const span = { fromMs: fromMs || undefined, toMs: toMs || undefined };
  refuseFaults(
    symbols.flatMap((symbol, index) => symbolFaults(symbol, `spec.symbols[${index}]`)),
    fault(symbols.length > SYMBOLS_MAX, 'spec.symbols', `must be at most ${SYMBOLS_MAX}`, 'too_many'),
    fault(new Set(symbols).size < symbols.length, 'spec.symbols', 'must not name a symbol twice', 'duplicate'),
    instantFaults('spec.from_ms', fromMs),
    instantFaults('spec.to_ms', toMs),
    fault(asOfMs !== 0, 'spec.as_of_ms', 'is set when the job is created', 'out_of_range'),
    fault(
      dataset === 'candles' && intervalMs !== 0 && !INTERVALS_MS.includes(intervalMs),
      'spec.interval_ms',
      `must be one of ${INTERVALS_MS.join(', ')}`,
      'unsupported',
    ),
    depth === 0 ? [] : rangeFaults('spec.depth', depth, 1, DEPTH_MAX),
    fault(new Set(columns).size < columns.length, 'spec.columns', 'must not name a column twice', 'duplicate'),
    exportFaults({ ...choice, ...span, compression, tf, columns }).map(({ field, ...rest }) => ({
      field: `spec.${FIELDS[field]}`,
      ...rest,
    })),
  );
  return {
    dataset,
    symbols,
    fromMs,
    toMs,
    format,
    compression,
    intervalMs: dataset === 'candles' ? intervalMs || TIMEFRAMES[DEFAULT_TIMEFRAME] : 0,
    depth: dataset === 'book' ? depthWritten(format, depth || defaultDepth(format)) : 0,
    columns: pickColumns(choice, columns).map(({ name }) => name),
  };
}

function fault(isWrong: boolean, field: string, message: string, type: string): Fault[] {
  return isWrong ? [{ field, message, type }] : [];
}
