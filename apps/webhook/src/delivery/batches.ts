export type Groups<T> = ReadonlyMap<string, readonly T[]>;

export interface BatchOptions<T> {
  readonly keyOf: (item: T) => string;
  readonly atOnce: number;
  readonly keysMax: () => number;
  readonly ready?: () => Promise<void>;
  /**
   * Processes all groups; none if it rejects.
   * @returns keys to be processed separately
   */
  readonly work: (groups: Groups<T>) => Promise<readonly string[]>;
  readonly undone: (error: unknown) => void;
}

/** Batches items that arrive while earlier batches run. A key is in one batch at a time. */
export interface Batches<T> {
  add(item: T): Promise<void>;
}

interface Waiting<T> {
  readonly item: T;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export function createBatches<T>({ keyOf, atOnce, keysMax, ready, work, undone }: BatchOptions<T>): Batches<T> {
  const waiting = new Map<string, Waiting<T>[]>();
  const busy = new Set<string>();
  let underWay = 0;

  function start(): void {
    if (underWay === atOnce) return;
    underWay += 1;
    void workInOrder();
  }

  async function workInOrder(): Promise<void> {
    for (;;) {
      await ready?.();
      const batch = pick();
      if (batch.size === 0) break;
      await workOn(batch);
    }
    underWay -= 1;
  }

  /** Keys in order of arrival, except those in progress. */
  function pick(): Map<string, Waiting<T>[]> {
    const batch = new Map<string, Waiting<T>[]>();
    const most = Math.max(1, keysMax());
    for (const [key, items] of waiting) {
      if (batch.size === most) break;
      if (busy.has(key)) continue;
      batch.set(key, items);
    }
    for (const key of batch.keys()) {
      waiting.delete(key);
      busy.add(key);
    }
    return batch;
  }

  async function workOn(batch: ReadonlyMap<string, readonly Waiting<T>[]>): Promise<void> {
    const alone = new Set<string>();
    try {
      for (const key of await work(itemsOf(batch))) alone.add(key);
    } catch (error) {
      // A single key may have failed the whole batch.
      for (const key of batch.keys()) alone.add(key);
      if (alone.size === 1) return settle(batch, ({ reject }) => reject(error));
      undone(error);
    }
    for (const [key, items] of batch) {
      if (alone.has(key)) void workAlone(key, items);
      else settle(new Map([[key, items]]), ({ resolve }) => resolve());
    }
  }

  async function workAlone(key: string, items: readonly Waiting<T>[]): Promise<void> {
    const one = new Map([[key, items]]);
    try {
      await work(itemsOf(one));
      settle(one, ({ resolve }) => resolve());
    } catch (error) {
      settle(one, ({ reject }) => reject(error));
    }
    start();
  }

  function settle(batch: ReadonlyMap<string, readonly Waiting<T>[]>, how: (item: Waiting<T>) => void): void {
    for (const [key, items] of batch) {
      busy.delete(key);
      items.forEach(how);
    }
  }

  return {
    add: (item) =>
      new Promise((resolve, reject) => {
        const key = keyOf(item);
        const items = waiting.get(key) ?? [];
        items.push({ item, resolve, reject });
        waiting.set(key, items);
        start();
      }),
  };
}

function itemsOf<T>(batch: ReadonlyMap<string, readonly Waiting<T>[]>): Groups<T> {
  return new Map([...batch].map(([key, items]) => [key, items.map(({ item }) => item)]));
}
