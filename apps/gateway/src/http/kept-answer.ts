/** What `make` gives, made anew when it is asked for so many milliseconds later; what fails is not kept. */
export function keptFor<T>(forMs: number, now: () => number, make: () => Promise<T>): () => Promise<T> {
  let kept: { readonly atMs: number; readonly value: Promise<T> } | undefined;
  return () => {
    if (kept !== undefined && now() - kept.atMs < forMs) return kept.value;
    const next = { atMs: now(), value: make() };
    kept = next;
    next.value.catch(() => {
      if (kept === next) kept = undefined;
    });
    return next.value;
  };
}
