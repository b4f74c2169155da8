import { scaleLinear } from 'd3-scale';
import { escape } from '../page/escape';
import type { Frame } from './frame';

/** A value axis at the left of a plot. */
export interface ValueAxis {
  readonly y: (value: number) => number;
  readonly svg: string;
}

/** An axis over [low, high] from `bottom` up to `top`, with a grid line and a label at each of `at`. */
export function valueAxis(
  { left, right }: Frame,
  [low, high]: readonly [number, number],
  [top, bottom]: readonly [number, number],
  at: readonly number[],
  format: (value: number) => string,
): ValueAxis {
  const y = scaleLinear([low, high], [bottom, top]);
  const svg = at
    .map(
      (value) =>
        `<line class="grid" x1="${left}" x2="${right}" y1="${y(value)}" y2="${y(value)}"/><text class="tick" x="${left - 8}" y="${y(value) + 4}" text-anchor="end">${escape(format(value))}</text>`,
    )
    .join('');
  return { y, svg };
}

/** Round values between low and high for an axis. */
export function roundValues(low: number, high: number, about: number): readonly number[] {
  return scaleLinear([low, high], [0, 1]).ticks(about);
}
