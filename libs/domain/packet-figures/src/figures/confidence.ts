import type { ReportSample } from '../sample';
import { rowLabel, type Figure, type Frame } from './frame';
import { markRows } from './mark-rows';
import { valueAxis } from './scale-axis';
import { stepPath } from './step-line';

const SCORE = { top: 20, bottom: 120 } as const;
const FLAGS = 132;

/** Confidence over time, and under it the gap flags, a row for each that was set. */
export function confidenceFigure(frame: Frame, samples: readonly ReportSample[], flags: readonly string[]): Figure {
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
