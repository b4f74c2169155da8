import type { Channel, MarketEvent, BookLevel, FeedStatusEvent, TickEvent } from '../event';
import { eventOfRow } from './event-of-row';
import { EVENT_ROW_SCHEMA } from './event-row';

/** Missing values are absent or null. */
export type NamedCells = Readonly<Record<string, unknown>>;

export type DataChannel = Exclude<Channel, 'control'>;

/** CSV has these as text, Parquet as bigints. */
const INTEGERS = ['pass', 'exchange_ts_ms', 'received_ts_ms', 'ordinal', 'epoch'] as const;
const LEVELS_MAX = 25;

/**
 * Converts a file's row to an event; for non-duplicates, its `rowLine` equals the API's line. Undefined for older files
 * without `exchange_ts_is_receive_time`. Accepts cells of any export format; book sides as lists or numbered columns
 * such as `bid_price_1`.
 * @throws EventRowError listing every fault, including missing columns
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

function present(cells: NamedCells, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => (isAbsent(cells[name]) ? [] : [[name, cells[name]]])));
}

function levelsOf(cells: NamedCells, list: 'bids' | 'asks', side: 'bid' | 'ask'): unknown[] | undefined {
  const levels = cells[list];
  if (Array.isArray(levels)) return levels.map((level: NamedCells) => levelCells(level['price'], level['size'], level['venue_size']));
  const numbers = Array.from({ length: LEVELS_MAX }, (_, index) => index + 1);
  const end = numbers.findIndex((number) => isAbsent(cells[`${side}_price_${number}`]));
  return numbers
    .slice(0, end === -1 ? LEVELS_MAX : end)
    .map((number) => levelCells(cells[`${side}_price_${number}`], cells[`${side}_size_${number}`], cells[`${side}_venue_size_${number}`]));
}

function levelCells(price: unknown, size: unknown, venueSize: unknown): unknown[] {
  return isAbsent(venueSize) ? [price, size] : [price, size, venueSize];
}

function isAbsent(value: unknown): boolean {
  return value === null || value === undefined;
}

function integerOf(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  return typeof value === 'string' && /^(0|[1-9][0-9]*)$/.test(value) ? Number(value) : value;
}

function flagOf(value: unknown): unknown {
  return value === 'true' ? true : value === 'false' ? false : value;
}

/** Bits of a row's `flags`. */
export const ROW_FLAG = {
  /** First book after a connect, a new pass or a resync. */
  snapshot: 1,
  /** Arrived after the window of its exchange time had closed. */
  late: 2,
  /** Exchange and receive time differ by more than 2 s. */
  clockSkew: 4,
  /** First row of its channel after a gap. */
  afterGap: 8,
  /** From a simulated venue. */
  synthetic: 16,
  /** In the log but never served. */
  duplicate: 32,
  /** Received before its exchange time: the venue's clock is ahead. */
  venueClockAhead: 64,
} as const;

interface ArchiveColumn {
  readonly name: string;
  readonly type: 'int16' | 'int32' | 'int64' | 'text' | 'blob' | 'bool' | { readonly list: readonly string[] };
}

export type ArchiveCell = string | number | boolean | Uint8Array | readonly Readonly<Record<string, string | null>>[] | null;

const LOG_COLUMNS = [
  { name: 'ordinal', type: 'int64' },
  { name: 'epoch', type: 'int32' },
  { name: 'pass', type: 'int32' },
  { name: 'venue', type: 'text' },
  { name: 'venue_id', type: 'text' },
  { name: 'exchange_ts_ms', type: 'int64' },
  { name: 'received_ts_ms', type: 'int64' },
  { name: 'exchange_ts_is_receive_time', type: 'bool' },
  { name: 'flags', type: 'int16' },
  { name: 'payload', type: 'blob' },
] as const satisfies readonly ArchiveColumn[];

type LogColumn = (typeof LOG_COLUMNS)[number]['name'];

/** Older files lack `exchange_ts_is_receive_time`: it counts as null. */
export function archiveLogColumns(names: readonly LogColumn[]): ArchiveColumn[] {
  return names.flatMap((name) => LOG_COLUMNS.filter((column) => column.name === name));
}

interface ChannelColumns {
  readonly columns: readonly ArchiveColumn[];
  readonly valuesOf: (event: MarketEvent) => readonly ArchiveCell[] | undefined;
}

const LEVELS = { list: ['price', 'size', 'venue_size'] } as const;

function texts(...names: string[]): ArchiveColumn[] {
  return names.map((name) => ({ name, type: 'text' }));
}

function numbers(...names: string[]): ArchiveColumn[] {
  return names.map((name) => ({ name, type: 'int64' }));
}

const CHANNELS: Readonly<Record<Channel, ChannelColumns>> = {
  book: {
    columns: [
      { name: 'bids', type: LEVELS },
      { name: 'asks', type: LEVELS },
    ],
    valuesOf: (event) => (event.kind === 'book' ? [event.bids.map(levelOf), event.asks.map(levelOf)] : undefined),
  },
  trade: {
    columns: texts('price', 'size', 'venue_size', 'aggressor_side'),
    valuesOf: (event) => (event.kind === 'trade' ? [event.price, event.size, event.venueSize ?? null, event.aggressorSide] : undefined),
  },
  context: {
    columns: [
      ...texts('funding_rate', 'open_interest', 'mark_price', 'oracle_price', 'mid_price', 'day_volume', 'venue_funding_rate'),
      { name: 'funding_interval_hours', type: 'int32' },
    ],
    valuesOf: (event) =>
      event.kind === 'context'
        ? [
            event.fundingRate ?? null,
            event.openInterest ?? null,
            event.markPrice ?? null,
            event.oraclePrice ?? null,
            event.midPrice ?? null,
            event.dayVolume ?? null,
            event.venueFundingRate ?? null,
            event.fundingIntervalHours ?? null,
          ]
        : undefined,
  },
  liquidation: {
    columns: texts('position_side', 'price', 'size', 'venue_size', 'provenance'),
    valuesOf: (event) =>
      event.kind === 'liquidation' ? [event.positionSide, event.price, event.size, event.venueSize ?? null, event.provenance] : undefined,
  },
  control: {
    columns: [
      ...texts('type', 'reason', 'gap_id', 'gap_channel'),
      ...numbers('gap_start_ms', 'gap_end_ms'),
      ...texts('source_kind', 'channels'),
      ...numbers('book_staleness_ms', 'trade_staleness_ms', 'context_staleness_ms', 'closing_lag_ms'),
    ],
    valuesOf: (event) => (event.kind === 'tick' || event.kind === 'feed_status' ? controlValues(event) : undefined),
  },
};

function levelOf({ price, size, venueSize }: BookLevel) {
  return { price, size, venue_size: venueSize ?? null };
}

function controlValues(event: TickEvent | FeedStatusEvent): ArchiveCell[] {
  if (event.kind === 'tick') return ['tick', ...nulls(11)];
  const { status } = event;
  switch (status.type) {
    case 'connected':
      return [
        status.type,
        ...nulls(5),
        status.sourceKind,
        status.channels.join(','),
        status.bookStalenessMs,
        status.tradeStalenessMs,
        status.contextStalenessMs,
        status.closingLagMs,
      ];
    case 'disconnected':
      return [status.type, status.reason, ...nulls(10)];
    case 'gap':
      return [status.type, status.reason, status.gapId, status.channel ?? null, status.startMs, status.endMs, ...nulls(6)];
    case 'resynced':
      return [status.type, null, status.gapId, status.channel ?? null, status.startMs, status.endMs, ...nulls(6)];
    case 'seam':
      return [status.type, null, status.gapId, null, status.startMs, status.endMs, ...nulls(6)];
  }
}

function nulls(total: number): null[] {
  return Array.from({ length: total }, () => null);
}

interface ArchiveFileLayout {
  readonly columns: readonly ArchiveColumn[];
  readonly ordinal: LogColumn;
  readonly time: LogColumn;
  readonly payload: LogColumn;
}

export function archiveLayoutOf(channel: Channel): ArchiveFileLayout {
  return { columns: [...LOG_COLUMNS, ...CHANNELS[channel].columns], ordinal: 'ordinal', time: 'exchange_ts_ms', payload: 'payload' };
}

function channelValues(channel: Channel, event: MarketEvent): readonly ArchiveCell[] | undefined {
  return CHANNELS[channel].valuesOf(event);
}

interface StoredLogRow {
  readonly ordinal: number;
  readonly epoch: number;
  readonly pass: number;
  readonly venueId: string | null;
  readonly exchangeTsMs: number;
  readonly receivedTsMs: number;
  readonly flags: number;
  readonly payload: Uint8Array;
}

/** Venue id as stored: null if the venue sends none, and on duplicates. */
export function storedVenueId({ venueId }: Pick<MarketEvent, 'venueId'>, flags: number): string | null {
  return venueId === '' || (flags & ROW_FLAG.duplicate) !== 0 ? null : venueId;
}

/**
 * In `archiveLayoutOf` order. Undefined if it is of another symbol or channel, or contradicts `event`, its decoded
 * payload.
 */
export function archiveRow(symbol: string, channel: Channel, row: StoredLogRow, event: MarketEvent): ArchiveCell[] | undefined {
  const { ordinal, epoch, pass, venueId, exchangeTsMs, receivedTsMs, flags, payload } = row;
  const values = channelValues(channel, event);
  const isEntry =
    event.symbol === symbol &&
    event.ordinal === ordinal &&
    event.epoch === epoch &&
    event.pass === pass &&
    storedVenueId(event, flags) === venueId &&
    event.exchangeTsMs === exchangeTsMs &&
    event.receivedTsMs === receivedTsMs;
  if (!isEntry || values === undefined) return undefined;
  const { venue, exchangeTsIsReceiveTime } = event;
  return [ordinal, epoch, pass, venue, venueId, exchangeTsMs, receivedTsMs, exchangeTsIsReceiveTime, flags, payload, ...values];
}
