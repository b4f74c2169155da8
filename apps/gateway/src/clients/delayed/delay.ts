import { Problem } from '../../serving/errors/problem';

/** Least age of the data that a sandbox key sees, milliseconds. */
const SANDBOX_DELAY_MS = 600_000;

/** The clock by which a sandbox key sees the market: the wall clock, the delay ago. */
export function delayedClock(now: () => number): () => number {
  return () => now() - SANDBOX_DELAY_MS;
}

/** What a sandbox key is told where nothing delayed can be served. */
export function notForSandbox(): Problem {
  return new Problem('sandbox_refused', 'Sandbox keys cannot call this route: they see data that is at least 600 s old. Use a live key.');
}

/** A client whose calls are those listed: every other is refused, so that a call which nobody thought of gives nothing. */
export function onlyCalls<T extends object>(calls: Partial<T>): T {
  return new Proxy(calls, {
    get(target, name) {
      if (Object.hasOwn(target, name)) return Reflect.get(target, name) as unknown;
      return () => {
        throw notForSandbox();
      };
    },
  }) as T;
}
