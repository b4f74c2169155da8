import { price } from '../page/numbers';
import { words } from '../page/escape';
import type { ReportSample } from '../sample';
import type { Spell } from '../spells';
import { stateColor } from './colors';
import type { Figure, Frame } from './frame';
import { roundValues, valueAxis } from './scale-axis';
import { pixel, stepPath } from './step-line';

const HEIGHT = 300;
const PLOT = [12, HEIGHT - 30] as const;

/** Mid price over spans of the published state. */
export function priceFigure(frame: Frame, samples: readonly ReportSample[], spells: readonly Spell[]): Figure {
  const mids = samples.flatMap(({ mid }) => (mid === null ? [] : [mid]));
  const [low, high] = mids.length === 0 ? [0, 1] : padded(Math.min(...bounds(mids)), Math.max(...bounds(mids)));
  const axis = valueAxis(frame, [low, high], PLOT, mids.length === 0 ? [] : roundValues(low, high, 6), price);
  const path = stepPath(
    frame,
    axis.y,
    samples.map(({ windowEndMs, mid }) => ({ windowEndMs, value: mid })),
  );
  return {
    title: 'Mid price and published state',
    note: 'Each span is a run of one published state. The line is the mid of the book in force at the end of each window.',
    height: HEIGHT,
    svg: `${spells.map((spell) => span(frame, spell)).join('')}${axis.svg}<path class="mid" d="${path}"/>`,
  };
}

function span({ x }: Frame, { state, label, startMs, endMs, packets }: Spell): string {
  const width = pixel(x(endMs) - x(startMs));
  const held = packets === 1 ? '1 packet' : `${packets} packets`;
  return `<rect class="span" x="${x(startMs)}" y="0" width="${width}" height="${HEIGHT - 22}" fill="${stateColor(state)}"><title>${words(label)}, ${held}</title></rect>`;
}

/** Smallest and largest, without spreading a long list over a call. */
function bounds(values: readonly number[]): readonly [number, number] {
  return values.reduce<readonly [number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );
}

function padded(low: number, high: number): readonly [number, number] {
  const room = high === low ? Math.max(Math.abs(high) * 1e-4, 1e-9) : (high - low) * 0.06;
  return [low - room, high + room];
}
