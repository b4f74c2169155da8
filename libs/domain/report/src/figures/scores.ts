import { words } from '../page/escape';
import { COMPOSITES, type Composite, type ReportSample } from '../sample';
import type { Figure, Frame } from './frame';
import { valueAxis } from './scale-axis';
import { stepPath } from './step-line';

const PANEL = 92;

/** The six composite scores, each in a panel of its own, against the thresholds in force. */
export function scoreFigure(frame: Frame, samples: readonly ReportSample[]): Figure {
  return {
    title: 'Composite scores against their thresholds',
    note: 'Solid: the score. Dashed: its watch threshold; dotted: its elevated threshold. The thresholds move when the symbol’s own quantiles take over from the policy’s defaults. No line: the score has no source.',
    height: COMPOSITES.length * PANEL + 22,
    svg: COMPOSITES.map((name, index) => panel(frame, samples, name, index * PANEL)).join(''),
  };
}

function panel(frame: Frame, samples: readonly ReportSample[], name: Composite, top: number): string {
  const axis = valueAxis(frame, [0, 1], [top + 10, top + PANEL - 6], [0, 0.5, 1], (value) => value.toFixed(1));
  const path = (of: (sample: ReportSample) => number | null) =>
    stepPath(
      frame,
      axis.y,
      samples.map((sample) => ({ windowEndMs: sample.windowEndMs, value: of(sample) })),
    );
  const known = samples.some((sample) => sample.composites[name].score !== null);
  const middle = (top + top + PANEL) / 2;
  const absent = `<text class="absent" x="${(frame.left + frame.right) / 2}" y="${middle + 4}" text-anchor="middle">no source in this span</text>`;
  return `<g class="panel"><text class="row" x="8" y="${middle + 4}">${words(name)}</text>${axis.svg}${
    known
      ? `<path class="watch" d="${path((sample) => sample.composites[name].watch)}"/><path class="elevated" d="${path((sample) => sample.composites[name].elevated)}"/><path class="score ${name}" d="${path((sample) => sample.composites[name].score)}"/>`
      : absent
  }</g>`;
}
