import { type Closer, createCloser } from '@market-state/lifecycle';

/** The work's result, once all that it opened is closed, however it ends. */
export async function withCloser<T>(work: (closer: Closer) => Promise<T>): Promise<T> {
  const closer = createCloser();
  try {
    return await work(closer);
  } finally {
    await closer.close();
  }
}
