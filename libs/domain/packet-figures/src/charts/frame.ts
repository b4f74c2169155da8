import { scaleUtc, scaleLinear } from 'd3-scale';
import { WINDOW_MS } from '@market-state/market-data';
import type { MissingSpan } from '../state-runs';
import { escape, utc } from '../text';

/** SVGs scale to the page's width, so text stays outside. */
export const WIDTH = 1_000;
const TICKS = 9;
const DAY_MS = 86_400_000;

/** Shared by all charts of a report. */
export interface Frame {
  readonly startMs: number;
  readonly endMs: number;
  /** 0 to `WIDTH`, to a hundredth. */
  readonly x: (ms: number) => number;
  readonly ticks: readonly { readonly ms: number; readonly label: string }[];
}

export function createFrame(startMs: number, endMs: number): Frame {
  const scale = scaleUtc([new Date(startMs), new Date(endMs)], [0, WIDTH]);
  const dates = scale.ticks(TICKS);
  const seconds = dates.some((date) => date.getUTCSeconds() !== 0);
  return {
    startMs,
    endMs,
    x: (ms) => Math.round(scale(ms) * 100) / 100,
    ticks: dates.map((date) => ({ ms: date.getTime(), label: tickLabel(date.getTime(), seconds) })),
  };
}

/** `23:54`, with seconds if ticks are closer than a minute; month and day at midnight. */
function tickLabel(ms: number, seconds: boolean): string {
  if (ms % DAY_MS === 0) return utc(ms).slice(5, 10);
  return utc(ms).slice(11, seconds ? 19 : 16);
}

export interface Chart {
  readonly title: string;
  readonly note: string;
  readonly height: number;
  /** Drawn in units of `WIDTH` across and pixels down. */
  readonly svg: string;
  readonly under?: string;
  readonly labels: string;
}

/** Left of the plot, vertically centred at `y`. */
function scaleLabel(text: string, y: number): string {
  return `<span class="scale" style="top:${Math.round(y)}px">${escape(text)}</span>`;
}

/** Inside the plot on the left, its top at `y`. */
export function rowLabel(text: string, y: number): string {
  return `<span class="row" style="top:${Math.round(y)}px">${escape(text)}</span>`;
}

export function drawChart(frame: Frame, { title, note, height, svg, under = '', labels }: Chart, holes: readonly MissingSpan[]): string {
  return `<figure>
<figcaption><h2>${escape(title)}</h2><p>${escape(note)}</p></figcaption>
<div class="plot" style="height:${height}px">${under}${holes.map((hole) => holeMark(frame, hole)).join('')}
<svg viewBox="0 0 ${WIDTH} ${height}" height="${height}" preserveAspectRatio="none" role="img" aria-label="${escape(title)}">${timeGrid(frame, height)}${svg}<line class="cursor" y1="0" y2="${height}" x1="-9" x2="-9"/></svg>
${labels}</div>
<div class="times">${timeLabels(frame)}</div>
</figure>`;
}

function share(units: number): string {
  return `${Math.round((units / WIDTH) * 10_000) / 100}%`;
}

export function underlay({ x }: Frame, startMs: number, endMs: number, classes: string, height: number): string {
  return `<i class="${classes}" style="left:${share(x(startMs))};width:${share(x(endMs) - x(startMs))};height:${height}px"></i>`;
}

function holeMark({ x }: Frame, { startMs, endMs, kind }: MissingSpan): string {
  return `<i class="hole ${kind}" style="left:${share(x(startMs))};width:max(1px,${share(x(endMs) - x(startMs))})"></i>`;
}

function timeGrid({ x, ticks }: Frame, height: number): string {
  const marks = ticks.map(({ ms }) => `<line class="grid" x1="${x(ms)}" x2="${x(ms)}" y1="0" y2="${height}"/>`);
  return `${marks.join('')}<line class="axis" x1="0" x2="${WIDTH}" y1="${height}" y2="${height}"/>`;
}

/** CSS hides odd labels on narrow pages. */
function timeLabels({ x, ticks }: Frame): string {
  return ticks
    .map(({ ms, label }, index) => {
      const edge = x(ms) > 0.97 * WIDTH ? ' last' : '';
      return `<span class="${index % 2 === 0 ? 'even' : 'odd'}${edge}" style="left:${share(x(ms))}">${escape(label)}</span>`;
    })
    .join('');
}

interface Reading {
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

/** Bar over a window between two levels, in pixels from the top. */
interface Bar {
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
