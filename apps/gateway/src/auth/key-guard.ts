import type { Logger } from '@market-state/logging';
import type { Scope } from '../openapi/document';
import { digestHex, type KeyDirectory } from './key-directory';

/** Keys in use are looked at this often, for those that expire and for changes that were not heard, milliseconds. */
const LOOK_EVERY_MS = 500;

/** Why a key in use no longer opens what it did. */
export type KeyLoss = 'revoked' | 'unknown';

export interface KeyGuard {
  /** Calls back once when a key that is in use no longer opens the scope. Gives the way to stop watching. */
  watch(key: string, scope: Scope, onLoss: (loss: KeyLoss) => void): () => void;
  close(): void;
}

export interface KeyGuardDeps {
  readonly directory: Pick<KeyDirectory, 'verify' | 'onChange'>;
  readonly logger: Logger;
  readonly monotonicMs: () => number;
  /** A key of which account could not say for so long whether it counts no longer does, milliseconds. */
  readonly unknownMsMax: number;
}

interface WatchedKey {
  readonly key: string;
  readonly users: Set<{ readonly scope: Scope; readonly onLoss: (loss: KeyLoss) => void }>;
  asking: boolean;
  /** When it was last known to be good. */
  goodMs: number;
}

/** Watches the keys of answers that never end: each key once, however many answers it opened. */
export function createKeyGuard({ directory, logger, monotonicMs, unknownMsMax }: KeyGuardDeps): KeyGuard {
  const watched = new Map<string, WatchedKey>();

  function drop(entry: WatchedKey, loss: KeyLoss, isLost: (scope: Scope) => boolean): void {
    for (const user of [...entry.users]) {
      if (!isLost(user.scope)) continue;
      entry.users.delete(user);
      user.onLoss(loss);
    }
  }

  async function look(entry: WatchedKey): Promise<void> {
    if (entry.asking) return;
    entry.asking = true;
    try {
      const grant = await directory.verify(entry.key);
      entry.goodMs = monotonicMs();
      drop(entry, 'revoked', (scope) => grant === null || !grant.scopes.has(scope));
    } catch (error) {
      logger.warn({ err: error }, 'a key in use cannot be verified');
      if (monotonicMs() - entry.goodMs > unknownMsMax) drop(entry, 'unknown', () => true);
    } finally {
      entry.asking = false;
    }
  }

  const stopListening = directory.onChange((digest) => {
    const changed = digest === null ? [...watched.values()] : [watched.get(digest)];
    for (const entry of changed) if (entry !== undefined) void look(entry);
  });
  const timer = setInterval(() => {
    for (const entry of watched.values()) void look(entry);
  }, LOOK_EVERY_MS);
  timer.unref();

  return {
    watch(key, scope, onLoss) {
      const digest = digestHex(key);
      const entry = watched.get(digest) ?? { key, users: new Set(), asking: false, goodMs: monotonicMs() };
      watched.set(digest, entry);
      const user = { scope, onLoss };
      entry.users.add(user);
      return () => {
        entry.users.delete(user);
        if (entry.users.size === 0 && watched.get(digest) === entry) watched.delete(digest);
      };
    },
    close() {
      clearInterval(timer);
      stopListening();
    },
  };
}
