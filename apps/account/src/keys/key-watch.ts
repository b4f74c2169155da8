import { unavailable } from '@market-state/errors';
import { type Closable, delay, runUntilClosed } from '@market-state/lifecycle';
import type { KeyChange } from './key';

/** Time from one beat to the next. */
const BEAT_INTERVAL_MS = 1_000;

/** What one beat needs. */
interface BeatDeps {
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

/** Changes that may wait for a watcher; one that falls further behind is cut off, because no change may be left out. */
export const WATCH_BUFFER_MAX = 10_000;

export type WatchMessage =
  | { readonly type: 'changed'; readonly change: KeyChange }
  /** SHA-256 of the secret of a session that opens nothing any more. */
  | { readonly type: 'session_ended'; readonly digest: Uint8Array }
  /** Every grant of the tenant must be asked for again. */
  | { readonly type: 'tenant_changed'; readonly tenantId: string }
  | { readonly type: 'heartbeat'; readonly sentTsMs: number };

/** Hands every change of what credentials open to every watcher while the changes can be heard at all. */
export interface KeyWatch {
  /** Changes are heard from now on: watchers are let in. */
  begin(): void;
  /** Changes may have been missed: every watcher's stream fails, and none is let in until `begin`. */
  lose(): void;
  publish(message: WatchMessage): void;
  /** Messages from the call on. Fails with UNAVAILABLE when changes are not heard, now or later. */
  open(signal: AbortSignal): AsyncIterable<WatchMessage>;
}

interface Watcher {
  readonly queue: WatchMessage[];
  lost: boolean;
  wake: () => void;
}

export function createKeyWatch(): KeyWatch {
  const watchers = new Set<Watcher>();
  let hearing = false;

  function cutOff(watcher: Watcher): void {
    watcher.lost = true;
    watchers.delete(watcher);
    watcher.wake();
  }

  function offer(watcher: Watcher, message: WatchMessage): void {
    if (message.type === 'heartbeat' && watcher.queue.at(-1)?.type === 'heartbeat') watcher.queue.pop();
    if (watcher.queue.length >= WATCH_BUFFER_MAX) return cutOff(watcher);
    watcher.queue.push(message);
    watcher.wake();
  }

  return {
    begin() {
      hearing = true;
    },
    lose() {
      hearing = false;
      for (const watcher of watchers) cutOff(watcher);
    },
    publish(message) {
      for (const watcher of watchers) offer(watcher, message);
    },
    open(signal) {
      if (!hearing) throw changesNotHeard();
      const watcher: Watcher = { queue: [], lost: false, wake: () => undefined };
      watchers.add(watcher);
      return drain(watcher, signal, () => watchers.delete(watcher));
    },
  };
}

async function* drain(watcher: Watcher, signal: AbortSignal, leave: () => void): AsyncGenerator<WatchMessage> {
  const onAbort = (): void => watcher.wake();
  signal.addEventListener('abort', onAbort);
  try {
    while (!signal.aborted) {
      if (watcher.lost) throw changesNotHeard();
      const message = watcher.queue.shift();
      if (message === undefined) await new Promise<void>((resolve) => (watcher.wake = resolve));
      else yield message;
    }
  } finally {
    signal.removeEventListener('abort', onAbort);
    leave();
  }
}

function changesNotHeard(): Error {
  return unavailable('upstream_unavailable', 'Key changes cannot be received at the moment.');
}
