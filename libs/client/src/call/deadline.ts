/** Signal that aborts on timeout or with the caller's own signal. */
export interface Deadline {
  readonly signal: AbortSignal;
  /** True after a timeout. */
  isOver(): boolean;
  restart(timeoutMs: number): void;
  /** Stops the timer and detaches from the caller's signal. */
  end(): void;
  /** Like `end`, but also aborts, which closes anything still open. */
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

/** @throws the signal's reason if it aborts while waiting */
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
