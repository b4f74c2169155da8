import type { marketData } from '@market-state/contracts';
import { WINDOW_MS } from '@market-state/market-data';

/** Window end that stands before every packet, milliseconds: where a stream of a symbol without packets begins. */
export const BEFORE_EVERY_PACKET_MS = 10_000;

/** Added to the last part of an id when the packet after the row was sent; below it gaps are counted. */
const PACKET_TOLD = 5_000;

/** How far a reader has come: everything up to here was sent, nothing after it. */
export interface Place {
  readonly epoch: number;
  /** Of the last row. In a stream of packets: the last packet's number. */
  readonly ordinal: number;
  /** Of the last packet, milliseconds since the epoch; 0 where packets are not part of the stream. */
  readonly windowEndMs: number;
  /** How many of the gaps that stand right after the row were told. */
  readonly gapsTold: number;
  /** Replays only: the packet that stands right after the row was sent. */
  readonly packetTold: boolean;
}

const ID = /^(0|[1-9]\d{0,9})-(0|[1-9]\d{0,15})-(0|[1-9]\d{0,15})$/;

/** The last part of an id: the window end of the last packet, plus what was told after the row. */
export function lastPartOf(place: Place): number {
  return place.windowEndMs + place.gapsTold + (place.packetTold ? PACKET_TOLD : 0);
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
  if (!Number.isSafeInteger(ordinal) || !Number.isSafeInteger(last)) return null;
  return { epoch, ordinal, windowEndMs: last - told, gapsTold: told % PACKET_TOLD, packetTold: told >= PACKET_TOLD };
}

/** Whether rows and gaps up to `other` lie behind `place`. */
export function hasRowsOf(place: Place, other: Place): boolean {
  if (place.ordinal !== other.ordinal) return place.ordinal > other.ordinal;
  return gapsHad(place) >= gapsHad(other);
}

/** A packet stands after the gaps of its row. */
function gapsHad({ gapsTold, packetTold }: Place): number {
  return packetTold ? PACKET_TOLD : gapsTold;
}

/** Whether the gap with this number, counted from 1 after the row of its ordinal, lies behind a place. */
export function hasGap(place: Place, ordinal: number, gapNumber: number): boolean {
  return place.ordinal > ordinal || (place.ordinal === ordinal && gapsHad(place) >= gapNumber);
}

/** The later place on both ways: rows, and packets. */
export function laterOf(place: Place, other: Place): Place {
  const rows = hasRowsOf(place, other) ? place : other;
  return { ...rows, windowEndMs: Math.max(place.windowEndMs, other.windowEndMs) };
}

/** The row of a place as the data plane reads it; it tells the gaps after that row again, and those had are left out here. */
export function logPosition({ epoch, ordinal }: Place): marketData.LogPosition {
  return { epoch, ordinal, packetWindowEndMs: 0 };
}
