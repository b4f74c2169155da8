import type { Channel } from '@market-state/market-data';
import type { RowWindow } from '../store/row-window';

/** What of a symbol's data is read: a window of exchange time, as it stood at an instant. */
export interface Window {
  readonly symbol: string;
  /** Exchange time, inclusive. */
  readonly startMs: number;
  /** Exclusive. */
  readonly endMs: number;
  /** Public names, in their usual order. */
  readonly channels: readonly string[];
  /** Only what was received by then. */
  readonly asOfMs: number;
  /** The last entry that was recorded when the reading began. */
  readonly toOrdinal: number;
  /** Of the symbol's venue. */
  readonly closingLagMs: number;
}

/** How far a window was read: up to an entry, and with it what `packetWindowEndMs` of a LogPosition says. */
export interface Place {
  readonly ordinal: number;
  readonly packetWindowEndMs: number;
}

/** Before everything. */
export const WINDOW_START: Place = { ordinal: 0, packetWindowEndMs: 0 };

/** What rows of the log are chosen by, beside their channels. */
export type LogWindow = Omit<RowWindow, 'channels'>;

/** The part of a window that is in the log. */
export function rowWindowOf({ symbol, startMs, endMs, asOfMs, toOrdinal }: LogWindow, channels: readonly Channel[]): RowWindow {
  return { symbol, startMs, endMs, channels, asOfMs, toOrdinal };
}
