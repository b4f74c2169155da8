import { hash } from 'node:crypto';
import type { account } from '@market-state/contracts';
import { followStream, type GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import { LRUCache } from 'lru-cache';
import { atMost } from '../limits/at-most';
import type { Grant } from './grant';

/** What a grant is remembered under: SHA-256 as hex, by the one-shot call that costs a sixth of a hash object. */
export function digestHex(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** No remembered grant is trusted when nothing was heard of changes for so long, whether their stream is silent or broken. */
const WATCH_SILENCE_MS = 3_000;

/** What is no longer what it was. Digests are hex; `all` means that any grant given before may not count. */
export type CredentialChange =
  | { readonly kind: 'key' | 'session'; readonly digestHex: string }
  | { readonly kind: 'tenant'; readonly tenantId: string }
  | { readonly kind: 'all' };

export interface CredentialWatch {
  /** Whether changes were heard of a moment ago: then what is remembered is trusted. */
  isWatching(): boolean;
  /** Grows with every change: a grant that was asked for before the newest change must not be remembered. */
  generation(): number;
  /** Calls back at each change. Gives the way to stop it. */
  onChange(listener: (change: CredentialChange) => void): () => void;
  close(): Promise<void>;
}

interface CredentialWatchDeps {
  readonly keys: GrpcClient<account.KeyServiceService>;
  readonly logger: Logger;
  /** A clock that never goes backwards, milliseconds. */
  readonly monotonicMs: () => number;
}

type WatchMessage = account.WatchKeysResponse['message'];

function changeOf(message: WatchMessage): CredentialChange | null {
  switch (message?.$case) {
    case 'changed':
      return { kind: 'key', digestHex: message.value.keyDigest.toString('hex') };
    case 'sessionEnded':
      return { kind: 'session', digestHex: message.value.sessionDigest.toString('hex') };
    case 'tenantChanged':
      return { kind: 'tenant', tenantId: message.value.tenantId };
    default:
      return null;
  }
}

/** Hears from account, within a second, which keys, sessions and tenants are no longer what they were. */
export function watchCredentials({ keys, logger, monotonicMs }: CredentialWatchDeps): CredentialWatch {
  const listeners = new Set<(change: CredentialChange) => void>();
  let heardMs = Number.NEGATIVE_INFINITY;
  let generation = 0;

  function tell(change: CredentialChange): void {
    generation += 1;
    for (const listener of listeners) listener(change);
  }

  const stream = followStream<account.WatchKeysResponse>({
    open: (signal) => keys.call.watchKeys({}, { signal, idleLimitMs: WATCH_SILENCE_MS }),
    // What changed while there was no stream is told by none.
    onUp: () => tell({ kind: 'all' }),
    onDown: (error) => logger.warn({ reason: error.reason, detail: error.detail }, 'changes of credentials are not heard'),
    onMessage: ({ message }) => {
      heardMs = monotonicMs();
      const change = changeOf(message);
      if (change === null) return;
      tell(change);
      if (message?.$case === 'changed') logger.info({ key_id: message.value.keyId }, 'key changed');
      if (change.kind === 'tenant') logger.info({ tenant_id: change.tenantId }, 'tenant changed');
    },
  });

  return {
    isWatching: () => monotonicMs() - heardMs <= WATCH_SILENCE_MS,
    generation: () => generation,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => stream.close(),
  };
}

/** How long a digest that account did not know is remembered as unknown, milliseconds. */
const UNKNOWN_MS = 10_000;
const UNKNOWN_MAX = 20_000;

/** Digests, hex, that opened nothing a moment ago. */
export interface UnknownCredentials {
  has(digestHex: string): boolean;
  /** Remembers a digest unless something has changed since it was asked for. */
  add(digestHex: string, askedGeneration: number): void;
}

interface UnknownCredentialsDeps {
  readonly kind: 'key' | 'session';
  readonly watch: Pick<CredentialWatch, 'generation' | 'onChange'>;
  readonly monotonicMs: () => number;
}

/** Remembers digests as unknown for 10 s, or until account pushes a change that may have made them known. */
export function createUnknownCredentials({ kind, watch, monotonicMs }: UnknownCredentialsDeps): UnknownCredentials {
  const until = new LRUCache<string, number>(atMost(UNKNOWN_MAX));

  watch.onChange((change) => {
    if (!('digestHex' in change)) until.clear();
    else if (change.kind === kind) until.delete(change.digestHex);
  });

  return {
    has: (digestHex) => (until.get(digestHex) ?? Number.NEGATIVE_INFINITY) > monotonicMs(),
    add(digestHex, askedGeneration) {
      if (watch.generation() === askedGeneration) until.set(digestHex, monotonicMs() + UNKNOWN_MS);
    },
  };
}

const GRANTS_MAX = 20_000;

/** A grant as it was remembered. */
export interface RememberedGrant {
  /** Null once it has ended, has changed, or while changes are not heard. */
  grant(): Grant | null;
}

/** Grants by the digest of their credential, hex. */
export interface GrantMemory {
  /** Null when none is remembered. */
  find(digestHex: string): RememberedGrant | null;
  /** Null when it must be asked for, or has ended. */
  get(digestHex: string): Grant | null;
  /** Remembers a grant unless something has changed since it was asked for. Says whether it does. */
  keep(digestHex: string, grant: Grant, askedGeneration: number): boolean;
}

interface GrantMemoryDeps {
  readonly kind: 'key' | 'session';
  readonly watch: CredentialWatch;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
  /** Longest time for which a grant is remembered, milliseconds; default until it ends. */
  readonly keepMsMax?: number;
}

interface Held {
  /** Until it is forgotten. */
  counts: boolean;
  readonly grant: Grant;
  readonly untilMs: number;
}

/** Remembers grants while changes are heard of, each until it changes or ends. None survives the stream that follows one that broke. */
export function createGrantMemory({ kind, watch, now, keepMsMax = Number.POSITIVE_INFINITY }: GrantMemoryDeps): GrantMemory {
  const held = new LRUCache<string, Held>({
    ...atMost(GRANTS_MAX),
    dispose: (entry) => {
      entry.counts = false;
    },
  });

  watch.onChange((change) => {
    if (change.kind === 'all') held.clear();
    else if (change.kind === 'tenant') {
      for (const [digestHex, { grant }] of held.entries()) if (grant.tenantId === change.tenantId) held.delete(digestHex);
    } else if (change.kind === kind) held.delete(change.digestHex);
  });

  const grantOf = (entry: Held): Grant | null => (entry.counts && watch.isWatching() && entry.untilMs > now() ? entry.grant : null);

  return {
    find(digestHex) {
      const entry = held.get(digestHex);
      return entry === undefined ? null : { grant: () => grantOf(entry) };
    },
    get(digestHex) {
      const entry = held.get(digestHex);
      return entry === undefined ? null : grantOf(entry);
    },
    keep(digestHex, grant, askedGeneration) {
      if (!watch.isWatching() || watch.generation() !== askedGeneration) return false;
      held.set(digestHex, { counts: true, grant, untilMs: Math.min(grant.expiresMs, now() + keepMsMax) });
      return true;
    },
  };
}
