import { unavailable } from '@market-state/errors';
import { type Closable, delay, runUntilClosed } from '@market-state/lifecycle';
import type { KeyChange } from './key';

const BEAT_INTERVAL_MS = 1_000;

interface BeatDeps {
  readonly watch: KeyWatch;
  readonly clock: () => number;
  /** Resolves once every change committed before the call is published; rejects if that is unknown. */
  readonly catchUp: () => Promise<void>;
  readonly findExpired: (fromMs: number, toMs: number) => Promise<readonly KeyChange[]>;
}

/**
 * Returns the function to call every second. It publishes newly expired keys, then a heartbeat; if changes may be
 * missing it rejects without a heartbeat.
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

export function startHeartbeat(beat: () => Promise<void>, onResult: (error?: unknown) => void): Closable {
  return runUntilClosed(async (signal) => {
    while (!signal.aborted) {
      const startedMs = performance.now();
      await beat().then(() => onResult(), onResult);
      await delay(Math.max(0, startedMs + BEAT_INTERVAL_MS - performance.now()), signal).catch(() => undefined);
    }
  });
}

/** Maximum buffered changes per watcher. A slower watcher is disconnected, because no change may be dropped. */
export const WATCH_BUFFER_MAX = 10_000;

export type WatchMessage =
  | { readonly type: 'changed'; readonly change: KeyChange }
  /** SHA-256 of the secret of an ended session. */
  | { readonly type: 'session_ended'; readonly digest: Uint8Array }
  /** Every cached grant of the tenant is invalid. */
  | { readonly type: 'tenant_changed'; readonly tenantId: string }
  | { readonly type: 'heartbeat'; readonly sentTsMs: number };

/** Publishes credential changes to all watchers while changes can be received. */
export interface KeyWatch {
  /** Admits watchers: changes are received from now on. */
  begin(): void;
  /** Changes may have been missed: fails every watcher's stream and admits none until `begin`. */
  lose(): void;
  publish(message: WatchMessage): void;
  /** Messages from the call on. Fails with UNAVAILABLE once changes cannot be received. */
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
  return unavailable('upstream_unavailable', 'Key changes cannot be received at the moment. Try again.');
}
