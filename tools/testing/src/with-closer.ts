import { type Closer, createCloser } from '@market-state/lifecycle';

export async function withCloser<T>(work: (closer: Closer) => Promise<T>): Promise<T> {
  const closer = createCloser();
  try {
    return await work(closer);
  } finally {
    await closer.close();
  }
}
