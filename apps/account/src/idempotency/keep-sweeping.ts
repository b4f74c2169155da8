import { type Closable, delay } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';

const SWEEP_INTERVAL_MS = 60_000;

/** Sweeps once a minute until closed; a sweep that fails is logged, and the next one does its work. */
export function keepSweeping(sweep: () => Promise<number>, logger: Logger): Closable {
  const stop = new AbortController();

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      await sweep().then(
        (total) => logger.debug({ total }, 'idempotent calls forgotten'),
        (error: unknown) => logger.warn({ err: error }, 'idempotent calls not swept'),
      );
      await delay(SWEEP_INTERVAL_MS, stop.signal).catch(() => undefined);
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
