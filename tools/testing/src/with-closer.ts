import { type Closer, createCloser } from '@market-state/lifecycle';

/** Returns the work's result after closing everything it opened, even on failure. */
export async function withCloser<T>(work: (closer: Closer) => Promise<T>): Promise<T> {
  const closer = createCloser();
  try {
    return await work(closer);
  } finally {
    await closer.close();
  }
}
