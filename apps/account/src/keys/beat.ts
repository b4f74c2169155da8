import { type Closable, delay, runUntilClosed } from '@market-state/lifecycle';
import type { KeyChange } from './key';
import type { KeyWatch } from './key-watch';

/** Time from one beat to the next. */
const BEAT_INTERVAL_MS = 1_000;

/** What one beat needs. */
export interface BeatDeps {
  readonly watch: KeyWatch;
  readonly clock: () => number;
  /** Resolves when every change committed before the call has been published; rejects when that cannot be known. */
  readonly catchUp: () => Promise<void>;
  /** Keys not revoked whose end lies after `fromMs` and at or before `toMs`. */
  readonly findExpired: (fromMs: number, toMs: number) => Promise<readonly KeyChange[]>;
}

/**
 * Makes the function to call each second: it publishes the keys that ended since its last success, then a heartbeat. It
 * rejects, and no heartbeat goes out, when changes or ends cannot be known.
 */
export function createBeat(deps: BeatDeps): () => Promise<void> {
  let sweptToMs = deps.clock();

  return async function beat(): Promise<void> {
    const nowMs = deps.clock();
    await deps.catchUp();
    for (const change of await deps.findExpired(sweptToMs, nowMs)) deps.watch.publish({ type: 'changed', change });
    sweptToMs = Math.max(sweptToMs, nowMs);
    deps.watch.publish({ type: 'heartbeat', sentTsMs: deps.clock() });
  };
}

/** Calls `beat` once a second, never twice at once, and reports to `onResult` each time whether it failed, until closed. */
export function startHeartbeat(beat: () => Promise<void>, onResult: (error?: unknown) => void): Closable {
  return runUntilClosed(async (signal) => {
    while (!signal.aborted) {
      const startedMs = performance.now();
      await beat().then(() => onResult(), onResult);
      await delay(Math.max(0, startedMs + BEAT_INTERVAL_MS - performance.now()), signal).catch(() => undefined);
    }
  });
}
