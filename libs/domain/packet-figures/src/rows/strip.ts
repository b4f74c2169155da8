import { missingSpansOf, stateRunsOf, type MissingSpan, type StateReading } from '../state-runs';
import { stateWord } from '../states/palette';

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
