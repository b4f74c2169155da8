import { WINDOW_MS } from '@market-state/market-data';
import type { TapeEntry } from './tape-packet';

/** Most packets of each stage. */
export const STAGE_PACKETS = 12;

export type StageName = 'before' | 'during' | 'after';

/** The packets around an event. */
export interface Stages extends Readonly<Record<StageName, readonly TapeEntry[]>> {
  /** Every packet from the first of the stages to the last: includes those of the run that `during` leaves out. */
  readonly chain: readonly TapeEntry[];
}

/** Whether two consecutive packets are of one run: same published state and event class, no window between them. */
function isSameRun(a: TapeEntry, b: TapeEntry): boolean {
  return a.packet.state === b.packet.state && a.packet.event_class === b.packet.event_class && b.windowEndMs - a.windowEndMs === WINDOW_MS;
}

/**
 * The stages around an event. `during` is the unbroken run of packets with its published state and event class, at most twelve of them;
 * `before` and `after` are up to twelve on either side of the run.
 */
export function stagesAround(tape: readonly TapeEntry[], index: number): Stages {
  const event = tape[index];
  if (event === undefined) return { before: [], during: [], after: [], chain: [] };
  let start = index;
  let end = index;
  for (let previous = tape[start - 1]; previous !== undefined && isSameRun(previous, tape[start] ?? event); previous = tape[start - 1])
    start -= 1;
  for (let next = tape[end + 1]; next !== undefined && isSameRun(tape[end] ?? event, next); next = tape[end + 1]) end += 1;
  const shownFrom = Math.max(start, Math.min(index - STAGE_PACKETS / 2, end - STAGE_PACKETS + 1));
  const shownTo = Math.min(end + 1, shownFrom + STAGE_PACKETS);
  const before = tape.slice(Math.max(0, start - STAGE_PACKETS), start);
  const after = tape.slice(end + 1, end + 1 + STAGE_PACKETS);
  return {
    before,
    during: tape.slice(shownFrom, shownTo),
    after,
    chain: tape.slice(before.length === 0 ? shownFrom : start - before.length, after.length === 0 ? shownTo : end + 1 + after.length),
  };
}
