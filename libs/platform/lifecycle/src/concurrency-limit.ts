/** First in, first out; settles like the work. */
export type ConcurrencyLimit = <Result>(work: () => Promise<Result>) => Promise<Result>;

export type KeyedConcurrencyLimit = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

interface WaitLimits {
  readonly waitingMax: number;
  readonly waitMsMax: number;
  readonly refusal: () => Error;
}

interface Waiting {
  readonly start: () => void;
  readonly timer?: NodeJS.Timeout;
}

/** Further work queues, unbounded unless `limits` is set. */
export function createConcurrencyLimit(runningMax: number, limits?: WaitLimits): ConcurrencyLimit {
  const waiting = new Set<Waiting>();
  let free = runningMax;

  function wait(): Promise<void> {
    if (limits !== undefined && waiting.size >= limits.waitingMax) throw limits.refusal();
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        waiting.delete(entry);
        reject(limits?.refusal());
      };
      const entry: Waiting = { start: resolve, ...(limits === undefined ? {} : { timer: setTimeout(giveUp, limits.waitMsMax) }) };
      waiting.add(entry);
    });
  }

  function release(): void {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    waiting.delete(next);
    clearTimeout(next.timer);
    next.start();
  }

  return async (work) => {
    if (free > 0) free -= 1;
    else await wait();
    try {
      return await work();
    } finally {
      release();
    }
  };
}

/** Separate limit per key; idle keys use no memory. */
export function createKeyedConcurrencyLimit(runningMax: number, limits: WaitLimits): KeyedConcurrencyLimit {
  const byKey = new Map<string, { readonly run: ConcurrencyLimit; total: number }>();
  return async (key, work) => {
    const entry = byKey.get(key) ?? { run: createConcurrencyLimit(runningMax, limits), total: 0 };
    byKey.set(key, entry);
    entry.total += 1;
    try {
      return await entry.run(work);
    } finally {
      entry.total -= 1;
      if (entry.total === 0) byKey.delete(key);
    }
  };
}
