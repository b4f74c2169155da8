import { WINDOW_MS } from '@market-state/market-data';
import { lastPartOf, positionOf, type StreamPosition } from '../serving/handlers/stream-position';

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
export interface PositionVector {
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
