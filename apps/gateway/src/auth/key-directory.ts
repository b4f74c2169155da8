import { hash } from 'node:crypto';
import type { account } from '@market-state/contracts';
import { keyDigest, parseKey } from '@market-state/credentials';
import { type FollowedStream, followStream, type GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import { LRUCache } from 'lru-cache';
import { fromProtoGrant, type Grant } from './grant';

/** Silence on the stream of key changes after which no remembered grant is trusted. */
export const WATCH_SILENCE_MS = 3_000;

const GRANTS_MAX = 10_000;

export interface KeyDirectory {
  /** The remembered grant of a key, without any I/O; null when it must be asked for, or opens nothing. */
  remembered(key: string): Grant | null;
  /** What a key opens; null when nothing. Asks account unless a trusted grant is remembered. Throws a ServiceError when account cannot tell. */
  verify(key: string): Promise<Grant | null>;
  /** Whether changes of keys are heard of in time. */
  isWatching(): boolean;
  /**
   * Calls back when grants given before may no longer count: with the SHA-256 of the key that changed, hex, or with null
   * when any may have. Gives the way to stop it.
   */
  onChange(listener: (digestHex: string | null) => void): () => void;
  close(): Promise<void>;
}

export interface KeyDirectoryDeps {
  readonly keys: GrpcClient<account.KeyServiceService>;
  readonly logger: Logger;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
  /** A clock that never goes backwards, milliseconds. */
  readonly monotonicMs: () => number;
}

/** What a grant is remembered under: `keyDigest` as hex, by the one-shot call that costs a sixth of a hash object. */
export function digestHex(key: string): string {
  return hash('sha256', key, 'hex');
}

/**
 * Grants of keys, asked of account once and remembered until account says that the key changed. Shape and checksum are
 * tested before any look-up. A remembered grant counts only while the stream of changes was heard within three seconds,
 * and none survives a break of that stream.
 */
export function createKeyDirectory(deps: KeyDirectoryDeps): KeyDirectory {
  const { keys, logger, now, monotonicMs } = deps;
  const grants = new LRUCache<string, Grant>({ max: GRANTS_MAX });
  let heardMs = Number.NEGATIVE_INFINITY;
  const listeners = new Set<(digestHex: string | null) => void>();
  let generation = 0;

  function tell(digest: string | null): void {
    for (const listener of listeners) listener(digest);
  }

  function forgetAll(): void {
    generation += 1;
    grants.clear();
    tell(null);
  }

  function isWatching(): boolean {
    return stream.isUp() && monotonicMs() - heardMs <= WATCH_SILENCE_MS;
  }

  const stream: FollowedStream = followStream<account.WatchKeysResponse>({
    open: (signal) => keys.call.watchKeys({}, { signal, idleLimitMs: WATCH_SILENCE_MS }),
    onUp: forgetAll,
    onDown: (error) => {
      forgetAll();
      logger.warn({ reason: error.reason, detail: error.detail }, 'key changes are not heard; every key is asked for anew');
    },
    onMessage: ({ message }) => {
      heardMs = monotonicMs();
      if (message?.$case !== 'changed') return;
      generation += 1;
      const digest = message.value.keyDigest.toString('hex');
      grants.delete(digest);
      tell(digest);
      logger.info({ key_id: message.value.keyId }, 'key changed');
    },
  });

  function live(grant: Grant | undefined): Grant | null {
    return grant !== undefined && grant.expiresMs > now() ? grant : null;
  }

  function lookUp(key: string): Grant | null {
    return isWatching() ? live(grants.get(digestHex(key))) : null;
  }

  async function ask(key: string): Promise<Grant | null> {
    const asked = generation;
    const { grant: answer } = await keys.call.verifyKey({ keyDigest: keyDigest(key) });
    if (answer === undefined) return null;
    const grant = live(fromProtoGrant(answer));
    if (grant === null) return null;
    if (isWatching() && generation === asked) {
      grants.set(digestHex(key), grant);
      logger.info({ key_id: grant.keyId, tenant_id: grant.tenantId }, 'key accepted');
    }
    return grant;
  }

  return {
    remembered: (key) => (parseKey(key) === null ? null : lookUp(key)),
    async verify(key) {
      if (parseKey(key) === null) return null;
      return lookUp(key) ?? (await ask(key));
    },
    isWatching,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => stream.close(),
  };
}
