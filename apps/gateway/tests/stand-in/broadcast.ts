/** Delivers messages to every open subscription, in order. */
export interface Broadcast<T> {
  send(message: T): void;
  /** Ends every open subscription with an error. */
  breakAll(error: Error): void;
  subscribe(signal: AbortSignal): AsyncGenerator<T>;
  openTotal(): number;
}

export function createBroadcast<T>(): Broadcast<T> {
  const open = new Set<{ put(message: T): void; fail(error: Error): void }>();
  return {
    send(message) {
      for (const subscription of open) subscription.put(message);
    },
    breakAll(error) {
      for (const subscription of [...open]) subscription.fail(error);
    },
    openTotal: () => open.size,
    async *subscribe(signal) {
      const queue: T[] = [];
      let failure: Error | undefined;
      let wake = (): void => undefined;
      const subscription = {
        put(message: T) {
          queue.push(message);
          wake();
        },
        fail(error: Error) {
          failure = error;
          wake();
        },
      };
      open.add(subscription);
      signal.addEventListener('abort', () => wake(), { once: true });
      try {
        while (!signal.aborted) {
          const message = queue.shift();
          if (message !== undefined) yield message;
          else if (failure !== undefined) throw failure;
          else
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
        }
      } finally {
        open.delete(subscription);
      }
    },
  };
}
