let before: Promise<void> = Promise.resolve();

/** Resolves in a turn of the event loop that no other caller shares, so that heavy work never adds up in one turn. */
export function yieldToEventLoop(): Promise<void> {
  before = before.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  return before;
}

const TURN_MS = 4;

/** Yields to the event loop every few milliseconds. */
export async function inSlices<Item, Made>(items: Iterable<Item>, make: (item: Item) => Made): Promise<Made[]> {
  const made: Made[] = [];
  let sinceMs = performance.now();
  for (const item of items) {
    if (performance.now() - sinceMs > TURN_MS) {
      await yieldToEventLoop();
      sinceMs = performance.now();
    }
    made.push(make(item));
  }
  return made;
}
