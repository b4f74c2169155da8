import { LRUCache } from 'lru-cache';
import { atMost } from '../limits/at-most';
import type { CredentialWatch } from './credential-watch';
import type { Grant } from './grant';

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

export interface GrantMemoryDeps {
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
