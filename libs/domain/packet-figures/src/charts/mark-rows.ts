import { WINDOW_MS } from '@market-state/market-data';
import { words } from '../text';
import type { ReportSample } from '../sample';
import { rowLabel, WIDTH, type Frame, type Chart, pixel, stepPath, valueAxis } from './frame';
import { sideColor, sideOf } from '../palette';

const ROW = 32;

const LABEL = 17;

/** One row per word, with marks over the windows whose packets have it. */
export interface MarkRows {
  readonly height: number;
  readonly svg: string;
  readonly labels: string;
}

/** `colorOf` returns a mark's fill, or undefined if the packet has none in that row. */
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

const SCORE = { top: 20, bottom: 120 } as const;

export function confidenceChart(frame: Frame, samples: readonly ReportSample[], flags: readonly string[]): Chart {
  const axis = valueAxis([0, 1], [SCORE.top, SCORE.bottom], [0, 0.5, 1], (value) => value.toFixed(1));
  const path = stepPath(
    frame,
    axis.y,
    samples.map(({ windowEndMs, confidence }) => ({ windowEndMs, value: confidence })),
  );
  const rows = markRows(frame, samples, flags, ({ gapFlags }, name) => (gapFlags.includes(name) ? 'var(--warn)' : undefined));
  return {
    title: 'Confidence and gap flags',
    note: `The line is the confidence score of each packet, 0 to 1. ${flags.length === 0 ? 'No packet has a gap flag.' : 'Under it, each gap flag over the windows whose packets have it.'}`,
    height: flags.length === 0 ? SCORE.bottom + 8 : FLAGS + rows.height,
    svg: `${axis.svg}<path class="score" d="${path}"/><g transform="translate(0 ${FLAGS})">${rows.svg}</g>`,
    labels: `${axis.labels}${rowLabel('confidence', 0)}<div class="rows" style="top:${FLAGS}px">${rows.labels}</div>`,
  };
}

const FLAGS = 132;

export function eventClassChart(frame: Frame, samples: readonly ReportSample[], byFrequency: readonly string[]): Chart {
  return {
    title: 'Event class',
    note: 'The class of each window. Blue: it leans to the bids or the buyers. Orange: to the asks or the sellers. Grey: to no side.',
    ...markRows(frame, samples, byFrequency, ({ eventClass, direction }, name) =>
      eventClass === name ? sideColor(sideOf(eventClass, direction)) : undefined,
    ),
  };
}
