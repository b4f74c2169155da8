let before: Promise<void> = Promise.resolve();

/** Resolves in a turn of the event loop that nobody else who asked gets, so that heavy work of many requests never adds up in one. */
export function ownTurn(): Promise<void> {
  before = before.then(() => new Promise<void>((resolve) => setImmediate(resolve)));
  return before;
}
