import { type ColumnChoice, columnsOf } from './columns';
import { isLogDataset } from './datasets';
import { depthWritten, RECORDED_DEPTH } from './formats';

/** Columns that say again what others say: a file can be checked without them. */
const DERIVED = ['exchange_time_utc', 'received_time_utc', 'flags'];

/** What it takes to find a candle and to compare every field that REST gives of it. */
const CANDLE_DERIVED = ['open_ts_ms', 'close_ts_ms'];

const PACKET_NEEDED = ['symbol', 'event_id', 'window_end_ms', 'packet_digest', 'body'];

function neededColumns(choice: ColumnChoice): readonly string[] {
  if (choice.dataset === 'packets') return PACKET_NEEDED;
  const derived = isLogDataset(choice.dataset) ? DERIVED : CANDLE_DERIVED;
  return columnsOf(choice).flatMap(({ name }) => (derived.includes(name) ? [] : [name]));
}

/**
 * Whether a file with these columns (none: all) can be checked row by row against the API: rows of the log need `ordinal`, `epoch` and
 * whatever a row is made of, a book every recorded level.
 */
export function isCheckable(choice: ColumnChoice, names: readonly string[]): boolean {
  if (choice.dataset === 'book' && depthWritten(choice.format, choice.depth) < RECORDED_DEPTH) return false;
  return names.length === 0 || neededColumns(choice).every((name) => names.includes(name));
}
