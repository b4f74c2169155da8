import type { marketData } from '@market-state/contracts';
import { WINDOW_MS } from '@market-state/market-data';

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
export function positionOf(epoch: number, ordinal: number, last: number): StreamPosition {
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
