/** Values of several generators as they come; ends with the last of them, and ends them all when it is left. */
export async function* merge<T>(sources: readonly AsyncGenerator<T, void, undefined>[]): AsyncGenerator<T, void, undefined> {
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return yield* only;
  const next = (source: AsyncGenerator<T, void, undefined>) => source.next().then((result) => ({ source, result }));
  const waiting = new Map(sources.map((source) => [source, next(source)]));
  try {
    while (waiting.size > 0) {
      const { source, result } = await Promise.race(waiting.values());
      if (result.done === true) {
        waiting.delete(source);
        continue;
      }
      waiting.set(source, next(source));
      yield result.value;
    }
  } finally {
    for (const [source, pending] of waiting) {
      pending.catch(() => undefined);
      source.return().catch(() => undefined);
    }
  }
}
