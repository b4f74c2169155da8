import { scaleLinear } from 'd3-scale';
import { scaleLabel, WIDTH } from './frame';
import { pixel } from './step-line';

interface ValueAxis {
  readonly y: (value: number) => number;
  readonly svg: string;
  readonly labels: string;
}

/** Axis over [low, high] from `bottom` up to `top`, with a grid line and a label at each value of `at`. */
export function valueAxis(
  [low, high]: readonly [number, number],
  [top, bottom]: readonly [number, number],
  at: readonly number[],
  format: (value: number) => string,
): ValueAxis {
  const y = scaleLinear([low, high], [bottom, top]);
  return {
    y,
    svg: at.map((value) => `<line class="grid" x1="0" x2="${WIDTH}" y1="${pixel(y(value))}" y2="${pixel(y(value))}"/>`).join(''),
    labels: at.map((value) => scaleLabel(format(value), y(value))).join(''),
  };
}

export function roundValues(low: number, high: number, about: number): readonly number[] {
  return scaleLinear([low, high], [0, 1]).ticks(about);
}
