import { WINDOW_MS } from '@market-state/market-data';
import type { Frame } from './frame';

export interface Reading {
  readonly windowEndMs: number;
  readonly value: number | null;
}

/** Step path with corners only where the value changes. It breaks where a value is null or a window is missing. */
export function stepPath({ x }: Frame, y: (value: number) => number, readings: readonly Reading[]): string {
  let path = '';
  let drawnTo: Reading | undefined;
  for (const reading of readings) {
    const { windowEndMs, value } = reading;
    if (value !== null) {
      const startMs = windowEndMs - WINDOW_MS;
      const goesOn = drawnTo !== undefined && drawnTo.windowEndMs === startMs && drawnTo.value !== null;
      if (!goesOn) path += `${end(x, drawnTo)}M${x(startMs)} ${pixel(y(value))}`;
      else if (drawnTo?.value !== value) path += `H${x(startMs)}V${pixel(y(value))}`;
    } else path += end(x, drawnTo);
    drawnTo = reading;
  }
  return path + end(x, drawnTo);
}

function end(x: Frame['x'], last: Reading | undefined): string {
  return last === undefined || last.value === null ? '' : `H${x(last.windowEndMs)}`;
}

export function pixel(value: number): number {
  return Math.round(value * 10) / 10;
}
