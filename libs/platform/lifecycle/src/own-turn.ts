let before: Promise<void> = Promise.resolve();

/** Resolves in a turn of the event loop that nobody else who asked gets, so that the heavy work of many never adds up in one. */
export function ownTurn(): Promise<void> {
  before = before.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  return before;
}

/** Work that others wait for at most, milliseconds. */
const TURN_MS = 4;

/** What `make` gives of each item, in order. Everyone else gets a turn of the event loop after every few milliseconds of it. */
export async function inTurns<Item, Made>(items: Iterable<Item>, make: (item: Item) => Made): Promise<Made[]> {
  const made: Made[] = [];
  let sinceMs = performance.now();
  for (const item of items) {
    if (performance.now() - sinceMs > TURN_MS) {
      await ownTurn();
      sinceMs = performance.now();
    }
    made.push(make(item));
  }
  return made;
}
