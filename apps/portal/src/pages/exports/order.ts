import type { Params, Schemas } from '@market-state/client';
import {
  columnsOf,
  type Compression,
  COMPRESSIONS,
  type Dataset,
  DATASETS,
  DEFAULT_COMPRESSION,
  DEFAULT_DATASET,
  DEFAULT_FORMAT,
  DEFAULT_TIMEFRAME,
  type Format,
  FORMATS,
  type Timeframe,
  TIMEFRAME_NAMES,
} from '@market-state/export-schema';
import { spanFaults, instantOf } from '../../time/field-time';
import { readSpan, urlTime, readUrlValue, urlList, urlText, urlWord } from '../../service/url-state';

export interface Order {
  readonly dataset: Dataset;
  readonly symbols: readonly string[];
  readonly fromMs: number;
  readonly toMs: number;
  readonly format: Format;
  readonly compression: Compression;
  /** Only for candles. */
  readonly tf: Timeframe;
  /** Typed text, only for books; empty uses the format's default. */
  readonly depth: string;
  /** Empty for all columns. */
  readonly columns: readonly string[];
}

const DATASET = urlWord(DATASETS, DEFAULT_DATASET);
const FORMAT = urlWord(FORMATS, DEFAULT_FORMAT);
const COMPRESSION = urlWord(COMPRESSIONS, DEFAULT_COMPRESSION);
const TF = urlWord(TIMEFRAME_NAMES, DEFAULT_TIMEFRAME);

/** Defaults to the 24 hours before `openedMs`. */
export function readOrder(params: URLSearchParams, openedMs: number): Order {
  const { fromMs, toMs } = readSpan(params, { symbol: '', fromMs: openedMs - DAY_MS, toMs: openedMs });
  return {
    dataset: readUrlValue(params, 'dataset', DATASET),
    symbols: readUrlValue(params, 'symbols', urlList),
    fromMs,
    toMs,
    format: readUrlValue(params, 'format', FORMAT),
    compression: readUrlValue(params, 'compression', COMPRESSION),
    tf: readUrlValue(params, 'tf', TF),
    depth: readUrlValue(params, 'depth', urlText),
    columns: readUrlValue(params, 'columns', urlList),
  };
}

const DAY_MS = 86_400_000;

export function withOrder(params: URLSearchParams, order: Order): URLSearchParams {
  const changed = new URLSearchParams(params);
  const { dataset, symbols, format, compression, tf, depth, columns } = order;
  const texts = {
    dataset,
    symbols: symbols.join(','),
    format,
    compression,
    tf: dataset === 'candles' ? tf : '',
    columns: columns.join(','),
  };
  for (const [name, text] of Object.entries({ ...texts, depth: dataset === 'book' ? depth : '' })) {
    if (text === '') changed.delete(name);
    else changed.set(name, text);
  }
  changed.set('from', urlTime(order.fromMs));
  changed.set('to', urlTime(order.toMs));
  return changed;
}

/** Selecting all columns equals selecting none. */
export function orderOf(form: FormData, columnTotal: number): Order {
  const text = (name: string): string => String(form.get(name) ?? '');
  const columns = form.getAll('columns').map(String);
  return {
    dataset: DATASET.read(text('dataset')) ?? DATASET.usual,
    symbols: form.getAll('symbols').map(String),
    fromMs: instantOf(form.get('from')),
    toMs: instantOf(form.get('to')),
    format: FORMAT.read(text('format')) ?? FORMAT.usual,
    compression: COMPRESSION.read(text('compression')) ?? COMPRESSION.usual,
    tf: TF.read(text('tf')) ?? TF.usual,
    depth: text('depth'),
    columns: columns.length === columnTotal ? [] : columns,
  };
}

export function orderLike(request: Schemas['ExportSpec']): Order {
  const { dataset, format, compression, tf, depth } = request;
  const all = columnsOf({
    dataset: DATASET.read(dataset) ?? DATASET.usual,
    format: FORMAT.read(format) ?? FORMAT.usual,
    depth: depth ?? undefined,
  });
  return {
    dataset: DATASET.read(dataset) ?? DATASET.usual,
    symbols: request.symbols,
    fromMs: Date.parse(request.from_utc),
    toMs: Date.parse(request.to_utc),
    format: FORMAT.read(format) ?? FORMAT.usual,
    compression: COMPRESSION.read(compression) ?? COMPRESSION.usual,
    tf: TF.read(tf ?? '') ?? TF.usual,
    depth: depth === null ? '' : String(depth),
    columns: request.columns.length === all.length ? [] : request.columns,
  };
}

/** Faults found without the service. */
export function orderFaults(form: FormData): ReadonlyMap<string, string> {
  return new Map([...(form.has('symbols') ? [] : ([['symbols', 'Choose a symbol.']] as const)), ...spanFaults(form)]);
}

export function orderParams(order: Order): Params<'createExportJob'> {
  const { dataset, symbols, fromMs, toMs, format, compression, tf, depth, columns } = order;
  return {
    dataset,
    symbols: [...symbols],
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    format,
    compression,
    ...(dataset === 'candles' ? { tf } : {}),
    ...(dataset === 'book' && depth !== '' ? { depth: Number(depth) } : {}),
    ...(columns.length > 0 ? { columns: [...columns] } : {}),
  } as Params<'createExportJob'>;
}

export const ORDER_FIELDS = ['dataset', 'symbols', 'from', 'to', 'format', 'compression', 'tf', 'depth', 'columns'];
