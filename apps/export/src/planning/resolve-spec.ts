import type { exports } from '@market-state/contracts';
import { failedPrecondition, type Fault, invalidArgument, unknownSymbol } from '@market-state/errors';
import {
  DEFAULT_COMPRESSION,
  DEFAULT_DATASET,
  DEFAULT_FORMAT,
  DEFAULT_TIMEFRAME,
  defaultDepth,
  DEPTH_MAX,
  depthWritten,
  exportFaults,
  pickColumns,
  SYMBOLS_MAX,
  TIMEFRAMES,
} from '@market-state/export-schema';
import { INSTANT_MS_MAX, instantFaults, rangeFaults, refuseFaults, symbolFaults } from '@market-state/request-checks';
import type { ExportSpec } from '../jobs/job';
import { fromProtoCompression, fromProtoDataset, fromProtoFormat } from '../rpc/wire';
import type { Upstreams } from '../upstreams';

/** Without defaults that depend on recorded data. */
export interface RequestedSpec extends Omit<ExportSpec, 'asOfMs'> {
  /** Empty: the first symbol served. */
  readonly symbols: readonly string[];
  /** 0: a day before the end. */
  readonly fromMs: number;
  /** 0: up to the end of recorded data. */
  readonly toMs: number;
}

const FIELDS = { compression: 'compression', tf: 'interval_ms', depth: 'depth', columns: 'columns', from: 'from_ms', to: 'to_ms' } as const;
const INTERVALS_MS: readonly number[] = Object.values(TIMEFRAMES);
const DAY_MS = 86_400_000;

/**
 * An absent request means the default export.
 * @throws ServiceError INVALID_ARGUMENT with all faults
 */
export function resolveSpec(request: exports.ExportSpec | undefined): RequestedSpec {
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
    fault(asOfMs !== 0, 'spec.as_of_ms', 'is set by the server', 'out_of_range'),
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

/**
 * Resolves symbols and the end of recorded data; an open end becomes that, or a day after the start.
 * @throws ServiceError `unknown_symbol`; `nothing_recorded` if no symbol has data; INVALID_ARGUMENT if the start is
 * after the recorded data
 */
export async function fixSpec({ marketData }: Pick<Upstreams, 'marketData'>, requested: RequestedSpec): Promise<ExportSpec> {
  const { instruments } = await marketData.call.listInstruments({});
  const served = instruments.map(({ symbol }) => symbol);
  const symbols = requested.symbols.length > 0 ? requested.symbols : served.slice(0, 1);
  for (const symbol of symbols) if (!served.includes(symbol)) throw unknownSymbol(symbol, served);
  const recorded = await Promise.all(symbols.map((symbol) => recordedUntil({ marketData }, symbol)));
  const asOfMs = Math.min(...recorded);
  if (asOfMs === 0) throw failedPrecondition('nothing_recorded', 'Nothing is recorded yet for the requested symbols.');
  const toMs = Math.min(requested.toMs || asOfMs + 1, asOfMs + 1);
  const fromMs = requested.fromMs || Math.max(1, toMs - DAY_MS);
  if (fromMs > asOfMs) {
    const message = `must not be after ${new Date(asOfMs).toISOString()}, the end of recorded data`;
    throw invalidArgument([{ field: 'spec.from_ms', message, type: 'in_the_future' }]);
  }
  // Checked here because an open end is known only now.
  refuseFaults(
    exportFaults({ dataset: requested.dataset, format: requested.format, fromMs, toMs }).map(({ message, type }) => ({
      field: 'spec.from_ms',
      message,
      type,
    })),
  );
  return { ...requested, symbols, asOfMs, fromMs, toMs };
}

/** Instant up to which all received data of a symbol is recorded. */
async function recordedUntil({ marketData }: Pick<Upstreams, 'marketData'>, symbol: string): Promise<number> {
  const { asOfMs } = await marketData.call.listGaps({ symbol, fromMs: 0, toMs: 0, pageSize: 1, pageToken: '', asOfMs: INSTANT_MS_MAX });
  return asOfMs;
}
