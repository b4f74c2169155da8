import {
  type BookEvent,
  type BookLevel,
  type ContextEvent,
  type EventKind,
  type FeedStatusEvent,
  type LiquidationEvent,
  type MarketEvent,
  type TickEvent,
  type TradeEvent,
  CHANNELS,
  type Channel,
  type FeedStatus,
  GAP_REASONS,
} from '../event';
import { isObject, type Json } from '../json';
import { SYMBOL_FORM } from '../market';
import { EVENT_ROW_SCHEMA, isLocked } from './event-row';
import { DECIMAL_PATTERNS, RowFields } from './row-fields';

const STATUS_TYPES = ['connected', 'disconnected', 'gap', 'resynced', 'seam'] as const;

function readStatus(json: Json, faults: string[]): FeedStatus {
  const fields = new RowFields(json, faults, 'status.');
  const faultsBefore = faults.length;
  const type = fields.oneOf('type', STATUS_TYPES);
  if (faults.length > faultsBefore) return { type: 'disconnected', reason: '' };
  const status = readMember(type, fields);
  fields.end();
  return status;
}

function readMember(type: (typeof STATUS_TYPES)[number], fields: RowFields): FeedStatus {
  switch (type) {
    case 'connected':
      return {
        type,
        channels: readChannels(fields),
        bookStalenessMs: fields.integer('book_staleness_ms'),
        tradeStalenessMs: fields.integer('trade_staleness_ms'),
        contextStalenessMs: fields.integer('context_staleness_ms'),
        closingLagMs: fields.integer('closing_lag_ms'),
        sourceKind: fields.oneOf('source_kind', ['live', 'recorded', 'simulated']),
      };
    case 'disconnected':
      return { type, reason: fields.text('reason') };
    case 'gap': {
      const { gapId, channel, startMs, endMs } = readSpan(fields);
      return { type, gapId, ...(channel !== undefined && { channel }), startMs, endMs, reason: fields.oneOf('reason', GAP_REASONS) };
    }
    case 'resynced': {
      const { gapId, channel, startMs, endMs } = readSpan(fields);
      return { type, gapId, ...(channel !== undefined && { channel }), startMs, endMs };
    }
    case 'seam':
      return { type, gapId: fields.name('gap_id'), startMs: fields.integer('start_ms'), endMs: fields.integer('end_ms') };
  }
}

function readSpan(fields: RowFields): { gapId: string; channel: Channel | undefined; startMs: number; endMs: number } {
  const gapId = fields.name('gap_id');
  const value = fields.value('channel');
  const channel = CHANNELS.find((known) => known === value);
  if (channel === undefined && value !== null) fields.fault('channel', `must be null or one of ${CHANNELS.join(', ')}`, undefined);
  return { gapId, channel, startMs: fields.integer('start_ms'), endMs: fields.integer('end_ms') };
}

function readChannels(fields: RowFields): Channel[] {
  const items = fields.list('channels', 0, CHANNELS.length);
  const channels = CHANNELS.filter((channel) => items.includes(channel));
  if (channels.length !== items.length) fields.fault('channels', `must contain only ${CHANNELS.join(', ')}, each at most once`, []);
  return items.filter((item): item is Channel => channels.includes(item as Channel));
}

/** One sentence per problem in `faults`. */
export class EventRowError extends Error {
  override readonly name = 'EventRowError';

  constructor(readonly faults: readonly string[]) {
    super(faults.join('; '));
  }
}

type Envelope = Omit<TickEvent, 'kind' | 'feedClockMs'>;

const KINDS: readonly EventKind[] = ['book', 'trade', 'context', 'liquidation', 'tick', 'feed_status'];
const LEVELS_MAX = 25;

/**
 * Round-trips with `rowLine`, including canonical bytes; the symbol of another market than the primary one loses its venue.
 * @throws EventRowError listing every fault
 */
export function eventOfRow(json: unknown): MarketEvent {
  if (!isObject(json)) throw new EventRowError(['the row must be an object']);
  const faults: string[] = [];
  const fields = new RowFields(json, faults);
  if (fields.value('schema') !== EVENT_ROW_SCHEMA) fields.fault('schema', `must be ${EVENT_ROW_SCHEMA}`, '');
  const kind = fields.oneOf('kind', KINDS);
  const isKindKnown = faults[faults.length - 1]?.startsWith('kind ') !== true;
  const envelope = readEnvelope(fields);
  if (!isKindKnown) throw new EventRowError(faults);
  const event = readEvent(kind, envelope, fields, faults);
  fields.end();
  if (faults.length > 0) throw new EventRowError(faults);
  return event;
}

function readEnvelope(fields: RowFields): Envelope {
  return {
    venue: fields.name('venue'),
    symbol: fields.matching('symbol', SYMBOL_FORM, 'of the form <BASE>USD-PERP'),
    pass: fields.integer('pass'),
    venueId: fields.text('venue_id'),
    exchangeTsMs: fields.integer('exchange_ts_ms'),
    exchangeTsIsReceiveTime: fields.flag('exchange_ts_is_receive_time'),
    receivedTsMs: fields.integer('received_ts_ms'),
    ordinal: fields.integer('ordinal', 1),
    epoch: fields.integer('epoch'),
  };
}

function readEvent(kind: EventKind, envelope: Envelope, fields: RowFields, faults: string[]): MarketEvent {
  switch (kind) {
    case 'book':
      return { kind, ...envelope, ...readBook(fields, faults) } satisfies BookEvent;
    case 'trade':
      return { kind, ...envelope, ...readTrade(fields) } satisfies TradeEvent;
    case 'context':
      return { kind, ...envelope, ...readContext(fields) } satisfies ContextEvent;
    case 'liquidation':
      return { kind, ...envelope, ...readLiquidation(fields) } satisfies LiquidationEvent;
    case 'tick':
      return { kind, ...envelope, feedClockMs: fields.integer('feed_clock_ms') };
    case 'feed_status': {
      const status = fields.nested('status');
      const placeholder = { type: 'disconnected', reason: '' } as const;
      return { kind, ...envelope, status: status === undefined ? placeholder : readStatus(status, faults) } satisfies FeedStatusEvent;
    }
  }
}

/** `locked_book` may be missing, as in rows of earlier releases. */
function readBook(fields: RowFields, faults: string[]): Pick<BookEvent, 'bids' | 'asks'> {
  const levels = { bids: readLevels(fields, 'bids', faults), asks: readLevels(fields, 'asks', faults) };
  const isMarked = fields.optionalFlag('locked_book');
  if (isMarked === false || (isMarked === true && !isLocked(levels)))
    fields.fault('locked_book', 'must be true if the best prices are equal, else missing', undefined);
  return levels;
}

function readTrade(fields: RowFields): Pick<TradeEvent, 'price' | 'size' | 'venueSize' | 'aggressorSide'> {
  return {
    price: fields.decimal('price'),
    size: fields.decimal('size'),
    venueSize: fields.optionalDecimal('venue_size', 'asSent'),
    aggressorSide: fields.oneOf('aggressor_side', ['buy', 'sell']),
  };
}

function readContext(fields: RowFields): Omit<ContextEvent, keyof Envelope | 'kind'> {
  return {
    fundingRate: fields.optionalDecimal('funding_rate', 'signedAsSent'),
    openInterest: fields.optionalDecimal('open_interest', 'unsignedAsSent'),
    markPrice: fields.optionalDecimal('mark_price', 'asSent'),
    oraclePrice: fields.optionalDecimal('oracle_price', 'asSent'),
    midPrice: fields.optionalDecimal('mid_price', 'asSent'),
    dayVolume: fields.optionalDecimal('day_volume', 'unsignedAsSent'),
    venueFundingRate: fields.optionalDecimal('venue_funding_rate', 'signedAsSent'),
    fundingIntervalHours: fields.optionalInteger('funding_interval_hours', 1),
  };
}

function readLiquidation(fields: RowFields): Omit<LiquidationEvent, keyof Envelope | 'kind'> {
  return {
    positionSide: fields.oneOf('position_side', ['long', 'short']),
    price: fields.decimal('price'),
    size: fields.decimal('size'),
    venueSize: fields.optionalDecimal('venue_size', 'asSent'),
    provenance: fields.oneOf('provenance', ['venue_reported', 'proxy']),
  };
}

function readLevels(fields: RowFields, name: 'bids' | 'asks', faults: string[]): BookLevel[] {
  return fields.list(name, 1, LEVELS_MAX).map((level, index) => readLevel(level) ?? noteLevel(level, `${name}[${index}]`, faults));
}

function readLevel(level: unknown): BookLevel | undefined {
  if (!Array.isArray(level) || level.length < 2 || level.length > 3) return undefined;
  const [price, size, venueSize] = level as unknown[];
  if (!isDecimal(price, 'positive') || !isDecimal(size, 'positive')) return undefined;
  if (level.length === 2) return { price, size };
  return isDecimal(venueSize, 'asSent') ? { price, size, venueSize } : undefined;
}

function isDecimal(value: unknown, kind: 'positive' | 'asSent'): value is string {
  return typeof value === 'string' && DECIMAL_PATTERNS[kind].test(value);
}

function noteLevel(level: unknown, path: string, faults: string[]): BookLevel {
  if (!Array.isArray(level) || level.length < 2 || level.length > 3) {
    faults.push(`${path} must be [price, size] or [price, size, venue_size]`);
    return { price: '', size: '' };
  }
  const [price, size, venueSize] = level as unknown[];
  if (!isDecimal(price, 'positive')) faults.push(`${path} price must be a positive decimal string in plain notation`);
  if (!isDecimal(size, 'positive')) faults.push(`${path} size must be a positive decimal string in plain notation`);
  if (level.length === 3 && !isDecimal(venueSize, 'asSent')) faults.push(`${path} venue_size must be a positive decimal string`);
  return { price: '', size: '' };
}
