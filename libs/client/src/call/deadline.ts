/** A signal that aborts when the time is over or the caller's own signal does. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** Whether the time was over. */
  isOver(): boolean;
  /** Gives it so many milliseconds from now. */
  restart(timeoutMs: number): void;
  /** Stops the clock and lets go of the caller's signal. */
  end(): void;
  /** The same, and aborts: whatever is still open is closed. */
  abort(): void;
}

export function startDeadline(timeoutMs: number, outer: AbortSignal | undefined): Deadline {
  const controller = new AbortController();
  let over = false;
  const expire = (): void => {
    over = true;
    controller.abort(new Error('timeout'));
  };
  const follow = (): void => controller.abort(outer?.reason);
  const end = (): void => {
    clearTimeout(timer);
    outer?.removeEventListener('abort', follow);
  };
  let timer = setTimeout(expire, timeoutMs);
  outer?.addEventListener('abort', follow, { once: true });
  if (outer?.aborted === true) follow();
  return {
    signal: controller.signal,
    isOver: () => over,
    restart(nextMs) {
      clearTimeout(timer);
      timer = setTimeout(expire, nextMs);
    },
    end,
    abort() {
      end();
      controller.abort();
    },
  };
}

/** Waits so many milliseconds. @throws the signal's reason when it aborts meanwhile */
export function pause(waitMs: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason);
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, waitMs);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
