import type { marketData } from '@market-state/contracts';
import { readMarket, WINDOW_MS } from '@market-state/market-data';
import { InvalidRequest } from '../serving/errors/problem';

/** Before every packet: start of a stream without packets. */
export const BEFORE_EVERY_PACKET_MS = 10_000;

/** Added to the last part of an id after the row's packet; smaller values count gaps. */
const PACKET_SENT = 5_000;

/** Everything up to here was sent, nothing after it. */
export interface StreamPosition {
  readonly epoch: number;
  /** Last row; in packet streams, the last packet's number. */
  readonly ordinal: number;
  /** Last packet, in milliseconds since the epoch; 0 without packets. */
  readonly windowEndMs: number;
  /** Counts those directly after the row. */
  readonly gapsSent: number;
  /** Replays only: the row's packet was sent. */
  readonly packetSent: boolean;
}

const ID = /^(0|[1-9]\d{0,9})-(0|[1-9]\d{0,15})-(0|[1-9]\d{0,15})$/;

/** The last packet's window end, plus progress after the row. */
export function lastPartOf(position: StreamPosition): number {
  return position.windowEndMs + position.gapsSent + (position.packetSent ? PACKET_SENT : 0);
}

/** `<epoch>-<ordinal>-<window end ms>` */
export function formatPosition(position: StreamPosition): string {
  return `${position.epoch}-${position.ordinal}-${lastPartOf(position)}`;
}

/** Null at the very start. */
export function resumeIdOf(position: StreamPosition): string | null {
  return position.epoch === 0 && position.ordinal === 0 ? null : formatPosition(position);
}

/** Null if the text is not one of our ids. */
export function parsePosition(text: string): StreamPosition | null {
  const match = ID.exec(text);
  if (match === null) return null;
  const [epoch, ordinal, last] = match.slice(1).map(Number) as [number, number, number];
  if (!Number.isSafeInteger(ordinal) || !Number.isSafeInteger(last)) return null;
  return positionOf(epoch, ordinal, last);
}

function positionOf(epoch: number, ordinal: number, last: number): StreamPosition {
  const sent = last % WINDOW_MS;
  return { epoch, ordinal, windowEndMs: last - sent, gapsSent: sent % PACKET_SENT, packetSent: sent >= PACKET_SENT };
}

/** True if `position` is at or past `other`, ignoring packets. */
export function hasRowsOf(position: StreamPosition, other: StreamPosition): boolean {
  if (position.ordinal !== other.ordinal) return position.ordinal > other.ordinal;
  return gapsHad(position) >= gapsHad(other);
}

/** A packet comes after its row's gaps. */
function gapsHad({ gapsSent, packetSent }: StreamPosition): number {
  return packetSent ? PACKET_SENT : gapsSent;
}

/** Gaps are numbered from 1 after the row with that ordinal. */
export function hasGap(position: StreamPosition, ordinal: number, gapNumber: number): boolean {
  return position.ordinal > ordinal || (position.ordinal === ordinal && gapsHad(position) >= gapNumber);
}

export function laterOf(position: StreamPosition, other: StreamPosition): StreamPosition {
  const rows = hasRowsOf(position, other) ? position : other;
  return { ...rows, windowEndMs: Math.max(position.windowEndMs, other.windowEndMs) };
}

/** The data plane repeats the gaps after that row; those already sent are skipped here. */
export function logPosition({ epoch, ordinal }: StreamPosition): marketData.LogPosition {
  return { epoch, ordinal, packetWindowEndMs: 0 };
}

/** Common suffix of all symbols. */
const QUOTE = 'USD-PERP';
const PART = /^([A-Z0-9]{1,20})(?:@([a-z0-9_]{1,40}))?-([0-9a-z]{1,7})-([0-9a-z]{1,11})-([0-9a-z]{1,9})(?:-([0-9a-z]{1,3}))?$/;
const EPOCH_MAX = 9_999_999_999;

export type Positions = ReadonlyMap<string, StreamPosition>;

/**
 * `<base asset>-<epoch>-<ordinal>-<window>`, numbers in base 36, the window as a count of window lengths; a last part
 * follows if gaps or a packet were sent after the row. Away from the primary venue, it begins `<base asset>@<venue>` with
 * `_` for `-` in the venue.
 */
function partOf(symbol: string, position: StreamPosition): string {
  const last = lastPartOf(position);
  const sent = last % WINDOW_MS;
  const numbers = [position.epoch, position.ordinal, (last - sent) / WINDOW_MS, ...(sent === 0 ? [] : [sent])];
  const { symbol: name, venue } = readMarket(symbol);
  const base = name.slice(0, -QUOTE.length);
  const market = venue === undefined ? base : `${base}@${venue.replaceAll('-', '_')}`;
  return [market, ...numbers.map((number) => number.toString(36))].join('-');
}

function parsePart(text: string): readonly [string, StreamPosition] | null {
  const [, base, venue, ...numbers] = PART.exec(text) ?? [];
  if (base === undefined) return null;
  const [epoch = 0, ordinal = 0, windows = 0, reported = 0] = numbers.map((digits) => Number.parseInt(digits ?? '0', 36));
  const last = windows * WINDOW_MS + reported;
  if (epoch > EPOCH_MAX || reported >= WINDOW_MS || !Number.isSafeInteger(ordinal) || !Number.isSafeInteger(last)) return null;
  const symbol = `${base}${QUOTE}${venue === undefined ? '' : `@${venue.replaceAll('_', '-')}`}`;
  const position = positionOf(epoch, ordinal, last);
  return partOf(symbol, position) === text ? [symbol, position] : null;
}

export function parsePositions(text: string): Positions | null {
  const parts = text.split('.').map(parsePart);
  const known = parts.filter((part) => part !== null);
  const positions = new Map(known);
  return positions.size === parts.length ? positions : null;
}

export function formatPositions(positions: Iterable<readonly [string, StreamPosition]>): string {
  return [...positions].map(([symbol, position]) => partOf(symbol, position)).join('.');
}

interface PositionVector {
  /** Returns the combined id. */
  move(symbol: string, position: StreamPosition): string;
  id(): string;
}

/** Reformats only symbols that moved. */
export function createPositionVector(start: Iterable<readonly [string, StreamPosition]>): PositionVector {
  const parts: string[] = [];
  const places = new Map<string, number>();
  function move(symbol: string, position: StreamPosition): string {
    const place = places.get(symbol) ?? parts.length;
    places.set(symbol, place);
    parts[place] = partOf(symbol, position);
    return parts.join('.');
  }
  for (const [symbol, position] of start) move(symbol, position);
  return { move, id: () => parts.join('.') };
}

/** Position in one symbol, or in each of several. */
export type LastEventId =
  | { readonly of: 'one'; readonly position: StreamPosition }
  | { readonly of: 'several'; readonly positions: Positions };

export function refuseId(fault: string): InvalidRequest {
  return new InvalidRequest([{ loc: ['header', 'last-event-id'], msg: fault, type: 'event_id' }]);
}

/**
 * Null without the header.
 * @throws {InvalidRequest} unless it is one of our ids
 */
export function readLastEventId(header: unknown): LastEventId | null {
  if (header === undefined || header === '') return null;
  if (typeof header === 'string') {
    const position = parsePosition(header);
    if (position !== null) return { of: 'one', position };
    const positions = parsePositions(header);
    if (positions !== null) return { of: 'several', positions };
  }
  throw refuseId('must be the id of a message from this stream, unchanged');
}

/**
 * Also accepts ids of several symbols that include this one.
 * @throws {InvalidRequest}
 */
export function positionIn(id: LastEventId | null, symbol: string): StreamPosition | null {
  if (id === null) return null;
  if (id.of === 'one') return id.position;
  const position = id.positions.get(symbol);
  if (position !== undefined) return position;
  throw refuseId(`is the id of a stream of ${namesOf(id.positions)}, without a position in ${symbol}`);
}

/**
 * Positions that the id has; null: all symbols.
 * @throws {InvalidRequest} for an id of one symbol, which does not name it, or with none of these symbols
 */
export function positionsIn(id: LastEventId | null, symbols: readonly string[] | null): Positions {
  if (id === null) return new Map();
  if (id.of === 'one')
    throw refuseId('is the id of a single-symbol stream, but this stream has several symbols: resume the single-symbol stream instead');
  const held = [...id.positions].filter(([symbol]) => symbols?.includes(symbol) ?? true);
  if (held.length > 0) return new Map(held);
  throw refuseId(`is the id of a stream of ${namesOf(id.positions)}, none of which are in this stream`);
}

const NAMES_MAX = 5;

function namesOf(positions: Positions): string {
  const names = [...positions.keys()];
  const more = names.length - NAMES_MAX;
  return `${names.slice(0, NAMES_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
