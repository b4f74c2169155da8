import { LRUCache } from 'lru-cache';
import type { CredentialWatch } from './credential-watch';
import type { Grant } from './grant';

const GRANTS_MAX = 10_000;

/** Grants by the digest of their credential, hex. */
export interface GrantMemory {
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

/** Remembers grants while the stream of changes is heard, each until it changes or ends. None survives a break of that stream. */
export function createGrantMemory({ kind, watch, now, keepMsMax = Number.POSITIVE_INFINITY }: GrantMemoryDeps): GrantMemory {
  const held = new LRUCache<string, { readonly grant: Grant; readonly untilMs: number }>({ max: GRANTS_MAX });

  watch.onChange((change) => {
    if (change.kind === 'all') held.clear();
    else if (change.kind === 'tenant') {
      for (const [digestHex, { grant }] of held.entries()) if (grant.tenantId === change.tenantId) held.delete(digestHex);
    } else if (change.kind === kind) held.delete(change.digestHex);
  });

  return {
    get(digestHex) {
      if (!watch.isWatching()) return null;
      const entry = held.get(digestHex);
      return entry !== undefined && entry.untilMs > now() ? entry.grant : null;
    },
    keep(digestHex, grant, askedGeneration) {
      if (!watch.isWatching() || watch.generation() !== askedGeneration) return false;
      held.set(digestHex, { grant, untilMs: Math.min(grant.expiresMs, now() + keepMsMax) });
      return true;
    },
  };
}
