import { words } from '../text';
import { COMPOSITES, type Composite, type ReportSample } from '../sample';
import { rowLabel, type Figure, type Frame } from './frame';
import { valueAxis } from './scale-axis';
import { stepPath } from './step-line';

const PANEL = 92;

/** How many packets each composite had a source in. */
function sourcedPackets(samples: readonly ReportSample[]): ReadonlyMap<Composite, number> {
  return new Map(COMPOSITES.map((name) => [name, samples.filter(({ composites }) => composites[name].score !== null).length]));
}

/** The composite scores that had a source, each in a panel of its own, against the thresholds in force. */
export function scoreFigure(frame: Frame, samples: readonly ReportSample[]): Figure {
  const sourced = sourcedPackets(samples);
  const drawn = COMPOSITES.filter((name) => sourced.get(name) !== 0);
  const panels = drawn.map((name, index) => panel(frame, samples, name, index * PANEL));
  return {
    title: 'Composite scores against their thresholds',
    note: 'Solid: the score. Dashed: its watch threshold; dotted: its elevated threshold. The thresholds move when the symbol’s own quantiles take over from the policy’s defaults. No line: the score has no source.',
    height: drawn.length * PANEL,
    svg: panels.map(({ svg }) => svg).join(''),
    labels: panels.map(({ labels }) => labels).join(''),
  };
}

/**
 * How many of the composites had a source, and which had none, or one in fewer than nine tenths of the packets; empty where every one had a
 * source in more.
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
