import type { ReportSample } from '../sample';
import type { Figure, Frame } from './frame';
import { valueAxis } from './scale-axis';
import { stepPath } from './step-line';

const HEIGHT = 150;

/** Severity score with its bands. */
export function severityFigure(frame: Frame, samples: readonly ReportSample[]): Figure {
  const axis = valueAxis(frame, [0, 1], [10, HEIGHT - 28], [0, 0.5, 0.7, 0.85, 1], (value) => value.toFixed(2));
  const path = stepPath(
    frame,
    axis.y,
    samples.map(({ windowEndMs, severity }) => ({ windowEndMs, value: severity })),
  );
  return {
    title: 'Event severity',
    note: 'Routine under 0.50, elevated from 0.50, high from 0.70, critical from 0.85.',
    height: HEIGHT,
    svg: `${axis.svg}<path class="severity" d="${path}"/>`,
  };
}
