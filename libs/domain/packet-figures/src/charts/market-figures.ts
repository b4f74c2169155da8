import { price, quantity } from '../text';
import type { ReportSample } from '../sample';
import { RETAINED_STATES, type StateRun } from '../state-runs';
import { stateColor, stateWord } from '../palette';
import { underlay, type Chart, type Frame, rowLabel, stepPath, barPath, roundValues, valueAxis } from './frame';
import { markRows, type MarkRows } from './mark-rows';

const VOLUME = { top: 20, bottom: 150 } as const;
const TRADES = { top: 180, bottom: 240 } as const;
const TRADES_ALONE = { top: 20, bottom: 80 } as const;

/** Traded volume per window by side, and number of trades. Volumes need the event log. */
export function volumeChart(frame: Frame, samples: readonly ReportSample[]): Chart {
  const withVolume = samples.some(({ volume }) => volume !== null);
  const trades = tradePanel(frame, samples, withVolume ? TRADES : TRADES_ALONE);
  const volume = withVolume ? volumePanel(frame, samples) : { svg: '', labels: '' };
  return {
    title: 'Volume and trades',
    note: withVolume
      ? 'Traded size per window: aggressive buyers above the line, aggressive sellers below. The number of trades is underneath.'
      : 'Number of trades per window. Packets contain no volumes: a report on the recording or its rows shows them.',
    height: (withVolume ? TRADES : TRADES_ALONE).bottom + 4,
    svg: volume.svg + trades.svg,
    labels: volume.labels + trades.labels,
  };
}

interface Panel {
  readonly svg: string;
  readonly labels: string;
}

function volumePanel(frame: Frame, samples: readonly ReportSample[]): Panel {
  const known = samples.flatMap(({ windowEndMs, volume }) => (volume === null ? [] : [{ windowEndMs, ...volume }]));
  const high = known.reduce((most, { buys, sells }) => Math.max(most, buys, sells), 0) || 1;
  const at = roundValues(-high, high, 4);
  const axis = valueAxis([-high, high], [VOLUME.top, VOLUME.bottom], at, (value) => quantity(Math.abs(value)));
  const bars = (of: (each: (typeof known)[number]) => number): string =>
    barPath(
      frame,
      known.filter((each) => of(each) !== 0).map((each) => ({ windowEndMs: each.windowEndMs, from: axis.y(0), to: axis.y(of(each)) })),
    );
  const base = samples[0]?.symbol.replace(/USD-PERP$/, '') ?? '';
  return {
    svg: `${axis.svg}<path class="buys" d="${bars(({ buys }) => buys)}"/><path class="sells" d="${bars(({ sells }) => -sells)}"/>`,
    labels: axis.labels + rowLabel(`volume, ${base}`, 0),
  };
}

function tradePanel(
  frame: Frame,
  samples: readonly ReportSample[],
  { top, bottom }: { readonly top: number; readonly bottom: number },
): Panel {
  const known = samples.flatMap(({ windowEndMs, tradeTotal }) => (tradeTotal === null ? [] : [{ windowEndMs, tradeTotal }]));
  const high = known.reduce((most, { tradeTotal }) => Math.max(most, tradeTotal), 0) || 1;
  const axis = valueAxis([0, high], [top, bottom], [0, ...roundValues(0, high, 2).slice(1)], quantity);
  const path = barPath(
    frame,
    known
      .filter(({ tradeTotal }) => tradeTotal > 0)
      .map(({ windowEndMs, tradeTotal }) => ({ windowEndMs, from: axis.y(0), to: axis.y(tradeTotal) })),
  );
  return {
    svg: known.length === 0 ? '' : `${axis.svg}<path class="trades" d="${path}"/>`,
    labels: known.length === 0 ? rowLabel('trades: not reported by this venue', top - 18) : axis.labels + rowLabel('trades', top - 18),
  };
}

const BOTTOM = 280;
const PLOT = [12, BOTTOM - 8] as const;
const STRIP = 288;

/** Mid of a packet; null if its book is not current. */
export function currentMid({ mid, state }: ReportSample): number | null {
  return RETAINED_STATES.has(state) ? null : mid;
}

export function priceChart(frame: Frame, samples: readonly ReportSample[], stateRuns: readonly StateRun[]): Chart {
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
    under: stateRuns.map((stateRun) => span(frame, stateRun)).join(''),
    svg: `${axis.svg}<path class="mid" d="${stepPath(frame, axis.y, readings)}"/><g transform="translate(0 ${STRIP})">${session.svg}</g>`,
    labels: `${axis.labels}<div class="rows" style="top:${STRIP}px">${session.labels}</div>`,
  };
}

function sessionStrip(frame: Frame, samples: readonly ReportSample[]): MarkRows & { readonly note: string } {
  if (samples.every(({ sessionState }) => sessionState === null))
    return { height: 0, svg: '', labels: '', note: 'There is no session state yet: it needs 30 packets.' };
  const rows = markRows(frame, samples, ['session_state'], ({ sessionState }) =>
    sessionState === null ? undefined : stateColor(sessionState),
  );
  return { ...rows, note: 'The strip is the session state: the most frequent one of the last 90 packets, once it leads by nine.' };
}

function span(frame: Frame, { state, startMs, endMs }: StateRun): string {
  if (RETAINED_STATES.has(state)) return '';
  return underlay(frame, startMs, endMs, `span state-${stateWord(state)}`, BOTTOM);
}

/** Avoids spreading a long list into call arguments. */
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
