import { identifier, literal } from '@market-state/archive';
import { type ExportColumn, isMarkedInCsv, MARKED_CELL, PACKET_BODY_COLUMNS, pickColumns } from '@market-state/export-schema';
import { readMarket, WINDOW_MS } from '@market-state/market-data';
import type { ExportSpec } from '../jobs/job';

const BODY_COLUMNS = new Map(PACKET_BODY_COLUMNS.map((column) => [column.name, column]));

interface BodyShape {
  [field: string]: BodyShape | string | readonly [string];
}

/** Fields of a packet body that columns use, in the notation of `from_json`; parsed once for all of them. */
const BODY_SHAPE = JSON.stringify(
  PACKET_BODY_COLUMNS.reduce<BodyShape>((shape, { path, type }) => {
    const [outer = '', inner] = path.split('.');
    const leaf = type.endsWith('[]') ? ([type.slice(0, -2)] as const) : type;
    shape[outer] = inner === undefined ? leaf : { ...(shape[outer] as BodyShape | undefined), [inner]: leaf };
    return shape;
  }, {}),
);

const TIMES: Readonly<Record<string, string>> = {
  exchange_time_utc: 'exchange_ts_ms',
  received_time_utc: 'received_ts_ms',
  open_time_utc: 'open_ts_ms',
  close_time_utc: 'close_ts_ms',
  window_start_utc: 'window_start_ms',
  window_end_utc: 'window_end_ms',
  known_at_utc: 'known_ts_ms',
};

const CSV_LEVEL = /^(bid|ask)_(price|size|venue_size)_(\d+)$/;

export interface Selection {
  /** `expression AS name, …` in file order. */
  readonly list: string;
  /** Expression computed once per row for several columns; absent if none needs it. */
  readonly body?: string;
}

export function selectionOf(spec: ExportSpec, symbol: string): Selection {
  const columns = pickColumns(spec, spec.columns);
  const list = columns.map((column) => `${cellOf(spec, symbol, column)} AS ${identifier(column.name)}`).join(', ');
  const needsBody = spec.dataset === 'packets' && columns.some(({ name }) => BODY_COLUMNS.has(name));
  return needsBody ? { list, body: `from_json(body, ${literal(BODY_SHAPE)}) AS fields` } : { list };
}

function cellOf(spec: ExportSpec, symbol: string, column: ExportColumn): string {
  const value = expressionOf(spec, symbol, column);
  if (spec.format !== 'csv' || !isMarkedInCsv(column.name)) return value;
  return `CASE WHEN regexp_matches(${value}, ${literal(MARKED_CELL)}) THEN '''' || ${value} ELSE ${value} END`;
}

function expressionOf(spec: ExportSpec, symbol: string, { name, type }: ExportColumn): string {
  const timeOf = TIMES[name];
  if (timeOf !== undefined) return timeIn(spec, millisOf(timeOf));
  if (name === 'symbol') return literal(readMarket(symbol).symbol);
  if (spec.dataset === 'book') return bookExpression(spec, name);
  if (spec.dataset === 'packets') return packetExpression(spec, name, type);
  return identifier(name);
}

function millisOf(name: string): string {
  return name === 'window_start_ms' ? `window_end_ms - ${WINDOW_MS}` : identifier(name);
}

/** TIMESTAMPTZ in Parquet, else RFC 3339 text with milliseconds. */
function timeIn({ format }: ExportSpec, millis: string): string {
  if (format === 'parquet') return `make_timestamptz(${millis} * 1000)`;
  return `strftime(make_timestamp_ms(${millis}), '%Y-%m-%dT%H:%M:%S.%gZ')`;
}

function bookExpression({ depth }: ExportSpec, name: string): string {
  if (name === 'bids' || name === 'asks') return `${name}[1:${depth}]`;
  const [, side, field, level] = CSV_LEVEL.exec(name) ?? [];
  return side === undefined ? identifier(name) : `${side}s[${level}].${field}`;
}

function packetExpression({ format }: ExportSpec, name: string, type: string): string {
  const inBody = BODY_COLUMNS.get(name);
  if (inBody !== undefined) {
    const field = `fields.${inBody.path}`;
    const isJoinedList = format === 'csv' && inBody.type !== type;
    return isJoinedList ? `array_to_string(${field}, '|')` : field;
  }
  if (name === 'signature') return 'to_base64(signature)';
  return millisOf(name);
}
