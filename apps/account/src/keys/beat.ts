import type { KeyChange } from './key';
import type { KeyWatch } from './key-watch';

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
