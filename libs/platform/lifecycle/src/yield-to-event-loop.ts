let before: Promise<void> = Promise.resolve();

/** Resolves in a turn of the event loop that no other caller shares, so that heavy work never adds up in one turn. */
export function yieldToEventLoop(): Promise<void> {
  before = before.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  return before;
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
