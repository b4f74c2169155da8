import { WINDOW_MS } from '@market-state/market-data';
import { RETAINED_STATES, stateRunsOf, type StateRun, type StateReading } from './state-runs';

const HOUR_MS = 3_600_000;

interface StateShare {
  readonly state: string;
  readonly label: string;
  readonly packets: number;
  readonly share: number;
  /** Share of packets outside retained context; null for a retained state. */
  readonly shareOutsideGaps: number | null;
  readonly stateRuns: number;
  readonly medianDwellSeconds: number;
  readonly longestDwellSeconds: number;
}

/** Most frequent first, ties by name. */
export function stateShares(
  samples: readonly StateReading[],
  stateRuns: readonly StateRun[] = stateRunsOf(samples),
): readonly StateShare[] {
  const outside = samples.filter(({ state }) => !RETAINED_STATES.has(state)).length;
  return [...groupRuns(stateRuns)]
    .map(([state, runs]) => {
      const packets = runs.reduce((total, run) => total + run.packets, 0);
      const dwells = runs.map((run) => (run.endMs - run.startMs) / 1_000).sort((a, b) => a - b);
      return {
        state,
        label: runs[0]?.label ?? state,
        packets,
        share: packets / samples.length,
        shareOutsideGaps: RETAINED_STATES.has(state) ? null : packets / outside,
        stateRuns: runs.length,
        medianDwellSeconds: dwells[Math.ceil(dwells.length / 2) - 1] ?? 0,
        longestDwellSeconds: dwells.at(-1) ?? 0,
      };
    })
    .sort((a, b) => b.packets - a.packets || a.state.localeCompare(b.state));
}

function groupRuns(stateRuns: readonly StateRun[]): ReadonlyMap<string, readonly StateRun[]> {
  const groups = new Map<string, StateRun[]>();
  for (const stateRun of stateRuns) {
    const group = groups.get(stateRun.state);
    if (group === undefined) groups.set(stateRun.state, [stateRun]);
    else group.push(stateRun);
  }
  return groups;
}

export interface Flips {
  readonly total: number;
  readonly perHour: number;
}

/** `perHour` is NaN without samples. */
export function flipsOf(samples: readonly StateReading[]): Flips {
  const total = changes(samples).length;
  return { total, perHour: total / ((samples.length * WINDOW_MS) / HOUR_MS) };
}

export interface StateChange {
  readonly from: string;
  readonly to: string;
  readonly total: number;
}

/** Most frequent first, ties by name. */
export function stateChanges(samples: readonly StateReading[]): readonly StateChange[] {
  const totals = new Map<string, StateChange>();
  for (const [from, to] of changes(samples)) {
    const key = `${from}>${to}`;
    totals.set(key, { from, to, total: (totals.get(key)?.total ?? 0) + 1 });
  }
  return [...totals.values()].sort((a, b) => b.total - a.total || a.from.localeCompare(b.from) || a.to.localeCompare(b.to));
}

function changes(samples: readonly StateReading[]): readonly (readonly [from: string, to: string])[] {
  return samples.flatMap((sample, index) => {
    const before = samples[index - 1];
    if (before === undefined || before.windowEndMs !== sample.windowEndMs - WINDOW_MS || before.state === sample.state) return [];
    return [[before.state, sample.state] as const];
  });
}

export interface Count {
  readonly value: string;
  readonly packets: number;
  readonly share: number;
}

/** Counts the words that `of` returns, most frequent first, ties by name. A packet may have several or none. */
export function counts<Sample>(samples: readonly Sample[], of: (sample: Sample) => readonly string[]): readonly Count[] {
  const totals = new Map<string, number>();
  for (const sample of samples) for (const value of of(sample)) totals.set(value, (totals.get(value) ?? 0) + 1);
  return [...totals]
    .map(([value, packets]) => ({ value, packets, share: packets / samples.length }))
    .sort((a, b) => b.packets - a.packets || a.value.localeCompare(b.value));
}

interface CalibrationReading {
  readonly windowEndMs: number;
  readonly thresholdSource: string;
}

interface FirstCalibrated {
  readonly windowEndMs: number;
  readonly afterMs: number;
}

/** First packet whose thresholds are the symbol's own; null if there is none. */
export function firstCalibrated(samples: readonly CalibrationReading[]): FirstCalibrated | null {
  const first = samples[0];
  const calibrated = samples.find(({ thresholdSource }) => thresholdSource === 'symbol_rolling_quantile');
  if (first === undefined || calibrated === undefined) return null;
  return { windowEndMs: calibrated.windowEndMs, afterMs: calibrated.windowEndMs - (first.windowEndMs - WINDOW_MS) };
}
