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

interface Submitted<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result | Promise<Result>) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Shares a call's fixed cost, such as a transaction's, among items that come at about the same time: one call at a
 * time, with every item submitted during the previous one.
 * @param work a result for each item, in order; if it rejects, every item of the call does
 * @returns submits an item
 */
export function runTogether<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly (Result | Promise<Result>)[]>,
): (item: Item) => Promise<Result> {
  let waiting: Submitted<Item, Result>[] = [];
  let isRunning = false;

  async function run(): Promise<void> {
    isRunning = true;
    while (waiting.length > 0) {
      // Items that one event of the program leads to.
      await yieldToEventLoop();
      const items = waiting;
      waiting = [];
      try {
        const results = await work(items.map(({ item }) => item));
        for (const [index, { resolve }] of items.entries()) resolve(results[index] as Result | Promise<Result>);
      } catch (error) {
        for (const { reject } of items) reject(error);
      }
    }
    isRunning = false;
  }

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (!isRunning) void run();
    });
}

let turnBefore: Promise<void> = Promise.resolve();

/** Resolves in a turn of the event loop that no other caller shares, so that heavy work never adds up in one turn. */
export function yieldToEventLoop(): Promise<void> {
  turnBefore = turnBefore.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  return turnBefore;
}

const TURN_MS = 4;

/** Runs a computation to its result; between its steps, it yields to the event loop every few milliseconds. */
export async function runInSlices<Result>(steps: Generator<undefined, Result, undefined>): Promise<Result> {
  let sinceMs = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - sinceMs > TURN_MS) {
      await yieldToEventLoop();
      sinceMs = performance.now();
    }
  }
}

/** Yields to the event loop every few milliseconds. */
export function inSlices<Item, Made>(items: Iterable<Item>, make: (item: Item) => Made): Promise<Made[]> {
  function* steps(): Generator<undefined, Made[], undefined> {
    const made: Made[] = [];
    for (const item of items) {
      yield;
      made.push(make(item));
    }
    return made;
  }
  return runInSlices(steps());
}
