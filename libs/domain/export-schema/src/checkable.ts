import { type ColumnChoice, columnsOf } from './columns';
import { isLogDataset } from './datasets';
import { depthWritten, RECORDED_DEPTH } from './formats';

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
