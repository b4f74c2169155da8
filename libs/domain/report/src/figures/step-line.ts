import { curveStepAfter, line } from 'd3-shape';
import { WINDOW_MS } from '../spells';
import type { Frame } from './frame';

/** A value read at T. */
export interface Reading {
  readonly windowEndMs: number;
  readonly value: number | null;
}

/**
 * Path of values that each hold over their window. It breaks where a value is null and where a window is missing: nothing is drawn that
 * was not read.
 */
export function stepPath(frame: Frame, y: (value: number) => number, readings: readonly Reading[]): string {
  const draw = line<readonly [number, number]>()
    .x(([ms]) => frame.x(ms))
    .y(([, value]) => Math.round(y(value) * 100) / 100)
    .curve(curveStepAfter);
  return runs(readings)
    .map((run) => {
      const last = run.at(-1);
      if (last === undefined) return '';
      const points = run.map(({ windowEndMs, value }) => [windowEndMs - WINDOW_MS, value] as const);
      return draw([...points, [last.windowEndMs, last.value]]) ?? '';
    })
    .join('');
}

function runs(readings: readonly Reading[]): readonly (readonly { windowEndMs: number; value: number }[])[] {
  const found: { windowEndMs: number; value: number }[][] = [];
  let beforeMs: number | null = null;
  for (const { windowEndMs, value } of readings) {
    if (value === null) {
      beforeMs = null;
      continue;
    }
    const reading = { windowEndMs, value };
    if (beforeMs === windowEndMs - WINDOW_MS) found.at(-1)?.push(reading);
    else found.push([reading]);
    beforeMs = windowEndMs;
  }
  return found;
}
