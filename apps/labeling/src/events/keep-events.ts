import { backoffMs, type Closable, delay } from '@market-state/lifecycle';
import { type Logger, withRequestContext } from '@market-state/logging';

/**
 * Delay between a packet's push and its index entry: all symbols close their windows at the same time, and pushes have
 * priority.
 */
const APART_MS = 250;
const RETRY = { minMs: APART_MS, maxMs: 5_000 };

interface KeepEventsDeps {
  readonly enter: (symbols: readonly string[]) => Promise<void>;
  readonly logger: Logger;
}

export interface EventKeeper extends Closable {
  stored(symbol: string): void;
  /**
   * Resolves once every packet reported before is indexed, as well as those of `others` stored by another process.
   * Rejects if indexing fails; it is retried later.
   */
  whole(others?: readonly string[]): Promise<void>;
}

/** After a short delay, batched, or immediately if a reader waits. */
export function keepEvents({ enter, logger }: KeepEventsDeps): EventKeeper {
  const stop = new AbortController();
  const waiting = new Set<string>();
  let wake = (): void => undefined;
  let entering: Promise<void> = Promise.resolve();

  async function enterWaiting(others: readonly string[]): Promise<void> {
    const stored = [...waiting];
    waiting.clear();
    const symbols = [...new Set([...stored, ...others])];
    if (symbols.length === 0) return;
    try {
      await enter(symbols);
    } catch (error) {
      for (const symbol of stored) waiting.add(symbol);
      throw error;
    }
  }

  function whole(others: readonly string[] = []): Promise<void> {
    // Own request context: the caller that triggered it may leave before others that wait.
    entering = entering.catch(() => undefined).then(() => withRequestContext({ requestId: 'event-keeper' }, () => enterWaiting(others)));
    return entering;
  }

  function somethingWaits(): Promise<void> {
    return new Promise((resolve) => {
      wake = resolve;
      if (waiting.size > 0 || stop.signal.aborted) resolve();
    });
  }

  async function run(): Promise<void> {
    for (let failures = 0; !stop.signal.aborted; ) {
      await somethingWaits();
      await delay(failures === 0 ? APART_MS : backoffMs(failures, RETRY), stop.signal).catch(() => undefined);
      try {
        await whole();
        failures = 0;
      } catch (error) {
        failures += 1;
        logger.warn({ symbols: [...waiting], err: error }, 'packets are not indexed yet; retrying');
      }
    }
  }

  const running = run();
  return {
    stored(symbol) {
      waiting.add(symbol);
      wake();
    },
    whole,
    close() {
      stop.abort();
      wake();
      return running;
    },
  };
}
