import { price } from '../text';
import type { ReportSample } from '../sample';
import { RETAINED_STATES, type Spell } from '../spells';
import { stateColor, stateWord } from '../states/palette';
import { underlay, type Figure, type Frame } from './frame';
import { roundValues, valueAxis } from './scale-axis';
import { markRows, type MarkRows } from './mark-rows';
import { stepPath } from './step-line';

const BOTTOM = 280;
const PLOT = [12, BOTTOM - 8] as const;
/** The strip of the session state under the plot. */
const STRIP = 288;

/** The mid that a packet reads; null where its book is not current. */
export function currentMid({ mid, state }: ReportSample): number | null {
  return RETAINED_STATES.has(state) ? null : mid;
}

/** Mid price over spans of the published state. */
export function priceFigure(frame: Frame, samples: readonly ReportSample[], spells: readonly Spell[]): Figure {
  const readings = samples.map((sample) => ({ windowEndMs: sample.windowEndMs, value: currentMid(sample) }));
  const [lowest, highest] = bounds(readings.flatMap(({ value }) => (value === null ? [] : [value])));
  const [low, high] = lowest > highest ? [0, 1] : padded(lowest, highest);
  const at = lowest > highest ? [] : roundValues(low, high, 6);
  const axis = valueAxis([low, high], PLOT, at, at.every(Number.isInteger) ? String : price);
  const session = sessionStrip(frame, samples);
  return {
    title: 'Mid price and published state',
    note: `Each span is a run of one published state. The line is the mid of the book in force at the end of each window; it breaks where there was none. ${session.note}`,
    height: STRIP + session.height,
    under: spells.map((spell) => span(frame, spell)).join(''),
    svg: `${axis.svg}<path class="mid" d="${stepPath(frame, axis.y, readings)}"/><g transform="translate(0 ${STRIP})">${session.svg}</g>`,
    labels: `${axis.labels}<div class="rows" style="top:${STRIP}px">${session.labels}</div>`,
  };
}

/** The state of the session, the most frequent one of the last 90 packets, where it is known. */
function sessionStrip(frame: Frame, samples: readonly ReportSample[]): MarkRows & { readonly note: string } {
  if (samples.every(({ sessionState }) => sessionState === null))
    return { height: 0, svg: '', labels: '', note: 'There is no session state yet: it takes 30 packets.' };
  const rows = markRows(frame, samples, ['session_state'], ({ sessionState }) =>
    sessionState === null ? undefined : stateColor(sessionState),
  );
  return { ...rows, note: 'The strip is the session state: the most frequent one of the last 90 packets, once it leads by nine.' };
}

function span(frame: Frame, { state, startMs, endMs }: Spell): string {
  if (RETAINED_STATES.has(state)) return '';
  return underlay(frame, startMs, endMs, `span state-${stateWord(state)}`, BOTTOM);
}

/** Smallest and largest, without spreading a long list over a call. */
function bounds(values: readonly number[]): readonly [number, number] {
  return values.reduce<readonly [number, number]>(
    ([low, high], value) => [Math.min(low, value), Math.max(high, value)],
    [Infinity, -Infinity],
  );
}

function padded(low: number, high: number): readonly [number, number] {
  const room = high === low ? Math.max(Math.abs(high) * 1e-4, 1e-9) : (high - low) * 0.06;
  return [low - room, high + room];
}
