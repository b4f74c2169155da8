import { words } from '../text';
import { COMPOSITES, type Composite, type ReportSample, type SeverityBounds } from '../sample';
import { rowLabel, type Chart, type Frame, WIDTH, stepPath, barPath, valueAxis } from './frame';
import { stateColor } from '../palette';

const CONTEST_HEIGHT = 216;
const PLOT = [18, 172] as const;
const STRIP = { top: 192, bottom: 206 } as const;

/** Scores of the raw winner and the runner-up, each in its state's colour. */
export function contestChart(frame: Frame, samples: readonly ReportSample[]): Chart {
  const axis = valueAxis([-1, 1], PLOT, [-1, -0.5, 0, 0.5, 1], (value) => Math.abs(value).toFixed(1));
  const bars = (stateOf: (sample: ReportSample) => string, scoreOf: (sample: ReportSample) => number): string =>
    [...new Set(samples.map(stateOf))]
      .map((state) => {
        const own = samples.filter((sample) => stateOf(sample) === state && scoreOf(sample) !== 0);
        const path = barPath(
          frame,
          own.map((sample) => ({ windowEndMs: sample.windowEndMs, from: axis.y(0), to: axis.y(scoreOf(sample)) })),
        );
        return `<path class="candidate" d="${path}" style="fill:${stateColor(state)}"/>`;
      })
      .join('');
  const unpublished = samples.filter(({ winner, state }) => winner !== state);
  const strip = barPath(
    frame,
    unpublished.map(({ windowEndMs }) => ({ windowEndMs, from: STRIP.bottom, to: STRIP.top })),
  );
  return {
    title: 'Raw winner and runner-up',
    note: 'Above the line: the score of the window’s raw winner. Below: the score of the runner-up. Both use the colours of their states. The strip marks windows whose raw winner is not the published state.',
    height: CONTEST_HEIGHT,
    svg: `${bars(
      ({ winner }) => winner,
      ({ winnerScore }) => winnerScore,
    )}${bars(
      ({ runnerUp }) => runnerUp,
      ({ runnerUpScore }) => -runnerUpScore,
    )}${axis.svg}<line class="axis" x1="0" x2="${WIDTH}" y1="${axis.y(0)}" y2="${axis.y(0)}"/><path class="waiting" d="${strip}"/>`,
    labels: `${axis.labels}${rowLabel('raw winner', 0)}${rowLabel('runner-up', PLOT[1] - 16)}${rowLabel('not published', STRIP.top - 17)}`,
  };
}

const HEIGHT = 140;
const BOUNDS: readonly (keyof SeverityBounds)[] = ['elevated', 'high', 'critical'];

export function severityChart(frame: Frame, samples: readonly ReportSample[]): Chart {
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
    note: `${boundsSentence(samples)} The bounds move when session quantiles replace the policy defaults.`,
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

const PANEL = 92;

function sourcedPackets(samples: readonly ReportSample[]): ReadonlyMap<Composite, number> {
  return new Map(COMPOSITES.map((name) => [name, samples.filter(({ composites }) => composites[name].score !== null).length]));
}

/** One panel per composite score that had a source, with the thresholds in force. */
export function scoreChart(frame: Frame, samples: readonly ReportSample[]): Chart {
  const sourced = sourcedPackets(samples);
  const drawn = COMPOSITES.filter((name) => sourced.get(name) !== 0);
  const panels = drawn.map((name, index) => panel(frame, samples, name, index * PANEL));
  return {
    title: 'Composite scores against their thresholds',
    note: 'Solid: the score. Dashed: its watch threshold; dotted: its elevated threshold. Thresholds move when the symbol’s own quantiles replace the policy defaults. No line: the score has no source.',
    height: drawn.length * PANEL,
    svg: panels.map(({ svg }) => svg).join(''),
    labels: panels.map(({ labels }) => labels).join(''),
  };
}

/**
 * Sentence on composites without a source, or with one in under nine tenths of the packets; empty if there are none.
 */
export function sourceSentence(samples: readonly ReportSample[]): string {
  const sourced = sourcedPackets(samples);
  const none = COMPOSITES.filter((name) => sourced.get(name) === 0);
  const few = COMPOSITES.filter((name) => !none.includes(name) && (sourced.get(name) ?? 0) < FEW * samples.length);
  const had = COMPOSITES.length - none.length;
  const needed = none.length === 1 ? 'it' : 'them';
  return [
    none.length === 0
      ? ''
      : `${NUMBERS[had] ?? had} of the six composites had a source; none for ${listed(none)}, so no state or class that needs ${needed} could be read.`,
    few.length === 0
      ? ''
      : `Not in every packet: ${few.map((name) => `${words(name)} in ${sourced.get(name)} of ${samples.length}`).join(', ')}.`,
  ]
    .filter((sentence) => sentence !== '')
    .join(' ');
}

const FEW = 0.9;
const NUMBERS = ['None', 'One', 'Two', 'Three', 'Four', 'Five'];

function listed(names: readonly Composite[]): string {
  const all = names.map(words);
  return all.length < 2 ? all.join('') : `${all.slice(0, -1).join(', ')} and ${all.at(-1) ?? ''}`;
}

function panel(
  frame: Frame,
  samples: readonly ReportSample[],
  name: Composite,
  top: number,
): { readonly svg: string; readonly labels: string } {
  const axis = valueAxis([0, 1], [top + 18, top + PANEL - 8], [0, 0.5, 1], (value) => value.toFixed(1));
  const path = (of: (sample: ReportSample) => number | null): string =>
    stepPath(
      frame,
      axis.y,
      samples.map((sample) => ({ windowEndMs: sample.windowEndMs, value: of(sample) })),
    );
  return {
    svg: `${axis.svg}<path class="watch" d="${path((sample) => sample.composites[name].watch)}"/><path class="elevated" d="${path((sample) => sample.composites[name].elevated)}"/><path class="score ${name}" d="${path((sample) => sample.composites[name].score)}"/>`,
    labels: axis.labels + rowLabel(words(name), top),
  };
}
