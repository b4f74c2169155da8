import { scaleUtc } from 'd3-scale';
import type { Hole } from '../spells';
import { escape } from '../page/escape';
import { utc } from '../page/numbers';

/** Widths of every figure, pixels: they share one time axis, so that the eye can go straight down. */
const WIDTH = 1_160;
const LEFT = 210;
const RIGHT = 16;
const DAY_MS = 86_400_000;

/** The time axis of all figures of a report. */
export interface Frame {
  readonly startMs: number;
  readonly endMs: number;
  readonly left: number;
  readonly right: number;
  /** Pixel of an instant, to a tenth. */
  readonly x: (ms: number) => number;
  readonly ticks: readonly { readonly ms: number; readonly label: string }[];
}

export function createFrame(startMs: number, endMs: number): Frame {
  const scale = scaleUtc([new Date(startMs), new Date(endMs)], [LEFT, WIDTH - RIGHT]);
  const dates = scale.ticks(9);
  const seconds = dates.some((date) => date.getUTCSeconds() !== 0);
  return {
    startMs,
    endMs,
    left: LEFT,
    right: WIDTH - RIGHT,
    x: (ms) => Math.round(scale(ms) * 10) / 10,
    ticks: dates.map((date) => ({ ms: date.getTime(), label: tickLabel(date.getTime(), seconds) })),
  };
}

/** `23:54`, with seconds where ticks stand closer than minutes; the day at midnight. */
function tickLabel(ms: number, seconds: boolean): string {
  if (ms % DAY_MS === 0) return utc(ms).slice(0, 10);
  return utc(ms).slice(11, seconds ? 19 : 16);
}

/** One figure: heading, what to see in it, and its drawing. */
export interface Figure {
  readonly title: string;
  readonly note: string;
  readonly height: number;
  readonly svg: string;
}

/** A drawing with its title, time axis and holes. The plot reaches from `top` to `bottom`; the axis stands under it. */
export function drawFigure(frame: Frame, { title, note, height, svg }: Figure, holes: readonly Hole[]): string {
  const bottom = height - 22;
  return `<figure>
<figcaption><h2>${escape(title)}</h2><p>${escape(note)}</p></figcaption>
<svg viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escape(title)}">
${holes.map((hole) => holeMark(frame, hole, bottom)).join('')}${svg}${timeAxis(frame, bottom)}
<line class="cursor" y1="0" y2="${bottom}" x1="-9" x2="-9"/>
</svg>
</figure>`;
}

function holeMark({ x }: Frame, { startMs, endMs, kind }: Hole, bottom: number): string {
  const width = Math.max(1, x(endMs) - x(startMs)).toFixed(1);
  const title = kind === 'no_packet' ? 'no packets: the feed was down' : 'retained context only';
  return `<rect class="hole" x="${x(startMs)}" y="0" width="${width}" height="${bottom}"><title>${title}</title></rect>`;
}

function timeAxis({ left, right, x, ticks }: Frame, bottom: number): string {
  const marks = ticks.map(
    ({ ms, label }) =>
      `<line class="grid" x1="${x(ms)}" x2="${x(ms)}" y1="0" y2="${bottom}"/><text class="tick" x="${x(ms)}" y="${bottom + 15}" text-anchor="middle">${escape(label)}</text>`,
  );
  return `<g>${marks.join('')}<line class="axis" x1="${left}" x2="${right}" y1="${bottom}" y2="${bottom}"/></g>`;
}
