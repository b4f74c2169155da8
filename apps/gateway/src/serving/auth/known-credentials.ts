import { hash } from 'node:crypto';
import type { account } from '@market-state/contracts';
import { followStream, type GrpcClient } from '@market-state/grpc';
import type { Logger } from '@market-state/logging';
import { LRUCache } from 'lru-cache';
import { atMost } from '../limits/pace';
import type { Grant } from './grant';

/** The one-shot call costs a sixth of a hash object. */
export function digestHex(secret: string): string {
  return hash('sha256', secret, 'hex');
}

/** Silence on the change stream after which grants are not trusted, in milliseconds. */
const WATCH_SILENCE_MS = 3_000;

/** Digests are hex; `all` invalidates every grant. */
export type CredentialChange =
  | { readonly kind: 'key' | 'session'; readonly digestHex: string }
  | { readonly kind: 'tenant'; readonly tenantId: string }
  | { readonly kind: 'all' };

export interface CredentialWatch {
  isWatching(): boolean;
  /** Increases with every change: a grant requested before must not be cached. */
  generation(): number;
  /** Returns the unsubscribe function. */
  onChange(listener: (change: CredentialChange) => void): () => void;
  close(): Promise<void>;
}

interface CredentialWatchDeps {
  readonly keys: GrpcClient<account.KeyServiceService>;
  readonly logger: Logger;
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

/** Reported by account within a second. */
export function watchCredentials({ keys, logger, monotonicMs }: CredentialWatchDeps): CredentialWatch {
  const listeners = new Set<(change: CredentialChange) => void>();
  let heardMs = Number.NEGATIVE_INFINITY;
  let generation = 0;

  function report(change: CredentialChange): void {
    generation += 1;
    for (const listener of listeners) listener(change);
  }

  const stream = followStream<account.WatchKeysResponse>({
    open: (signal) => keys.call.watchKeys({}, { signal, idleLimitMs: WATCH_SILENCE_MS }),
    // Changes made while the stream was down are not replayed.
    onUp: () => report({ kind: 'all' }),
    onDown: (error) => logger.warn({ reason: error.reason, detail: error.detail }, 'stream of credential changes is down'),
    onMessage: ({ message }) => {
      heardMs = monotonicMs();
      const change = changeOf(message);
      if (change === null) return;
      report(change);
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

/** Milliseconds. */
const UNKNOWN_MS = 10_000;
const UNKNOWN_MAX = 20_000;

export interface UnknownCredentials {
  has(digestHex: string): boolean;
  /** Ignored if anything has changed since the request. */
  add(digestHex: string, requestedGeneration: number): void;
}

interface UnknownCredentialsDeps {
  readonly kind: 'key' | 'session';
  readonly watch: Pick<CredentialWatch, 'generation' | 'onChange'>;
  readonly monotonicMs: () => number;
}

/** Also cleared when account reports a change that may have made them known. */
export function createUnknownCredentials({ kind, watch, monotonicMs }: UnknownCredentialsDeps): UnknownCredentials {
  const until = new LRUCache<string, number>(atMost(UNKNOWN_MAX));

  watch.onChange((change) => {
    if (!('digestHex' in change)) until.clear();
    else if (change.kind === kind) until.delete(change.digestHex);
  });

  return {
    has: (digestHex) => (until.get(digestHex) ?? Number.NEGATIVE_INFINITY) > monotonicMs(),
    add(digestHex, requestedGeneration) {
      if (watch.generation() === requestedGeneration) until.set(digestHex, monotonicMs() + UNKNOWN_MS);
    },
  };
}

const KNOWN_MAX = 20_000;

export interface KnownCredential {
  /** Null once ended or changed, or while the change stream is down. */
  grant(): Grant | null;
}

/** Refused credentials are cached elsewhere, so that they evict none of these. */
export interface KnownCredentials {
  has(digestHex: string): boolean;
  find(digestHex: string): KnownCredential | null;
  grant(digestHex: string): Grant | null;
  /** True if the grant can be trusted: nothing has changed since the request. */
  add(digestHex: string, grant: Grant, requestedGeneration: number): boolean;
  delete(digestHex: string): void;
}

interface KnownCredentialsDeps {
  readonly kind: 'key' | 'session';
  readonly watch: CredentialWatch;
  readonly now: () => number;
  /** Maximum age of a trusted grant in milliseconds; default until it ends. */
  readonly grantMsMax?: number;
}

interface Entry {
  /** Null once it may have changed. */
  grant: Grant | null;
  readonly untilMs: number;
}

/** A reconnect drops all grants, but remembers that their credentials were accepted. */
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
    add(digestHex, grant, requestedGeneration) {
      const isTrusted = watch.isWatching() && watch.generation() === requestedGeneration;
      known.set(digestHex, { grant: isTrusted ? grant : null, untilMs: Math.min(grant.expiresMs, now() + grantMsMax) });
      return isTrusted;
    },
    delete: (digestHex) => void known.delete(digestHex),
  };
}

function distrust(entry: Entry): void {
  entry.grant = null;
}
