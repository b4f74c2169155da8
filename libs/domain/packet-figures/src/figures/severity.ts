import type { ReportSample, SeverityBounds } from '../sample';
import { type Figure, type Frame } from './frame';
import { valueAxis } from './scale-axis';
import { stepPath } from './step-line';

const HEIGHT = 140;
const BOUNDS: readonly (keyof SeverityBounds)[] = ['elevated', 'high', 'critical'];

/** Severity score with the bounds of its classes in force. */
export function severityFigure(frame: Frame, samples: readonly ReportSample[]): Figure {
  const axis = valueAxis([0, 1], [10, HEIGHT - 8], [0, 0.25, 0.5, 0.75, 1], (value) => value.toFixed(2));
  const path = (of: (sample: ReportSample) => number): string =>
    stepPath(
      frame,
      axis.y,
      samples.map((sample) => ({ windowEndMs: sample.windowEndMs, value: of(sample) })),
    );
  const bounds = BOUNDS.map((name) => `<path class="bound ${name}" d="${path(({ severityBounds }) => severityBounds[name])}"/>`);
  return {
    title: 'Event severity',
    note: `${boundsSentence(samples)} The bounds move when the session’s own quantiles take over from the policy’s defaults.`,
    height: HEIGHT,
    svg: `${axis.svg}${bounds.join('')}<path class="severity" d="${path(({ severity }) => severity)}"/>`,
    labels: axis.labels,
  };
}

function boundsSentence(samples: readonly ReportSample[]): string {
  const named = BOUNDS.map((name) => {
    const values = samples.map(({ severityBounds }) => severityBounds[name].toFixed(2)).sort();
    const [low, high] = [values[0] ?? '', values.at(-1) ?? ''];
    return `${name} from ${low === high ? low : `${low} to ${high}`}`;
  });
  return `Solid: the score. Dashed: the bounds of its classes, ${named.join(', ')}; routine below.`;
}
