import { currentRequestId, requestIdOr, withRequestContext } from '@market-state/logging';

/**
 * What `make` gives, made anew when it is asked for so many milliseconds later; what fails is not kept. Whoever asks first may go away: it
 * is made for all who ask meanwhile.
 */
export function keptFor<T>(forMs: number, now: () => number, make: () => Promise<T>): () => Promise<T> {
  let kept: { readonly atMs: number; readonly value: Promise<T> } | undefined;
  return () => {
    if (kept !== undefined && now() - kept.atMs < forMs) return kept.value;
    const next = { atMs: now(), value: withRequestContext({ requestId: requestIdOr(currentRequestId()) }, make) };
    kept = next;
    next.value.catch(() => {
      if (kept === next) kept = undefined;
    });
    return next.value;
  };
}
