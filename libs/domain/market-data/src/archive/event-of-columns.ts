import type { Channel, MarketEvent } from '../event';
import { eventOfRow } from '../row/event-of-row';
import { EVENT_ROW_SCHEMA } from '../row/event-row';

/** A row of an archived or exported file by the names of its columns; what a file does not have is absent or null. */
export type NamedCells = Readonly<Record<string, unknown>>;

/** The channels whose rows are exported. */
export type DataChannel = Exclude<Channel, 'control'>;

/** Whole numbers of every row, which CSV has as text and Parquet as bigints. */
const INTEGERS = ['pass', 'exchange_ts_ms', 'received_ts_ms', 'ordinal', 'epoch'] as const;
const LEVELS_MAX = 25;

/**
 * The event that a row of a file states: of an unrepeated row, `rowLine` of it is the line that the API gives, byte for byte. Undefined
 * where the file does not say `exchange_ts_is_receive_time`, as files from before it was recorded.
 *
 * Takes cells as any of the formats gives them: whole numbers also as bigint or text, booleans also as text, an absent value as null or
 * undefined. A side of the book is a list of `{ price, size, venue_size }`, or columns `bid_price_1`, `bid_size_1`, `bid_venue_size_1` and
 * so on, up to the first level without a price.
 * @throws EventRowError naming every fault, also a column that the check needs and the file lacks
 */
export function eventOfColumns(channel: DataChannel, cells: NamedCells): MarketEvent | undefined {
  const isReceiveTime = cells['exchange_ts_is_receive_time'] ?? undefined;
  if (isReceiveTime === undefined) return undefined;
  return eventOfRow({
    schema: EVENT_ROW_SCHEMA,
    kind: channel,
    venue: cells['venue'],
    symbol: cells['symbol'],
    venue_id: cells['venue_id'] ?? '',
    exchange_ts_is_receive_time: flagOf(isReceiveTime),
    ...Object.fromEntries(INTEGERS.map((name) => [name, integerOf(cells[name])])),
    ...fieldsOf(channel, cells),
  });
}

function fieldsOf(channel: DataChannel, cells: NamedCells): Record<string, unknown> {
  switch (channel) {
    case 'book':
      return { bids: levelsOf(cells, 'bids', 'bid'), asks: levelsOf(cells, 'asks', 'ask') };
    case 'trade':
      return present(cells, ['price', 'size', 'venue_size', 'aggressor_side']);
    case 'liquidation':
      return present(cells, ['position_side', 'price', 'size', 'venue_size', 'provenance']);
    case 'context':
      return {
        ...present(cells, ['funding_rate', 'open_interest', 'mark_price', 'oracle_price', 'mid_price', 'day_volume', 'venue_funding_rate']),
        ...present({ funding_interval_hours: integerOf(cells['funding_interval_hours']) }, ['funding_interval_hours']),
      };
  }
}

/** The cells of these names that have a value. */
function present(cells: NamedCells, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (isAbsent(cells[name]) ? [] : [[name, cells[name]]])));
}

function levelsOf(cells: NamedCells, list: 'bids' | 'asks', side: 'bid' | 'ask'): unknown[] | undefined {
  const levels = cells[list];
  if (Array.isArray(levels)) return levels.map((level: NamedCells) => levelOf(level['price'], level['size'], level['venue_size']));
  const numbers = Array.from({ length: LEVELS_MAX }, (_, index) => index + 1);
  const end = numbers.findIndex((number) => isAbsent(cells[`${side}_price_${number}`]));
  return numbers
    .slice(0, end === -1 ? LEVELS_MAX : end)
    .map((number) => levelOf(cells[`${side}_price_${number}`], cells[`${side}_size_${number}`], cells[`${side}_venue_size_${number}`]));
}

function levelOf(price: unknown, size: unknown, venueSize: unknown): unknown[] {
  return isAbsent(venueSize) ? [price, size] : [price, size, venueSize];
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined;
}

/** What is no whole number stays as it is: the row is refused for it. */
function integerOf(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && /^(0|[1-9][0-9]*)$/.test(value) ? Number(value) : value;
}

function flagOf(value: unknown): unknown {
  return value === 'true' ? true : value === 'false' ? false : value;
}
