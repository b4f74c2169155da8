import { WINDOW_MS } from '@market-state/market-data';
import { words } from '../words/escape';
import type { ReportSample } from '../sample';
import { rowLabel, WIDTH, type Frame } from './frame';
import { pixel } from './step-line';

/** Pixels that a row takes: its label, and the marks under it. */
const ROW = 32;
const LABEL = 17;

/** A row for each word, with a mark over the windows whose packets have it. */
export interface MarkRows {
  readonly height: number;
  readonly svg: string;
  readonly labels: string;
}

/** `colorOf` gives the fill of a packet's mark in the row of a word, undefined where it has none. */
export function markRows(
  frame: Frame,
  samples: readonly ReportSample[],
  names: readonly string[],
  colorOf: (sample: ReportSample, name: string) => string | undefined,
): MarkRows {
  const rows = names.map((name, row) => {
    const y = row * ROW + LABEL;
    const marks = marksOf(samples, (sample) => colorOf(sample, name)).map(
      ({ startMs, endMs, color }) =>
        `<rect x="${frame.x(startMs)}" y="${y}" width="${pixel(frame.x(endMs) - frame.x(startMs))}" height="${ROW - LABEL - 3}" fill="${color}"/>`,
    );
    return `<line class="grid" x1="0" x2="${WIDTH}" y1="${(row + 1) * ROW}" y2="${(row + 1) * ROW}"/>${marks.join('')}`;
  });
  return {
    height: names.length * ROW,
    svg: rows.join(''),
    labels: names.map((name, row) => rowLabel(words(name), row * ROW)).join(''),
  };
}

interface Mark {
  readonly startMs: number;
  endMs: number;
  readonly color: string;
}

function marksOf(samples: readonly ReportSample[], colorOf: (sample: ReportSample) => string | undefined): readonly Mark[] {
  const marks: Mark[] = [];
  for (const sample of samples) {
    const color = colorOf(sample);
    if (color === undefined) continue;
    const { windowEndMs } = sample;
    const last = marks.at(-1);
    if (last !== undefined && last.endMs === windowEndMs - WINDOW_MS && last.color === color) last.endMs = windowEndMs;
    else marks.push({ startMs: windowEndMs - WINDOW_MS, endMs: windowEndMs, color });
  }
  return marks;
}
