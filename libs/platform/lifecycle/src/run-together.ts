import { yieldToEventLoop } from './yield-to-event-loop';

interface Waiting<Item, Result> {
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
  let waiting: Waiting<Item, Result>[] = [];
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
