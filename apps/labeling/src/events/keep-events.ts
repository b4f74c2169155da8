import { backoffMs, type Closable, delay } from '@market-state/lifecycle';
import { type Logger, withRequestContext } from '@market-state/logging';

/** Between the push of a packet and its entry: all symbols close their windows at the same instant, and pushes come first. */
const APART_MS = 250;
const RETRY = { minMs: APART_MS, maxMs: 5_000 };

interface KeepEventsDeps {
  /** Enters the packets of these symbols that are newer than what the index holds of them. */
  readonly enter: (symbols: readonly string[]) => Promise<void>;
  readonly logger: Logger;
}

/** Keeps the index of events up with the stored packets, off the way of a packet. */
export interface EventKeeper extends Closable {
  /** The symbol has packets that the index may not hold yet. */
  stored(symbol: string): void;
  /**
   * Resolves when the index holds every packet told of before, and those of others that another process has stored. Rejects when they
   * cannot be entered; what was told of is tried again.
   */
  whole(others?: readonly string[]): Promise<void>;
}

/** Enters what it is told of a moment later, everything that waits at once, or as soon as somebody needs the index whole. */
export function keepEvents({ enter, logger }: KeepEventsDeps): EventKeeper {
  const stop = new AbortController();
  const waiting = new Set<string>();
  let wake = (): void => undefined;
  let entering: Promise<void> = Promise.resolve();

  async function enterWaiting(others: readonly string[]): Promise<void> {
    const told = [...waiting];
    waiting.clear();
    const symbols = [...new Set([...told, ...others])];
    if (symbols.length === 0) return;
    try {
      await enter(symbols);
    } catch (error) {
      for (const symbol of told) waiting.add(symbol);
      throw error;
    }
  }

  function whole(others: readonly string[] = []): Promise<void> {
    // In nobody's name: who asked first may leave before the others.
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
        logger.warn({ symbols: [...waiting], err: error }, 'packets are not in the index of events yet: tried again');
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
