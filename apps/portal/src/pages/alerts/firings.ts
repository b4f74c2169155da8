import { FLAP_MS, isMomentary } from '@market-state/alert-rules/rehearsal';
import type { Outcome } from './rehearse-here';
import type { Rule } from './rule';

/** A stretch in which a rule fires, milliseconds since the epoch. */
export interface Firing {
  readonly fromMs: number;
  readonly toMs: number;
  /** It fired again within ten minutes of its recovery. */
  readonly isFlap: boolean;
}

/** From each trigger to its recovery; one that does not recover lasts to the end, one of a momentary rule an instant. */
export function firingsOf(notices: Outcome['notices'], { kind }: Rule, endMs: number): readonly Firing[] {
  const firings: Firing[] = [];
  let endedMs = -Infinity;
  let open: Firing | null = null;
  for (const { phase, atMs } of notices) {
    if (phase === 'triggered') {
      open = { fromMs: atMs, toMs: endMs, isFlap: atMs - endedMs <= FLAP_MS };
      if (!isMomentary(kind)) continue;
    }
    if (open !== null) firings.push({ ...open, toMs: atMs });
    open = null;
    endedMs = atMs;
  }
  return open === null ? firings : [...firings, open];
}
