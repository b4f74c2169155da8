import { WINDOW_MS } from '@market-state/market-data';
import type { Frame } from './frame';
import { pixel } from './step-line';

/** A bar over a window, from one level to another, pixels from the top. */
export interface Bar {
  readonly windowEndMs: number;
  readonly from: number;
  readonly to: number;
}

/** Bars as one path. */
export function barPath({ x }: Frame, bars: readonly Bar[]): string {
  return bars
    .map(({ windowEndMs, from, to }) => `M${x(windowEndMs - WINDOW_MS)} ${pixel(from)}V${pixel(to)}H${x(windowEndMs)}V${pixel(from)}`)
    .join('');
}
