import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds of work after which the rest of the process gets a turn. */
const WORK_MS = 6;

/** A function to await between short pieces of work, which gives the rest of the process a turn when one is due. */
export function createBreather(): () => Promise<void> {
  let sinceMs = performance.now();
  return async () => {
    if (performance.now() - sinceMs < WORK_MS) return;
    await nextTurn();
    sinceMs = performance.now();
  };
}
