import { WINDOW_MS } from '@market-state/market-data';
import { stateWord } from './palette';

export interface StateReading {
  readonly windowEndMs: number;
  readonly state: string;
  readonly stateLabel: string;
}

/** Run of consecutive windows with the same published state. */
export interface StateRun {
  readonly state: string;
  readonly label: string;
  /** Start of the first window and end of the last, milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  readonly packets: number;
}

/** Runs of the published state, oldest first. A missing packet ends a run. */
export function stateRunsOf(samples: readonly StateReading[]): readonly StateRun[] {
  const stateRuns: StateRun[] = [];
  for (const { windowEndMs, state, stateLabel } of samples) {
    const last = stateRuns.at(-1);
    if (last !== undefined && last.state === state && last.endMs === windowEndMs - WINDOW_MS) {
      stateRuns[stateRuns.length - 1] = { ...last, endMs: windowEndMs, packets: last.packets + 1 };
    } else {
      stateRuns.push({ state, label: stateLabel, startMs: windowEndMs - WINDOW_MS, endMs: windowEndMs, packets: 1 });
    }
  }
  return stateRuns;
}

/** States without a current reading: no current book, or too little support. */
export const RETAINED_STATES: ReadonlySet<string> = new Set(['insufficient_evidence', 'replay_context_ready']);

export interface MissingSpan {
  readonly startMs: number;
  readonly endMs: number;
  /** `no_packet`: the feed was down. `retained`: packets reported no book or a stale one. */
  readonly kind: 'no_packet' | 'retained';
}

export const GAP_LABELS: Readonly<Record<MissingSpan['kind'], string>> = {
  no_packet: 'no packets: the feed was down',
  retained: 'retained context only',
};

/** Spans without packets and runs of `RETAINED_STATES`, oldest first. */
export function missingSpansOf(
  samples: readonly StateReading[],
  stateRuns: readonly StateRun[] = stateRunsOf(samples),
): readonly MissingSpan[] {
  const holes: MissingSpan[] = [];
  let reachedMs: number | null = null;
  for (const { state, startMs, endMs } of stateRuns) {
    if (reachedMs !== null && startMs > reachedMs) holes.push({ startMs: reachedMs, endMs: startMs, kind: 'no_packet' });
    if (RETAINED_STATES.has(state)) holes.push({ startMs, endMs, kind: 'retained' });
    reachedMs = endMs;
  }
  return holes;
}

/** Part of a strip, as shares of its width, 0 to 1. */
export interface StripPart {
  readonly at: number;
  readonly width: number;
  /** Suffix of `state-<word>`; `missing` where there is no packet. */
  readonly word: string;
  readonly label: string;
  readonly startMs: number;
  readonly endMs: number;
}

const MISSING = 'no packets';

/**
 * States of a span side by side, oldest first, each as wide as it lasted. Missing packets form parts of their own,
 * including before the first and after the last. Readings must be in order.
 */
export function stripOf(readings: readonly StateReading[], startMs: number, endMs: number): readonly StripPart[] {
  const stateRuns = stateRunsOf(readings);
  const holes = missingSpansOf(readings, stateRuns).filter(({ kind }) => kind === 'no_packet');
  const firstMs = stateRuns[0]?.startMs ?? endMs;
  const lastMs = stateRuns.at(-1)?.endMs ?? startMs;
  const before = firstMs > startMs ? [hole(startMs, firstMs)] : [];
  const after = stateRuns.length > 0 && lastMs < endMs ? [hole(lastMs, endMs)] : [];
  const share = (ms: number): number => (Math.min(endMs, Math.max(startMs, ms)) - startMs) / (endMs - startMs);
  return [
    ...[...before, ...holes, ...after].map((each) => ({ ...each, word: 'missing', label: MISSING })),
    ...stateRuns.map(({ state, label, startMs: from, endMs: to }) => ({ startMs: from, endMs: to, word: stateWord(state), label })),
  ]
    .filter(({ startMs: from, endMs: to }) => to > startMs && from < endMs)
    .sort((a, b) => a.startMs - b.startMs)
    .map((part) => ({ ...part, at: share(part.startMs), width: share(part.endMs) - share(part.startMs) }));
}

function hole(startMs: number, endMs: number): MissingSpan {
  return { startMs, endMs, kind: 'no_packet' };
}
