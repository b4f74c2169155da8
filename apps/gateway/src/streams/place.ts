import type { marketData } from '@market-state/contracts';

/** Window end that stands before every packet, milliseconds: where a stream of a symbol without packets begins. */
export const BEFORE_EVERY_PACKET_MS = 10_000;

/** Window ends are multiples of this, so that an id has room below it for what was told after a row. */
const WINDOW_MS = 10_000;

/** What was told after the row of a place. */
const GAP_TOLD = 1;
const PACKET_TOLD = 2;
const TOLD_MAX = GAP_TOLD + PACKET_TOLD;

/** How far a reader has come: everything up to here was sent, nothing after it. */
export interface Place {
  readonly epoch: number;
  /** Of the last row. In a stream of packets: the last packet's number. */
  readonly ordinal: number;
  /** Of the last packet, milliseconds since the epoch; 0 where packets are not part of the stream. */
  readonly windowEndMs: number;
  /** The gap that stands right after the row was told. */
  readonly gapTold: boolean;
  /** Replays only: the packet that stands right after the row was sent. */
  readonly packetTold: boolean;
}

const ID = /^(0|[1-9]\d{0,9})-(0|[1-9]\d{0,15})-(0|[1-9]\d{0,15})$/;

/** The last part of an id: the window end of the last packet, plus what was told after the row. */
export function lastPartOf(place: Place): number {
  return place.windowEndMs + (place.gapTold ? GAP_TOLD : 0) + (place.packetTold ? PACKET_TOLD : 0);
}

/** The message id of a place: `<epoch>-<ordinal>-<window end ms>`. */
export function formatPlace(place: Place): string {
  return `${place.epoch}-${place.ordinal}-${lastPartOf(place)}`;
}

/** The place of a message id; null when the text is no id of ours. */
export function parsePlace(text: string): Place | null {
  const match = ID.exec(text);
  if (match === null) return null;
  const [epoch, ordinal, last] = match.slice(1).map(Number) as [number, number, number];
  const told = last % WINDOW_MS;
  if (!Number.isSafeInteger(ordinal) || !Number.isSafeInteger(last) || told > TOLD_MAX) return null;
  return { epoch, ordinal, windowEndMs: last - told, gapTold: (told & GAP_TOLD) !== 0, packetTold: (told & PACKET_TOLD) !== 0 };
}

/** Whether rows and gaps up to `other` lie behind `place`. */
export function hasRowsOf(place: Place, other: Place): boolean {
  if (place.ordinal !== other.ordinal) return place.ordinal > other.ordinal;
  return toldAfterRow(place) || !toldAfterRow(other);
}

/** A packet stands after the gap of its row. */
function toldAfterRow(place: Place): boolean {
  return place.gapTold || place.packetTold;
}

/** The later place on both ways: rows, and packets. */
export function laterOf(place: Place, other: Place): Place {
  const rows = hasRowsOf(place, other) ? place : other;
  return { ...rows, windowEndMs: Math.max(place.windowEndMs, other.windowEndMs) };
}

/** A place among the rows of a log as the data plane reads it. */
export function logPosition(place: Place): marketData.LogPosition {
  return { epoch: place.epoch, ordinal: place.ordinal, packetWindowEndMs: place.gapTold || place.packetTold ? GAP_TOLD : 0 };
}
