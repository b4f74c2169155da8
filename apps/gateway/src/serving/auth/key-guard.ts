import type { Logger } from '@market-state/logging';
import type { Scope } from '../openapi/document';
import { type Credential, type CredentialChange, digestHex } from './credentials';
import type { CredentialDirectory } from './credential-directory';

/** Also catches expiry and missed changes, in milliseconds. */
const LOOK_EVERY_MS = 500;

export type KeyLoss = 'revoked' | 'unknown';

export interface KeyGuard {
  /** Calls back once when the credential loses the scope; returns the unsubscribe function. */
  watch(credential: Credential, scope: Scope, onLoss: (loss: KeyLoss) => void): () => void;
  close(): void;
}

export interface KeyGuardDeps {
  readonly directory: Pick<CredentialDirectory, 'verify' | 'onChange'>;
  readonly logger: Logger;
  readonly monotonicMs: () => number;
  /** Access ends if account could not confirm a credential for this long, in milliseconds. */
  readonly unknownMsMax: number;
}

interface Watched {
  readonly credential: Credential;
  readonly users: Set<{ readonly scope: Scope; readonly onLoss: (loss: KeyLoss) => void }>;
  asking: boolean;
  goodMs: number;
}

/** Watches credentials of open streams, each once. */
export function createKeyGuard({ directory, logger, monotonicMs, unknownMsMax }: KeyGuardDeps): KeyGuard {
  const watched = new Map<string, Watched>();

  function drop(entry: Watched, loss: KeyLoss, isLost: (scope: Scope) => boolean): void {
    for (const user of [...entry.users]) {
      if (!isLost(user.scope)) continue;
      entry.users.delete(user);
      user.onLoss(loss);
    }
  }

  async function look(entry: Watched): Promise<void> {
    if (entry.asking) return;
    entry.asking = true;
    try {
      const grant = await directory.verify(entry.credential);
      entry.goodMs = monotonicMs();
      drop(entry, 'revoked', (scope) => grant === null || !grant.scopes.has(scope));
    } catch (error) {
      logger.warn({ err: error }, 'a credential in use cannot be verified');
      if (monotonicMs() - entry.goodMs > unknownMsMax) drop(entry, 'unknown', () => true);
    } finally {
      entry.asking = false;
    }
  }

  function changedBy(change: CredentialChange): (Watched | undefined)[] {
    return 'digestHex' in change ? [watched.get(change.digestHex)] : [...watched.values()];
  }

  const stopListening = directory.onChange((change) => {
    for (const entry of changedBy(change)) if (entry !== undefined) void look(entry);
  });
  const timer = setInterval(() => {
    for (const entry of watched.values()) void look(entry);
  }, LOOK_EVERY_MS);
  timer.unref();

  return {
    watch(credential, scope, onLoss) {
      const digest = digestHex(credential.secret);
      const entry = watched.get(digest) ?? { credential, users: new Set(), asking: false, goodMs: monotonicMs() };
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
