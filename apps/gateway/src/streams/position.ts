import type { marketData } from '@market-state/contracts';
import { WINDOW_MS } from '@market-state/market-data';
import { InvalidRequest } from '../serving/errors/problem';

/** Window end that stands before every packet, milliseconds: where a stream of a symbol without packets begins. */
export const BEFORE_EVERY_PACKET_MS = 10_000;

/** Added to the last part of an id when the packet after the row was sent; below it gaps are counted. */
const PACKET_SENT = 5_000;

/** How far a reader has come: everything up to here was sent, nothing after it. */
export interface StreamPosition {
  readonly epoch: number;
  /** Of the last row. In a stream of packets: the last packet's number. */
  readonly ordinal: number;
  /** Of the last packet, milliseconds since the epoch; 0 where packets are not part of the stream. */
  readonly windowEndMs: number;
  /** How many of the gaps that stand right after the row were told. */
  readonly gapsSent: number;
  /** Replays only: the packet that stands right after the row was sent. */
  readonly packetSent: boolean;
}

const ID = /^(0|[1-9]\d{0,9})-(0|[1-9]\d{0,15})-(0|[1-9]\d{0,15})$/;

/** The last part of an id: the window end of the last packet, plus what was told after the row. */
export function lastPartOf(position: StreamPosition): number {
  return position.windowEndMs + position.gapsSent + (position.packetSent ? PACKET_SENT : 0);
}

/** The message id of a position: `<epoch>-<ordinal>-<window end ms>`. */
export function formatPosition(position: StreamPosition): string {
  return `${position.epoch}-${position.ordinal}-${lastPartOf(position)}`;
}

/** The id to resume from at a position; null before everything. */
export function resumeIdOf(position: StreamPosition): string | null {
  return position.epoch === 0 && position.ordinal === 0 ? null : formatPosition(position);
}

/** The position of a message id; null when the text is no id of ours. */
export function parsePosition(text: string): StreamPosition | null {
  const match = ID.exec(text);
  if (match === null) return null;
  const [epoch, ordinal, last] = match.slice(1).map(Number) as [number, number, number];
  if (!Number.isSafeInteger(ordinal) || !Number.isSafeInteger(last)) return null;
  return positionOf(epoch, ordinal, last);
}

/** The position with these parts of an id. */
function positionOf(epoch: number, ordinal: number, last: number): StreamPosition {
  const told = last % WINDOW_MS;
  return { epoch, ordinal, windowEndMs: last - told, gapsSent: told % PACKET_SENT, packetSent: told >= PACKET_SENT };
}

/** Whether rows and gaps up to `other` are behind `position`. */
export function hasRowsOf(position: StreamPosition, other: StreamPosition): boolean {
  if (position.ordinal !== other.ordinal) return position.ordinal > other.ordinal;
  return gapsHad(position) >= gapsHad(other);
}

/** A packet stands after the gaps of its row. */
function gapsHad({ gapsSent, packetSent }: StreamPosition): number {
  return packetSent ? PACKET_SENT : gapsSent;
}

/** Whether the gap with this number, counted from 1 after the row of its ordinal, is behind a position. */
export function hasGap(position: StreamPosition, ordinal: number, gapNumber: number): boolean {
  return position.ordinal > ordinal || (position.ordinal === ordinal && gapsHad(position) >= gapNumber);
}

/** The later position in both respects: rows, and packets. */
export function laterOf(position: StreamPosition, other: StreamPosition): StreamPosition {
  const rows = hasRowsOf(position, other) ? position : other;
  return { ...rows, windowEndMs: Math.max(position.windowEndMs, other.windowEndMs) };
}

/** The row of a position as the data plane reads it; it tells the gaps after that row again, and those had are left out here. */
export function logPosition({ epoch, ordinal }: StreamPosition): marketData.LogPosition {
  return { epoch, ordinal, packetWindowEndMs: 0 };
}

/** Every symbol is its base asset and this. */
const QUOTE = 'USD-PERP';
const PART = /^([A-Z0-9]{1,20})-([0-9a-z]{1,7})-([0-9a-z]{1,11})-([0-9a-z]{1,9})(?:-([0-9a-z]{1,3}))?$/;
const EPOCH_MAX = 9_999_999_999;

/** Positions by symbol. */
export type Positions = ReadonlyMap<string, StreamPosition>;

/**
 * The part of a symbol in the id of a stream of several: `<base asset>-<epoch>-<ordinal>-<window>`, numbers in base 36, the window counted
 * in lengths of a window; `-<told>` follows where something was told after the row.
 */
function partOf(symbol: string, position: StreamPosition): string {
  const last = lastPartOf(position);
  const told = last % WINDOW_MS;
  const numbers = [position.epoch, position.ordinal, (last - told) / WINDOW_MS, ...(told === 0 ? [] : [told])];
  return [symbol.slice(0, -QUOTE.length), ...numbers.map((number) => number.toString(36))].join('-');
}

/** Null when the text is no part as `partOf` writes it. */
function parsePart(text: string): readonly [string, StreamPosition] | null {
  const [, base, ...numbers] = PART.exec(text) ?? [];
  if (base === undefined) return null;
  const [epoch = 0, ordinal = 0, windows = 0, told = 0] = numbers.map((digits) => Number.parseInt(digits ?? '0', 36));
  const last = windows * WINDOW_MS + told;
  if (epoch > EPOCH_MAX || told >= WINDOW_MS || !Number.isSafeInteger(ordinal) || !Number.isSafeInteger(last)) return null;
  const symbol = `${base}${QUOTE}`;
  const position = positionOf(epoch, ordinal, last);
  return partOf(symbol, position) === text ? [symbol, position] : null;
}

/** The positions that an id of a stream of several symbols holds; null when the text is no such id. */
export function parsePositions(text: string): Positions | null {
  const parts = text.split('.').map(parsePart);
  const known = parts.filter((part) => part !== null);
  const positions = new Map(known);
  return positions.size === parts.length ? positions : null;
}

/** The id that holds these positions. */
export function formatPositions(positions: Iterable<readonly [string, StreamPosition]>): string {
  return [...positions].map(([symbol, position]) => partOf(symbol, position)).join('.');
}

/** How far a reader of several symbols has come in each. */
interface PositionVector {
  /** Moves one symbol, or begins it, and gives the id of all. */
  move(symbol: string, position: StreamPosition): string;
  /** The id of all. */
  id(): string;
}

/** A vector that begins at these positions. What did not move is not written again. */
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

/** What `Last-Event-ID` names: a position in one symbol, or one in each of several. */
export type LastEventId =
  | { readonly of: 'one'; readonly position: StreamPosition }
  | { readonly of: 'several'; readonly positions: Positions };

/** 422 for an id that is no position in the stream asked for. */
export function refuseId(fault: string): InvalidRequest {
  return new InvalidRequest([{ loc: ['header', 'last-event-id'], msg: fault, type: 'event_id' }]);
}

/** What `Last-Event-ID` names; null without one. Throws 422 when it is no id of ours. */
export function readLastEventId(header: unknown): LastEventId | null {
  if (header === undefined || header === '') return null;
  if (typeof header === 'string') {
    const position = parsePosition(header);
    if (position !== null) return { of: 'one', position };
    const positions = parsePositions(header);
    if (positions !== null) return { of: 'several', positions };
  }
  throw refuseId('must be the id of a message of this stream, as it was sent');
}

/** The position of a stream of one symbol: an id of several that holds it will do. Throws 422 when the id does not hold it. */
export function positionIn(id: LastEventId | null, symbol: string): StreamPosition | null {
  if (id === null) return null;
  if (id.of === 'one') return id.position;
  const position = id.positions.get(symbol);
  if (position !== undefined) return position;
  throw refuseId(`is the id of a stream of ${namesOf(id.positions)}, and has no position in ${symbol}`);
}

/**
 * The positions in a stream of several symbols (null: of all), as far as the id holds them. Throws 422 for an id of a stream of one symbol,
 * which does not say of which, and for one that holds none of the symbols.
 */
export function positionsIn(id: LastEventId | null, symbols: readonly string[] | null): Positions {
  if (id === null) return new Map();
  if (id.of === 'one')
    throw refuseId('is the id of a stream of one symbol, and this is a stream of several: resume the stream of that symbol alone');
  const held = [...id.positions].filter(([symbol]) => symbols?.includes(symbol) ?? true);
  if (held.length > 0) return new Map(held);
  throw refuseId(`is the id of a stream of ${namesOf(id.positions)}, and this stream has none of them`);
}

const NAMES_MAX = 5;

function namesOf(positions: Positions): string {
  const names = [...positions.keys()];
  const more = names.length - NAMES_MAX;
  return `${names.slice(0, NAMES_MAX).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
