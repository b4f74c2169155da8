import { WINDOW_MS } from '@market-state/market-data';

export interface StateReading {
  readonly windowEndMs: number;
  readonly state: string;
  readonly stateLabel: string;
}

/** Run of consecutive windows with the same published state. */
export interface Spell {
  readonly state: string;
  readonly label: string;
  /** Start of the first window and end of the last, milliseconds since the epoch. */
  readonly startMs: number;
  readonly endMs: number;
  readonly packets: number;
}

/** Runs of the published state, oldest first. A missing packet ends a run. */
export function spellsOf(samples: readonly StateReading[]): readonly Spell[] {
  const spells: Spell[] = [];
  for (const { windowEndMs, state, stateLabel } of samples) {
    const last = spells.at(-1);
    if (last !== undefined && last.state === state && last.endMs === windowEndMs - WINDOW_MS) {
      spells[spells.length - 1] = { ...last, endMs: windowEndMs, packets: last.packets + 1 };
    } else {
      spells.push({ state, label: stateLabel, startMs: windowEndMs - WINDOW_MS, endMs: windowEndMs, packets: 1 });
    }
  }
  return spells;
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
export function missingSpansOf(samples: readonly StateReading[], spells: readonly Spell[] = spellsOf(samples)): readonly MissingSpan[] {
  const holes: MissingSpan[] = [];
  let reachedMs: number | null = null;
  for (const { state, startMs, endMs } of spells) {
    if (reachedMs !== null && startMs > reachedMs) holes.push({ startMs: reachedMs, endMs: startMs, kind: 'no_packet' });
    if (RETAINED_STATES.has(state)) holes.push({ startMs, endMs, kind: 'retained' });
    reachedMs = endMs;
  }
  return holes;
}
