import { type Closable, delay } from '@market-state/lifecycle';

/** Does the work, waits, and again until closed; a failure is told to `onError`, and the next turn comes all the same. */
export function repeat(work: () => Promise<unknown>, intervalMs: number, onError: (error: unknown) => void): Closable {
  const stop = new AbortController();

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      await work().catch(onError);
      await delay(intervalMs, stop.signal).catch(() => undefined);
    }
  }

  const running = run();
  return {
    close() {
      stop.abort();
      return running;
    },
  };
}
