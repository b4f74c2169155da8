import { LRUCache } from 'lru-cache';
import { atMost } from '../limits/at-most';
import type { CredentialWatch } from './credential-watch';

/** How long a digest that account did not know is remembered as unknown, milliseconds. */
const UNKNOWN_MS = 10_000;
const UNKNOWN_MAX = 20_000;

/** Digests, hex, that opened nothing a moment ago. */
export interface UnknownCredentials {
  has(digestHex: string): boolean;
  /** Remembers a digest unless something has changed since it was asked for. */
  add(digestHex: string, askedGeneration: number): void;
}

export interface UnknownCredentialsDeps {
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
