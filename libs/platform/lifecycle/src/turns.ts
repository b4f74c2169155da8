/** Runs work when it is its turn, in the order asked, and resolves or rejects as the work does. */
export type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** How much may wait for a turn, and how long. */
interface TurnLimits {
  /** Pieces of work that wait; one more is refused. */
  readonly waitingMax: number;
  /** Work that waited so long is refused, milliseconds. */
  readonly waitMsMax: number;
  /** The error of a refusal. */
  readonly refusal: () => Error;
}

/** The turns of each key by themselves. */
export type TurnsByKey = <Result>(key: string, work: () => Promise<Result>) => Promise<Result>;

interface Waiting {
  readonly go: () => void;
  readonly timer?: NodeJS.Timeout;
}

/** Turns of which so many run at once; the rest wait, within `limits` where they are given. */
export function createTurns(atOnce: number, limits?: TurnLimits): Turns {
  const waiting = new Set<Waiting>();
  let free = atOnce;

  function wait(): Promise<void> {
    if (limits === undefined) return new Promise((resolve) => waiting.add({ go: resolve }));
    if (waiting.size >= limits.waitingMax) throw limits.refusal();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(entry);
        reject(limits.refusal());
      }, limits.waitMsMax);
      const entry: Waiting = { go: resolve, timer };
      waiting.add(entry);
    });
  }

  function passOn(): void {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    waiting.delete(next);
    clearTimeout(next.timer);
    next.go();
  }

  return async (work) => {
    if (free > 0) free -= 1;
    else await wait();
    try {
      return await work();
    } finally {
      passOn();
    }
  };
}

/** `createTurns` for each key; nothing is kept of a key without work. */
export function createTurnsByKey(atOnce: number, limits: TurnLimits): TurnsByKey {
  const byKey = new Map<string, { readonly inTurn: Turns; total: number }>();
  return async (key, work) => {
    const entry = byKey.get(key) ?? { inTurn: createTurns(atOnce, limits), total: 0 };
    byKey.set(key, entry);
    entry.total += 1;
    try {
      return await entry.inTurn(work);
    } finally {
      entry.total -= 1;
      if (entry.total === 0) byKey.delete(key);
    }
  };
}
