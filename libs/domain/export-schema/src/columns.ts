import { type Dataset, isLogDataset } from './datasets';
import { depthWritten, type Format, RECORDED_DEPTH } from './formats';

/** Columns derived from others; a file can be verified without them. */
const DERIVED = ['exchange_time_utc', 'received_time_utc', 'flags'];

const CANDLE_DERIVED = ['open_ts_ms', 'close_ts_ms'];

const PACKET_NEEDED = ['symbol', 'event_id', 'window_end_ms', 'packet_digest', 'body'];

function neededColumns(choice: ColumnChoice): readonly string[] {
  if (choice.dataset === 'packets') return PACKET_NEEDED;
  const derived = isLogDataset(choice.dataset) ? DERIVED : CANDLE_DERIVED;
  return columnsOf(choice).flatMap(({ name }) => (derived.includes(name) ? [] : [name]));
}

/**
 * Returns true if a file with these columns (empty: all) can be verified row by row against the API. Log rows need
 * `ordinal`, `epoch` and every payload field; books also need all recorded levels.
 */
export function isCheckable(choice: ColumnChoice, names: readonly string[]): boolean {
  if (choice.dataset === 'book' && depthWritten(choice.format, choice.depth) < RECORDED_DEPTH) return false;
  return names.length === 0 || neededColumns(choice).every((name) => names.includes(name));
}

/** Column of a data file; `type` in DuckDB's notation. */
export interface ExportColumn {
  readonly name: string;
  readonly type: string;
}

/** Column of packets that is a field of the packet body. */
interface BodyColumn extends ExportColumn {
  /** Dotted path in the body (docs/packet-body.md). */
  readonly path: string;
}

interface ColumnChoice {
  readonly dataset: Dataset;
  readonly format: Format;
  /** Levels per side, for books only; defaults to the format's depth. */
  readonly depth?: number | undefined;
}

const LEVELS = 'STRUCT("price" VARCHAR, "size" VARCHAR, "venue_size" VARCHAR)[]';
const LIST = 'VARCHAR[]';

function columns(type: string, ...names: string[]): ExportColumn[] {
  return names.map((name) => ({ name, type }));
}

function moment(msName: string, utcName: string): ExportColumn[] {
  return [...columns('BIGINT', msName), ...columns('TIMESTAMPTZ', utcName)];
}

function bodyColumn(type: string, path: string, name = path): BodyColumn {
  return { name, type, path };
}

/** To export another field of the packet, add a line. */
export const PACKET_BODY_COLUMNS: readonly BodyColumn[] = [
  bodyColumn('VARCHAR', 'state'),
  bodyColumn('VARCHAR', 'event_class'),
  bodyColumn('VARCHAR', 'event_profile'),
  bodyColumn('VARCHAR', 'transition_type'),
  bodyColumn('VARCHAR', 'event_severity.severity_class', 'severity_class'),
  bodyColumn('DOUBLE', 'event_severity.score', 'severity_score'),
  bodyColumn('DOUBLE', 'novelty_score'),
  bodyColumn('DOUBLE', 'contradiction_score'),
  bodyColumn('VARCHAR', 'confidence.label', 'confidence_label'),
  bodyColumn('DOUBLE', 'confidence.score', 'confidence_score'),
  bodyColumn('DOUBLE', 'packet_quality.state_margin', 'state_margin'),
  bodyColumn(LIST, 'tags'),
  bodyColumn(LIST, 'packet_quality.gap_flags', 'gap_flags'),
];

/** Leading columns of every log dataset. Decimals are text in every format. */
const LOG_COLUMNS: readonly ExportColumn[] = [
  ...columns('VARCHAR', 'symbol', 'venue'),
  ...columns('BIGINT', 'ordinal'),
  ...columns('INTEGER', 'epoch', 'pass'),
  ...moment('exchange_ts_ms', 'exchange_time_utc'),
  ...moment('received_ts_ms', 'received_time_utc'),
  ...columns('BOOLEAN', 'exchange_ts_is_receive_time'),
  ...columns('SMALLINT', 'flags'),
  ...columns('VARCHAR', 'venue_id'),
];

const ALL: Readonly<Record<Dataset, readonly ExportColumn[]>> = {
  book: [...LOG_COLUMNS, ...columns(LEVELS, 'bids', 'asks')],
  trades: [...LOG_COLUMNS, ...columns('VARCHAR', 'price', 'size', 'venue_size', 'aggressor_side')],
  liquidations: [...LOG_COLUMNS, ...columns('VARCHAR', 'position_side', 'price', 'size', 'venue_size', 'provenance')],
  context: [
    ...LOG_COLUMNS,
    ...columns('VARCHAR', 'funding_rate', 'open_interest', 'mark_price', 'oracle_price', 'mid_price', 'day_volume', 'venue_funding_rate'),
    ...columns('INTEGER', 'funding_interval_hours'),
  ],
  candles: [
    ...columns('VARCHAR', 'symbol', 'venue', 'tf'),
    ...moment('open_ts_ms', 'open_time_utc'),
    ...moment('close_ts_ms', 'close_time_utc'),
    ...columns('VARCHAR', 'open', 'high', 'low', 'close', 'volume', 'notional'),
    ...columns('BIGINT', 'trade_total'),
    ...columns('BOOLEAN', 'complete', 'gap'),
  ],
  packets: [
    ...columns('VARCHAR', 'symbol', 'packet_id', 'event_id'),
    ...columns('BIGINT', 'sequence'),
    ...moment('window_start_ms', 'window_start_utc'),
    ...moment('window_end_ms', 'window_end_utc'),
    ...moment('known_ts_ms', 'known_at_utc'),
    ...PACKET_BODY_COLUMNS,
    ...columns('VARCHAR', 'packet_digest', 'lineage_digest', 'input_digest', 'policy_digest', 'signature', 'signing_key_id', 'body'),
  ],
};

function sideColumns(side: 'bid' | 'ask', depth: number): ExportColumn[] {
  return Array.from({ length: depth }, (_, at) =>
    columns('VARCHAR', `${side}_price_${at + 1}`, `${side}_size_${at + 1}`, `${side}_venue_size_${at + 1}`),
  ).flat();
}

/** CSV form of a column: one column per book level and field; other lists joined by `|`. */
function inCsv(column: ExportColumn, depth: number): readonly ExportColumn[] {
  if (column.type === LEVELS) return sideColumns(column.name === 'bids' ? 'bid' : 'ask', depth);
  return [column.type === LIST ? { name: column.name, type: 'VARCHAR' } : column];
}

/** In file order. */
export function columnsOf({ dataset, format, depth }: ColumnChoice): readonly ExportColumn[] {
  if (format !== 'csv') return ALL[dataset];
  return ALL[dataset].flatMap((column) => inCsv(column, depthWritten(format, depth)));
}

/** Requested columns in the requested order; all if the list is empty. Unknown names are dropped. */
export function pickColumns(choice: ColumnChoice, names: readonly string[]): readonly ExportColumn[] {
  const all = columnsOf(choice);
  return names.length === 0 ? all : names.flatMap((name) => all.filter((column) => column.name === name));
}

export function unknownColumns(choice: ColumnChoice, names: readonly string[]): readonly string[] {
  const known = new Set(columnsOf(choice).map(({ name }) => name));
  return names.filter((name) => !known.has(name));
}
