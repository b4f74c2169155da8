/** Runs work when it is its turn, in the order asked, and resolves or rejects as the work does. */
type Turns = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Turns of which so many run at once; the rest wait. */
export function createTurns(atOnce: number): Turns {
  const waiting: (() => void)[] = [];
  let free = atOnce;
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
