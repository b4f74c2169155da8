import { repeatUntilClosed } from '@market-state/lifecycle';
import type { Pool } from 'pg';
import { beat, isWanted, type PartTry } from '../store/parts';

/** How often a worker looks whether its try still counts, and every how many looks it says that it is at work. */
const LOOK_MS = 1_000;
const BEAT_EVERY = 5;

/** Why work on a part ends before it is made: the job was cancelled or has failed, or another worker has the part. */
export const NOT_WANTED = new Error('the part is not wanted from this worker any more');

export interface WatchedTry {
  /** Aborts with NOT_WANTED. */
  readonly signal: AbortSignal;
  close(): Promise<void>;
}

/** Says every 5 s that a worker makes a part, and looks every second whether it still should. */
export function watchTry(pool: Pool, part: PartTry, clock: () => number, stop: AbortSignal): WatchedTry {
  const unwanted = new AbortController();
  let looks = 0;
  const watching = repeatUntilClosed(
    async () => {
      looks += 1;
      const counts = looks % BEAT_EVERY === 0 ? await beat(pool, part, clock()) : await isWanted(pool, part);
      if (!counts) unwanted.abort(NOT_WANTED);
    },
    { intervalMs: LOOK_MS, onError: () => undefined },
  );
  return { signal: AbortSignal.any([unwanted.signal, stop]), close: () => watching.close() };
}
