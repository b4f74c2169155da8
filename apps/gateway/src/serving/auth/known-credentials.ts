import { hash } from 'node:crypto';
import type { account } from '@market-state/contracts';
import { followStream, type GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import { LRUCache } from 'lru-cache';
import { atMost } from '../limits/at-most';
import type { Grant } from './grant';

/** What a credential is known by: SHA-256 as hex, by the one-shot call that costs a sixth of a hash object. */
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

const KNOWN_MAX = 20_000;

/** A credential that was good when account was last asked about it. */
export interface KnownCredential {
  /** What it opens; null once that has ended or changed, or while changes are not heard: then account must be asked. */
  grant(): Grant | null;
}

/** Credentials that were good when account was last asked, by digest, hex. Those that are refused are apart, so that they evict none. */
export interface KnownCredentials {
  has(digestHex: string): boolean;
  /** Null when it is not known. */
  find(digestHex: string): KnownCredential | null;
  /** What it opens; null when account must be asked, or it has ended. */
  grant(digestHex: string): Grant | null;
  /** Records a credential as good. Its grant is trusted unless something has changed since it was asked for: says whether it is. */
  add(digestHex: string, grant: Grant, askedGeneration: number): boolean;
  delete(digestHex: string): void;
}

interface KnownCredentialsDeps {
  readonly kind: 'key' | 'session';
  readonly watch: CredentialWatch;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
  /** Longest time for which a grant is trusted, milliseconds; default until it ends. */
  readonly grantMsMax?: number;
}

interface Entry {
  /** Null once it may have changed, or the entry is dropped. */
  grant: Grant | null;
  readonly untilMs: number;
}

/**
 * Remembers grants while changes are heard of, each until it changes or ends. None survives the stream that follows one that broke: of its
 * credential stays that it was good.
 */
export function createKnownCredentials({
  kind,
  watch,
  now,
  grantMsMax = Number.POSITIVE_INFINITY,
}: KnownCredentialsDeps): KnownCredentials {
  const known = new LRUCache<string, Entry>({ ...atMost(KNOWN_MAX), dispose: distrust });

  watch.onChange((change) => {
    if ('digestHex' in change) {
      const entry = change.kind === kind ? known.peek(change.digestHex) : undefined;
      if (entry !== undefined) distrust(entry);
      return;
    }
    for (const entry of known.values()) if (change.kind === 'all' || entry.grant?.tenantId === change.tenantId) distrust(entry);
  });

  const grantOf = ({ grant, untilMs }: Entry): Grant | null => (grant !== null && watch.isWatching() && untilMs > now() ? grant : null);

  return {
    has: (digestHex) => known.has(digestHex),
    find(digestHex) {
      const entry = known.get(digestHex);
      return entry === undefined ? null : { grant: () => grantOf(entry) };
    },
    grant(digestHex) {
      const entry = known.get(digestHex);
      return entry === undefined ? null : grantOf(entry);
    },
    add(digestHex, grant, askedGeneration) {
      const isTrusted = watch.isWatching() && watch.generation() === askedGeneration;
      known.set(digestHex, { grant: isTrusted ? grant : null, untilMs: Math.min(grant.expiresMs, now() + grantMsMax) });
      return isTrusted;
    },
    delete: (digestHex) => void known.delete(digestHex),
  };
}

function distrust(entry: Entry): void {
  entry.grant = null;
}
