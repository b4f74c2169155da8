import { WINDOW_MS } from '@market-state/market-data';
import type { Frame } from './frame';
import { pixel } from './step-line';

/** Bar over a window between two levels, in pixels from the top. */
export interface Bar {
  readonly windowEndMs: number;
  readonly from: number;
  readonly to: number;
}

/** Bars as one path, oldest first, from a common base level; consecutive windows share an outline. */
export function barPath({ x }: Frame, bars: readonly Bar[]): string {
  let path = '';
  let last: Bar | undefined;
  const close = (): string => (last === undefined ? '' : `H${x(last.windowEndMs)}V${pixel(last.from)}`);
  for (const bar of bars) {
    const startMs = bar.windowEndMs - WINDOW_MS;
    if (last?.windowEndMs !== startMs) path += `${close()}M${x(startMs)} ${pixel(bar.from)}V${pixel(bar.to)}`;
    else if (pixel(last.to) !== pixel(bar.to)) path += `H${x(startMs)}V${pixel(bar.to)}`;
    last = bar;
  }
  return path + close();
}
