const kept = (): void => undefined;

/**
 * Aborts after so many milliseconds, with a `TimeoutError`, as `AbortSignal.timeout` does, also as one of several in `AbortSignal.any`.
 * There Node forgets one that nothing else refers to when memory is next collected, and its time never ends (nodejs/node#57736). One that
 * is listened to is kept.
 */
export function timeLimit(durationMs: number): AbortSignal {
  const signal = AbortSignal.timeout(durationMs);
  signal.addEventListener('abort', kept, { once: true });
  return signal;
}
