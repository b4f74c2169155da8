import {
  type BookEvent,
  type BookLevel,
  type ContextEvent,
  type FeedStatus,
  type LiquidationEvent,
  type MarketEvent,
  type TradeEvent,
  type Channel,
  AGGRESSOR_NAMES,
  POSITION_NAMES,
  PROVENANCE_NAMES,
  CHANNEL_NAMES,
  GAP_REASONS,
  SOURCE_KIND_NAMES,
} from './event';
import { EventDecodeError, WireReader } from './wire-reader';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };
type Envelope = Mutable<Omit<Extract<MarketEvent, { kind: 'tick' }>, 'kind' | 'feedClockMs'>>;
type Body<E> = E extends unknown ? Omit<E, keyof Envelope> : never;

type BookHead = Omit<BookEvent, 'bids' | 'asks'>;
export type EventHead = Exclude<MarketEvent, BookEvent> | BookHead;

/**
 * Skips unknown fields; an omitted string is absent if optional, otherwise ''.
 * @throws EventDecodeError on truncated bytes, a missing body, an unknown enum number, or an integer beyond 53 bits
 */
export function decodeEvent(bytes: Uint8Array): MarketEvent {
  return decode(bytes, readBook);
}

/** Like `decodeEvent`, but skips book levels, which are most of the bytes. */
export function decodeEventHead(bytes: Uint8Array): EventHead {
  return decode<EventHead>(bytes, passOverBook);
}

function decode<E extends EventHead>(bytes: Uint8Array, bookOf: (reader: WireReader) => Body<E>): E {
  const reader = new WireReader(bytes);
  const envelope: Envelope = {
    venue: '',
    symbol: '',
    pass: 0,
    venueId: '',
    exchangeTsMs: 0,
    exchangeTsIsReceiveTime: false,
    receivedTsMs: 0,
    ordinal: 0,
    epoch: 0,
  };
  let body: Body<E> | undefined;
  while (reader.isBefore(reader.end)) {
    const tag = reader.varint();
    if (readEnvelope(reader, tag, envelope)) continue;
    const read = tag === BOOK_TAG ? bookOf(reader) : (readBody(reader, tag) as Body<E> | undefined);
    if (read === undefined) reader.skip(tag);
    else body = read;
  }
  if (body === undefined) throw new EventDecodeError('event without a body');
  return Object.assign(body, envelope) as unknown as E;
}

const BOOK_TAG = 130;

/** Reuses strings: consecutive events nearly always share venue and symbol. */
const last = { venue: '', symbol: '' };

function readEnvelope(reader: WireReader, tag: number, envelope: Envelope): boolean {
  switch (tag) {
    case 10:
      envelope.venue = last.venue = reader.string(last.venue);
      return true;
    case 18:
      envelope.symbol = last.symbol = reader.string(last.symbol);
      return true;
    case 3 << 3:
      envelope.pass = reader.varint();
      return true;
    case 34:
      envelope.venueId = reader.string();
      return true;
    case 5 << 3:
      envelope.exchangeTsMs = reader.int64();
      return true;
    case 6 << 3:
      envelope.exchangeTsIsReceiveTime = reader.varint() !== 0;
      return true;
    case 7 << 3:
      envelope.receivedTsMs = reader.int64();
      return true;
    case 8 << 3:
      envelope.ordinal = reader.varint();
      return true;
    case 9 << 3:
      envelope.epoch = reader.varint();
      return true;
    default:
      return false;
  }
}

function readBody(reader: WireReader, tag: number): Body<Exclude<MarketEvent, BookEvent>> | undefined {
  switch (tag) {
    case 138:
      return readTrade(reader);
    case 146:
      return readContext(reader);
    case 154:
      return readLiquidation(reader);
    case 162:
      return { kind: 'tick', feedClockMs: readTick(reader) };
    case 170:
      return { kind: 'feed_status', status: readStatus(reader) };
    default:
      return undefined;
  }
}

function passOverBook(reader: WireReader): Body<BookHead> {
  reader.position = reader.nestedEnd();
  return { kind: 'book' };
}

function readBook(reader: WireReader): Body<BookEvent> {
  const bids: BookLevel[] = [];
  const asks: BookLevel[] = [];
  const end = reader.nestedEnd();
  while (reader.isBefore(end)) {
    const tag = reader.varint();
    if (tag === 10) bids.push(readKnownLevel(reader));
    else if (tag === 18) asks.push(readKnownLevel(reader));
    else reader.skip(tag);
  }
  return { kind: 'book', bids, asks };
}

const KNOWN_LEVELS = 4_096;
const LEVEL_BYTES_MAX = 40;

/** Levels by a hash of their bytes: some 70 % of a book's levels were in one of the books before. */
const known = {
  levels: Array.from<BookLevel | undefined>({ length: KNOWN_LEVELS }),
  sizes: new Uint8Array(KNOWN_LEVELS),
  bytes: new Uint8Array(KNOWN_LEVELS * LEVEL_BYTES_MAX),
};

function readKnownLevel(reader: WireReader): BookLevel {
  const start = reader.position;
  const end = reader.nestedEnd();
  const size = end - start;
  if (size > LEVEL_BYTES_MAX) {
    reader.position = start;
    return readLevel(reader);
  }
  const slot = reader.hash(start, end) % KNOWN_LEVELS;
  const at = slot * LEVEL_BYTES_MAX;
  const found = known.levels[slot];
  if (found !== undefined && known.sizes[slot] === size && reader.isEqual(start, end, known.bytes, at)) {
    reader.position = end;
    return found;
  }
  reader.position = start;
  const level = readLevel(reader);
  known.levels[slot] = level;
  known.sizes[slot] = size;
  reader.copy(start, end, known.bytes, at);
  return level;
}

function readLevel(reader: WireReader): BookLevel {
  let price = '';
  let size = '';
  let venueSize: string | undefined;
  const end = reader.nestedEnd();
  while (reader.isBefore(end)) {
    const tag = reader.varint();
    if (tag === 10) price = reader.string();
    else if (tag === 18) size = reader.string();
    else if (tag === 26) venueSize = reader.string();
    else reader.skip(tag);
  }
  return venueSize === undefined ? { price, size } : { price, size, venueSize };
}

function readTrade(reader: WireReader): Body<TradeEvent> {
  let side = 0;
  const { price, size, venueSize } = readStrings(reader, TRADE_FIELDS, (tag) => {
    if (tag !== 4 << 3) return false;
    side = reader.varint();
    return true;
  });
  const aggressorSide = AGGRESSOR_NAMES[side];
  if (aggressorSide === undefined) throw new EventDecodeError('trade without an aggressor side');
  return { kind: 'trade', price: price ?? '', size: size ?? '', aggressorSide, ...(venueSize === undefined ? {} : { venueSize }) };
}

function readContext(reader: WireReader): Body<ContextEvent> {
  let intervalHours = 0;
  const strings = readStrings(reader, CONTEXT_FIELDS, (tag) => {
    if (tag !== 8 << 3) return false;
    intervalHours = reader.varint();
    return true;
  });
  return { kind: 'context', ...strings, ...(intervalHours !== 0 && { fundingIntervalHours: intervalHours }) };
}

function readLiquidation(reader: WireReader): Body<LiquidationEvent> {
  let side = 0;
  let source = 0;
  const { price, size, venueSize } = readStrings(reader, LIQUIDATION_FIELDS, (tag) => {
    if (tag === 1 << 3) side = reader.varint();
    else if (tag === 4 << 3) source = reader.varint();
    else return false;
    return true;
  });
  const positionSide = POSITION_NAMES[side];
  const provenance = PROVENANCE_NAMES[source];
  if (positionSide === undefined) throw new EventDecodeError('liquidation without a position side');
  if (provenance === undefined) throw new EventDecodeError('liquidation without provenance');
  return {
    kind: 'liquidation',
    positionSide,
    price: price ?? '',
    size: size ?? '',
    provenance,
    ...(venueSize !== undefined && { venueSize }),
  };
}

function readTick(reader: WireReader): number {
  let feedClockMs = 0;
  const end = reader.nestedEnd();
  while (reader.isBefore(end)) {
    const tag = reader.varint();
    if (tag === 1 << 3) feedClockMs = reader.int64();
    else reader.skip(tag);
  }
  return feedClockMs;
}

function decodeStatus(reader: WireReader, tag: number): FeedStatus | undefined {
  switch (tag) {
    case 10:
      return readConnected(reader);
    case 18:
      return { type: 'disconnected', reason: readSpan(reader, false).text };
    case 26: {
      const { text: gapId, channel, startMs, endMs, reason } = readSpan(reader, true);
      const known = GAP_REASONS.find((candidate) => candidate === reason);
      if (known === undefined) throw new EventDecodeError('gap with an unknown reason');
      return { type: 'gap', gapId, ...(channel && { channel }), startMs, endMs, reason: known };
    }
    case 34: {
      const { text: gapId, channel, startMs, endMs } = readSpan(reader, true);
      return { type: 'resynced', gapId, ...(channel && { channel }), startMs, endMs };
    }
    case 42: {
      const { text: gapId, startMs, endMs } = readSpan(reader, false);
      return { type: 'seam', gapId, startMs, endMs };
    }
    default:
      return undefined;
  }
}

function readSpan(
  reader: WireReader,
  hasChannel: boolean,
): { text: string; channel: Channel | undefined; startMs: number; endMs: number; reason: string } {
  let text = '';
  let reason = '';
  let channel: Channel | undefined;
  let startMs = 0;
  let endMs = 0;
  const startField = hasChannel ? 3 : 2;
  const end = reader.nestedEnd();
  while (reader.isBefore(end)) {
    const tag = reader.varint();
    if (tag === 10) text = reader.string();
    else if (hasChannel && tag === 2 << 3) channel = readChannel(reader);
    else if (tag === startField << 3) startMs = reader.int64();
    else if (tag === (startField + 1) << 3) endMs = reader.int64();
    else if (tag === (((startField + 2) << 3) | 2)) reason = reader.string();
    else reader.skip(tag);
  }
  return { text, channel, startMs, endMs, reason };
}

function readConnected(reader: WireReader): FeedStatus {
  const channels: Channel[] = [];
  const integers = [0, 0, 0, 0, 0, 0, 0];
  const end = reader.nestedEnd();
  while (reader.isBefore(end)) {
    const tag = reader.varint();
    if (tag === 10) {
      const packedEnd = reader.nestedEnd();
      while (reader.isBefore(packedEnd)) channels.push(readKnownChannel(reader));
    } else if (tag === 1 << 3) channels.push(readKnownChannel(reader));
    else if ((tag & 7) === 0 && tag >> 3 <= 6) integers[tag >> 3] = reader.int64();
    else reader.skip(tag);
  }
  const [, , bookStalenessMs = 0, tradeStalenessMs = 0, contextStalenessMs = 0, closingLagMs = 0, kind = 0] = integers;
  const sourceKind = SOURCE_KIND_NAMES[kind];
  if (sourceKind === undefined) throw new EventDecodeError('connection without a source kind');
  return { type: 'connected', channels, bookStalenessMs, tradeStalenessMs, contextStalenessMs, closingLagMs, sourceKind };
}

function readChannel(reader: WireReader): Channel | undefined {
  const code = reader.varint();
  if (code >= CHANNEL_NAMES.length) throw new EventDecodeError('unknown channel');
  return CHANNEL_NAMES[code];
}

function readKnownChannel(reader: WireReader): Channel {
  const channel = readChannel(reader);
  if (channel === undefined) throw new EventDecodeError('unspecified channel');
  return channel;
}

function readStatus(reader: WireReader): FeedStatus {
  let status: FeedStatus | undefined;
  const end = reader.nestedEnd();
  while (reader.isBefore(end)) {
    const tag = reader.varint();
    const read = decodeStatus(reader, tag);
    if (read === undefined) reader.skip(tag);
    else status = read;
  }
  if (status === undefined) throw new EventDecodeError('feed status without a status');
  return status;
}

const TRADE_FIELDS = { 10: 'price', 18: 'size', 26: 'venueSize' } as const;
const LIQUIDATION_FIELDS = { 18: 'price', 26: 'size', 42: 'venueSize' } as const;
const CONTEXT_FIELDS = {
  10: 'fundingRate',
  18: 'openInterest',
  26: 'markPrice',
  34: 'oraclePrice',
  42: 'midPrice',
  50: 'dayVolume',
  58: 'venueFundingRate',
} as const;

function readStrings<N extends string>(
  reader: WireReader,
  names: Readonly<Record<number, N>>,
  other: (tag: number) => boolean,
): Partial<Record<N, string>> {
  const values: Partial<Record<N, string>> = {};
  const end = reader.nestedEnd();
  while (reader.isBefore(end)) {
    const tag = reader.varint();
    const field = names[tag];
    if (field !== undefined) values[field] = reader.string();
    else if (!other(tag)) reader.skip(tag);
  }
  return values;
}
